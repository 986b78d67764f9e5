internal import ExtensionInterfaces

// What people are told: the journal, `extctl watch`, `extctl logs`.

/// What became of the last try to start an extension.
struct Attempt: Sendable {
  let time: Int64
  let outcome: String
  let standardError: [String]
}

extension Broker {
  /// Whether anybody hears of what has this level. Not worth a look but where there may be very many.
  func notes(_ level: LogEntry.Level) -> Bool {
    level.rawValue <= logLevel.rawValue || watchers.contains { sessions[$0]?.watch?.kind == .everything }
  }

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
    for peer in watchers {
      guard let session = sessions[peer], var watch = session.watch, watch.kind == .everything else {
        continue
      }
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
    var log = logs[identifier] ?? []
    log += leftOut(dropped) + lines
    if log.count > limits.logLinesPerExtension { log.removeFirst(log.count - limits.logLinesPerExtension) }
    logs[identifier] = log
    for peer in watchers {
      guard let session = sessions[peer], let watch = session.watch, watch.kind == .logs(identifier) else {
        continue
      }
      if session.isBlocked {
        sessions[peer]?.watch?.dropped += lines.count + dropped
      } else {
        let missed = watch.dropped + dropped
        sessions[peer]?.watch?.dropped = 0
        reply(watch.request, AdminInterface.Logs.Reply(lines: leftOut(missed) + lines), continues: true)
      }
    }
  }

  /// From now on the peer is told of everything, or of what an extension prints.
  mutating func watch(_ stream: WatchStream) {
    let peer = stream.request.peer
    guard sessions.update(peer, { $0.watch = stream }) != nil else { return }
    if !watchers.contains(peer) { watchers.append(peer) }
  }
}

/// Stands for lines that nobody gets.
func leftOut(_ count: Int) -> [String] {
  count > 0 ? ["(\(count) lines left out: they came too fast)"] : []
}
