internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let watch = Command(name: "watch", summary: "print everything that happens, until Ctrl-C") {
    invocation in
    try follow(AdminInterface.Watch()) { event in
      if event.event == "watching", !invocation.isJSON { return }
      invocation.show(event) {
        "\(Time.text(event.time))  \(event.event.padding(to: 22))\(Terminal.visible(event.message))"
      }
    }
    return .success
  }

  static let logs = Command(
    name: "logs", arguments: "ID", count: 1...1, summary: "print what an extension wrote to standard error",
    details:
      "The last lines, as long as the broker has run. The journal has all: journalctl --user EXTENSION=ID.",
    options: [.init(name: "follow", short: "f", help: "go on printing")]
  ) { invocation in
    let call = AdminInterface.Logs(extension: invocation.arguments[0])
    func show(_ reply: AdminInterface.Logs.Reply) {
      invocation.show(reply) { reply.lines.map(Terminal.visible).joined(separator: "\n") }
    }
    if invocation.switches.contains("follow") {
      try follow(call, show)
    } else {
      show(try invocation.admin(call))
    }
    return .success
  }

  private static func follow<Method: VarlinkMethod>(_ method: Method, _ show: (Method.Reply) -> Void) throws {
    do throws(VarlinkClientError) {
      let client = try BrokerLocation.connect(.admin)
      var answer = try client.call(method, more: true)
      show(answer.reply)
      while answer.continues {
        answer = try client.next(Method.self)
        show(answer.reply)
      }
    } catch .closed {
      throw ControlError(.unavailable, "the broker has ended")
    } catch {
      throw ControlError(error)
    }
  }
}
