internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let activate = Command(
    name: "activate", arguments: ["ID"], summary: "use an extension until Ctrl-C, or until it ends",
    details:
      "Each step is printed, the last one with its reason. Exit status 1 when it did not end in order.",
    options: Use.options
  ) { invocation in
    // Before anything is started, so that Ctrl-C ends it in order.
    let signals = try Signals.descriptor(for: [Signals.interrupt, Signals.terminate, Signals.hangUp])
    let events = try Use.subscribe(invocation)
    let use = try Use(invocation, connect: false)
    var last: BrokerInterface.ActivationEvent?
    func show(_ event: BrokerInterface.ActivationEvent) throws {
      guard event.activation == use.activation, event != last else { return }
      last = event
      try invocation.show(event) { event.text }
    }
    func isOver() throws -> Bool {
      // All that has come, without waiting: one read may have brought several.
      for event in try events.arrived() { try show(event) }
      return last?.state == .deactivated
    }
    var deadline: MonotonicTime?
    while try !isOver() {
      let waits =
        [events.client.socket.rawValue]
        + (deadline == nil ? [signals.rawValue, use.lease?.rawValue ?? -1] : [])
      let ready = try Poll.wait(waits, deadline: deadline)
      if ready[0] { continue }
      // The end of the lease, by us or by the extension: the broker tells the rest.
      use.lease = nil
      if deadline != nil { break }
      deadline = .now + .seconds(20)
    }
    if last?.state != .deactivated, let end = use.end { try show(end) }
    guard last?.state == .deactivated else {
      throw ControlError(.timedOut, "nobody told what became of \(use.activation); see 'extctl connections'")
    }
    return last?.reason?.kind.isOrderly == true ? .success : .failed
  }
}

extension BrokerInterface.ActivationEvent {
  fileprivate var text: String {
    let scene = scene.map { " (\($0))" } ?? ""
    let reason = reason.map { ": \($0.text)" } ?? ""
    switch state {
    case .activated: return "activated \(activation) of \(self.extension)\(scene); Ctrl-C ends it"
    case .willDeactivate:
      return "ends" + (deadline.map { " within \($0) ms" } ?? "") + Terminal.visible(reason)
    case .deactivated: return "ended" + Terminal.visible(reason)
    }
  }
}

extension BrokerInterface.Reason.Kind {
  /// Somebody wanted it so, or nobody needed it any more.
  var isOrderly: Bool {
    switch self {
    case .hostEnded, .hostGone, .idle, .disabled, .changed, .removed, .updated, .stopping: true
    case .exited, .crashed, .killed, .outOfMemory, .unresponsive, .startFailed, .startTimedOut,
      .sandboxFailed,
      .quarantined, .policy, .launcherGone:
      false
    }
  }
}

extension BrokerInterface.Reason {
  /// The reason with what is known about it.
  var text: String {
    var facts: [String] = []
    if let status { facts.append("status \(status)") }
    if let signal { facts.append("signal \(signal)") }
    if let stage { facts.append("at \(stage)") }
    if let errno { facts.append(Errno(rawValue: CInt(clamping: errno)).description) }
    if let limit { facts.append("limit \(limit) bytes") }
    if let peak { facts.append("peak \(peak) bytes") }
    if let rule { facts.append("rule \(rule)") }
    if let until { facts.append("until \(WallClock.text(until))") }
    if let detail { facts.append(detail) }
    return kind.rawValue + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
  }
}
