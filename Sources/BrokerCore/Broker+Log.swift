internal import ExtensionInterfaces

// What people are told: the journal, `extctl watch`, `extctl logs`.

/// What became of the last try to start an extension.
struct Attempt: Sendable {
  let time: Int64
  let outcome: String
  let standardError: [String]
}

extension Broker {
  mutating func note(
    _ level: LogEntry.Level, _ event: String, _ subject: String?, _ message: String, reason: Reason? = nil,
    instance: String? = nil, activation: String? = nil
  ) {
    var fields = ["EVENT": event]
    fields["EXTENSION"] = subject
    fields["INSTANCE"] = instance
    fields["ACTIVATION"] = activation
    fields["REASON"] = reason?.kind.rawValue
    effects.append(.log(LogEntry(level: level, message: message, fields: fields)))
    for (peer, session) in sessions {
      guard var watch = session.watch, watch.kind == .everything else { continue }
      if session.isBlocked {
        watch.dropped += 1
      } else {
        watch.sequence += 1 + watch.dropped
        watch.dropped = 0
        reply(
          watch.request,
          AdminInterface.Watch.Reply(
            sequence: watch.sequence, time: Int(now.wall), event: event, subject: subject, message: message,
            reason: reason), continues: true)
      }
      sessions[peer]?.watch = watch
    }
  }

  mutating func keepLog(_ identifier: String, _ lines: [String], dropped: Int) {
    var new = lines
    if dropped > 0 { new.insert("(\(dropped) lines left out: they came too fast)", at: 0) }
    var log = logs[identifier] ?? []
    log += new
    if log.count > limits.logLinesPerExtension { log.removeFirst(log.count - limits.logLinesPerExtension) }
    logs[identifier] = log
    for session in sessions.values {
      guard let watch = session.watch, watch.kind == .logs(identifier), !session.isBlocked else { continue }
      reply(watch.request, AdminInterface.Logs.Reply(lines: new), continues: true)
    }
  }
}
