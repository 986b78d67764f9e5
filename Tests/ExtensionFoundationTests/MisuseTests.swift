internal import ExtensionInterfaces
internal import LinuxSystem
internal import Testing

/// What only the running program can see: it ends there, and says what to do. What the compiler sees is in Tests/Misuse.
// Not exit tests: those wait for any child of this process, and never end where another test has left one unreaped.
@Suite struct MisuseTests {
  @Test(arguments: [
    (
      "exports a stranger",
      "Stranger does not implement com.example.greeting.Host: make it conform to HostInterface.Service"
    ),
    (
      "exports without an interface",
      "exportedObject needs exportedInterface: set it, or use export(_:as:), which sets both"
    ),
    (
      "resumes without its socket",
      "takeSocket() gave this connection's socket away: use that, or do not take it"
    ),
    (
      "takes its socket twice",
      "takeSocket() gave this connection's socket away before: keep what it returned"
    ),
    (
      "takes its socket after it resumed",
      "resume() uses this connection's socket: call takeSocket() instead of it, or on a connection of its own"
    ),
  ])
  func `what cannot go on ends the program with a sentence`(_ scene: String, _ sentence: String) throws {
    let program = try TestExtension(.probe)
    try program.start()
    #expect(throws: (any Error).self) { try program.accept(scene: scene) }
    let end = try program.end()
    guard case .signaled = end.status else {
      Issue.record("it ended with \(String(describing: end.status))")
      return
    }
    #expect(end.errors.contains(sentence), "\(end.errors)")
  }

  @Test func `what is only repeated, or comes late, does nothing`() throws {
    let program = try TestExtension(.probe)
    try program.start()
    _ = try program.accept(scene: "resumes again and again")
    #expect(try program.stop().answers == "g.3")
    #expect(try program.end().status == .exited(status: 0))
  }
}
