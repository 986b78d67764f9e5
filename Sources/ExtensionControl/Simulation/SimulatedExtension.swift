internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The extension that a simulated host uses, and what it prints: a developer's bundle as long as this lives, or one that is
/// installed.
final class SimulatedExtension {
  let identifier: String
  /// Replies to Develop, or to Logs.
  let output: VarlinkClient
  private let isDeveloped: Bool
  private let invocation: Invocation

  /// - Parameter argument: an identifier, or the path of a bundle.
  init(_ argument: String, _ invocation: Invocation) throws {
    self.invocation = invocation
    let subject = try Path.subject(argument)
    isDeveloped = subject.hasPrefix("/")
    output = try BrokerLocation.connect(.admin)
    do {
      guard isDeveloped else {
        guard !invocation.has("wait") else {
          throw ControlError(.usage, "--wait is for a developer's bundle; give its path")
        }
        identifier = subject
        // The lines of before are no news.
        _ = try output.call(AdminInterface.Logs(extension: subject), more: true)
        return
      }
      let path = try Command.place(of: subject)
      let reply = try output.call(
        AdminInterface.Develop(path: path, wait: invocation.has("wait")), more: true
      ).reply
      identifier = try Self.identifier(in: reply.extensions ?? [], at: path, invocation)
      try show(reply)
    } catch let error as VarlinkClientError {
      throw ControlError(error)
    }
  }

  private static func identifier(
    in found: [AdminInterface.Extension], at path: String, _ invocation: Invocation
  ) throws -> String {
    if let item = found.first(where: { $0.state != .enabled }) {
      throw ControlError(.notEnabled, try invocation.describe(item))
    }
    let extensions = found.filter { $0.extensionPoint != nil }.compactMap(\.identifier)
    guard extensions.count == 1, let identifier = extensions.first else {
      throw ControlError(
        .failed,
        extensions.isEmpty
          ? "\(path) holds no extension; give the path of a .appex"
          : "\(path) holds several extensions: \(extensions.joined(separator: ", ")); give the path of one")
    }
    return identifier
  }

  /// Shows what has come by now, and returns the lines that the extension has printed.
  @discardableResult
  func showOutput() throws -> [String] {
    let events =
      isDeveloped
      ? try output.arrived(AdminInterface.Develop.self)
      : try output.arrived(AdminInterface.Logs.self).map { .init(event: .output, lines: $0.lines) }
    for event in events { try show(event) }
    return events.flatMap { $0.lines ?? [] }
  }

  private func show(_ event: AdminInterface.Develop.Reply) throws {
    if invocation.isJSON { return try invocation.show(event) { "" } }
    for line in event.lines ?? [] { Terminal.say("| " + Terminal.visible(line, keepingLines: false)) }
    for item in event.extensions ?? [] { Terminal.say(Terminal.visible(try invocation.describe(item))) }
    if let text = event.text { Terminal.say(Terminal.visible(text)) }
  }
}

extension VarlinkClient {
  /// The replies that have come by now, without waiting: one read may have brought several.
  func arrived<Method: VarlinkMethod>(_: Method.Type) throws(ControlError) -> [Method.Reply] {
    var replies: [Method.Reply] = []
    do throws(VarlinkClientError) {
      while true { replies.append(try next(Method.self, timeout: .zero).reply) }
    } catch .timedOut {
      return replies
    } catch {
      throw ControlError(error)
    }
  }
}
