internal import Testing

@testable internal import ExtensionFoundation

/// What only the running program can see: it ends there, and says what to do. What the compiler sees is in Tests/Misuse.
@Suite struct MisuseTests {
  private struct Stranger: Sendable {}

  private static func connection() throws -> AppExtensionConnection {
    AppExtensionConnection(try socketPair().0, activationID: "a", sceneID: nil)
  }

  private func expect(
    _ sentence: String, in result: ExitTest.Result?, location: SourceLocation = #_sourceLocation
  ) throws {
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(said.contains(sentence), "\(said)", sourceLocation: location)
  }

  @Test func `an object that does not implement the interface cannot be exported`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let connection = try Self.connection()
      connection.exportedObject = Stranger()
      connection.exportedInterface = .init(with: GreetingInterface.self)
      connection.resume()
    }
    try expect(
      "Stranger does not implement org.example.Greeting: make it conform to GreetingInterface.Service",
      in: result)
  }

  @Test func `an object needs an interface`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let connection = try Self.connection()
      connection.exportedObject = Stranger()
      connection.resume()
    }
    try expect(
      "exportedObject needs exportedInterface: set it, or use export(_:as:), which sets both", in: result)
  }

  @Test func `a connection whose socket was taken cannot be resumed`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let connection = try Self.connection()
      let socket = connection.takeSocket()
      connection.resume()
      withExtendedLifetime(socket) {}
    }
    try expect("takeSocket() gave this connection's socket away", in: result)
  }

  // What is right must not end the process, or the tests above would say nothing.
  @Test func `a connection that exports what it should can be resumed`() async throws {
    await #expect(processExitsWith: .success) {
      let connection = try Self.connection()
      connection.exportedInterface = .init(with: GreetingInterface.self)
      connection.resume()
      connection.resume()
      connection.invalidate()
      connection.resume()
    }
  }
}
