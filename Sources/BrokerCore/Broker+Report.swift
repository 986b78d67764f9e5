internal import ExtensionInterfaces

// What hosts say of extensions, for the people who look after them.

struct Report: Hashable, Sendable {
  let time: Int64
  let host: String
  let message: String
}

extension Broker {
  mutating func report(
    _ call: BrokerInterface.Report, _ request: RequestID, _ host: HostKey, _ session: Session
  ) {
    let identifier = call.extension
    guard let facts = catalog.winner(identifier), permits(session, point: facts.extensionPoint ?? "") else {
      return fail(request, BrokerInterface.ExtensionNotFound(extension: identifier))
    }
    guard quotas[host, default: Quotas()].reports.admit(limits.reportsPerMinute, at: now) else {
      return fail(
        request, BrokerInterface.LimitReached(limit: "reportsPerMinute", value: limits.reportsPerMinute))
    }
    let message = String(decoding: call.message.utf8.prefix(limits.reportBytes), as: UTF8.self)
    var kept = reports[identifier] ?? []
    kept.append(Report(time: now.wall, host: host.identifier, message: message))
    reports[identifier] = kept.suffix(limits.reportsPerExtension)
    note(.warning, "host.report", identifier, "\(host.identifier) reports about \(identifier): \(message)")
    reply(request, BrokerInterface.Report.Reply())
  }
}
