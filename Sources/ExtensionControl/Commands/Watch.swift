internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let watch = Command(
    name: "watch", summary: "print everything that happens, until Ctrl-C",
    details: "With --json, the first line says only that the stream stands."
  ) { invocation in
    try invocation.follow(AdminInterface.Watch()) { event in
      // The first reply says that nothing will be missed from now on.
      if event.sequence == 1, event.event == "watching", !invocation.isJSON { return }
      try invocation.show(event) {
        "\(WallClock.text(event.time))  \(Terminal.visible(event.event.padding(to: 20)))  \(Terminal.visible(event.message))"
      }
    }
    return .success
  }
}

extension Invocation {
  /// Shows each reply of a method that has many.
  func follow<Method: VarlinkMethod>(_ method: Method, _ show: (Method.Reply) throws -> Void) throws {
    let client = try BrokerLocation.connect(.admin)
    do {
      var answer = try client.call(method, more: true)
      try show(answer.reply)
      while answer.continues {
        answer = try client.next(Method.self)
        try show(answer.reply)
      }
    } catch VarlinkClientError.closed {
      throw ControlError(.unavailable, "the broker has ended; 'extctl doctor' looks for the cause")
    } catch let error as VarlinkClientError {
      throw ControlError(error)
    }
  }
}
