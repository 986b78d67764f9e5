internal import ExtensionInterfaces

// The directory that an extension may write to fills the person's disk, so it has a limit.

extension Broker {
  mutating func containerMeasured(_ id: String, _ facts: ContainerFacts) {
    guard let instance = instances[id] else { return }
    guard let excess = facts.excess(over: limits) else {
      // A word in time.
      if facts.bytes > limits.containerBytes / 5 * 4, !instance.containerIsNearlyFull {
        instances[id]?.containerIsNearlyFull = true
        complain(
          instance, "container.nearlyFull",
          "its container \(facts.path) holds \(facts.bytes) of \(limits.containerBytes) bytes; past that it is ended"
        )
      }
      return
    }
    guard !instance.isStopping else { return }
    complain(
      instance, "container.full",
      "its container \(facts.path) holds \(excess), so it does not run; remove what is not needed there")
    let reason = Reason(
      kind: .policy, detail: "\(facts.path) holds \(excess); remove what is not needed there",
      limit: limits.containerBytes, rule: "containerSize")
    if instance.processID == nil {
      failStart(id, reason, standardError: [])
    } else {
      attempts[instance.identifier] = Attempt(time: now.wall, outcome: reason.sentence, standardError: [])
      stop(id, reason)
    }
  }

  /// Where people look: the journal and `extctl watch`, and among the lines that it wrote itself.
  private mutating func complain(_ instance: Instance, _ event: String, _ message: String) {
    note(.warning, event, instance.identifier, "\(instance.identifier): \(message)", instance: instance.id)
    keepLog(instance.identifier, ["(extensiond: \(message))"], dropped: 0)
  }
}
