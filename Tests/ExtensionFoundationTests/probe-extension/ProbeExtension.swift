internal import ExtensionFoundation
internal import LinuxSystem

/// An extension for the tests: tells where its code runs, and refuses some connections.
@main
final class ProbeExtension: AppExtension {
  @Bind var boundAppExtensionPoint: AppExtensionPoint {
    Identifier(host: "org.example.tests", name: "Probe")
  }

  var configuration: Configuration { Configuration(program: self) }

  func extensionWillTerminate() { CurrentProcess.printError("will terminate") }

  func didReceiveMemoryPressure(used: Int, limit: Int) {
    CurrentProcess.printError("memory pressure: \(used) of \(limit)")
  }

  struct Configuration: AppExtensionConfiguration {
    unowned let program: ProbeExtension

    func accept(connection: AppExtensionConnection) -> Bool { connection.sceneID != "refused" }

    func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
      if connection.sceneID == "refused at length" {
        return .reject(reason: String(repeating: "\u{1}", count: 50_000))
      }
      if let misuse = connection.sceneID.flatMap(Misuse.init) {
        misuse.commit(on: connection)
        return .accept
      }
      guard accept(connection: connection) else { return .reject(reason: "this scene is never served") }
      if connection.hasDisplay { Self.draw() }
      Task {
        for await line in connection.lines {
          // After a suspension: the main actor must have come back to the main thread.
          try? connection.send(line: "\(line) on \(Self.thread) for \(connection.activationID)")
        }
      }
      return .accept
    }

    /// As a toolkit does, which would take the variable away.
    private static func draw() {
      guard let number = CurrentProcess.environment("WAYLAND_SOCKET").flatMap({ CInt($0) }),
        let display = FileDescriptor.inherited(number)
      else { return CurrentProcess.printError("no WAYLAND_SOCKET") }
      try? display.write(all: Array("drawn".utf8))
      CurrentProcess.removeEnvironment("WAYLAND_SOCKET")
      Self.display = SharedDescriptor(display)
    }

    private static var display: SharedDescriptor?

    /// The main thread has its process's number.
    private static var thread: String {
      let numbers = (try? File.readLink("/proc/thread-self"))?.split(separator: "/") ?? []
      return numbers.first == numbers.last ? "the main thread" : "another thread"
    }
  }
}
