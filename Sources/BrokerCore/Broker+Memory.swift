internal import ExtensionInterfaces

// A word in time, before the kernel ends an instance for its memory.

extension Broker {
  mutating func memoryPressure(_ id: String, used: Int, limit: Int) {
    guard let instance = instances[id] else { return }
    note(
      .notice, "instance.memoryPressure", instance.identifier,
      "\(instance.identifier) uses \(used) of the \(limit) bytes of memory that it may"
        + (instance.hearsMemoryPressure ? "" : ", and cannot be told"),
      instance: id)
    // One that has not answered knows already.
    guard instance.phase == .running, instance.hearsMemoryPressure, instance.memoryPressureCall == nil
    else { return }
    let call = newCall()
    instances[id]?.memoryPressureCall = call
    effects.append(.tellMemoryPressure(instance: id, call: call, used: used, limit: limit))
  }

  /// Whether that is the call that was answered. What the answer says is nobody's concern.
  mutating func endMemoryPressure(_ id: String, call: String) -> Bool {
    guard let pending = instances[id]?.memoryPressureCall, pending == call else { return false }
    instances[id]?.memoryPressureCall = nil
    return true
  }
}
