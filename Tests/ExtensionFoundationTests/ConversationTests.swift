internal import LinuxSystem
internal import Synchronization
internal import Testing
internal import Varlink

@testable internal import ExtensionFoundation

/// Two ends of a connection that talk in objects.
@Suite struct ConversationTests {
  private typealias Proxy = GreetingInterface.Proxy

  /// What one end is told of.
  private final class Ends: Sendable {
    let interruptions = Mutex(0)
    let invalidations = AsyncStream.makeStream(of: AppExtensionError.self)

    func watch(_ connection: AppExtensionConnection) {
      connection.interruptionHandler = { self.interruptions.withLock { $0 += 1 } }
      connection.invalidationHandler = { self.invalidations.continuation.yield($0) }
    }

    func reason() async -> AppExtensionError? {
      var iterator = invalidations.stream.makeAsyncIterator()
      return await iterator.next(isolation: #isolation)
    }
  }

  /// Answers by name; "slow" waits until it is let go.
  private actor Greeter: GreetingInterface.Service {
    private(set) var heard: [String] = []
    private var slow: [CheckedContinuation<Void, Never>] = []
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func greet(name: String) async throws -> String {
      heard.append(name)
      switch name {
      case "nobody": throw GreetingInterface.NobodyThere(name: name)
      case "broken": throw Misfortune()
      case "slow":
        await withCheckedContinuation { continuation in
          slow.append(continuation)
          for waiter in waiters { waiter.resume() }
          waiters = []
        }
      default: break
      }
      return "Hello, \(name)!"
    }

    func introduce(
      person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
    ) async throws -> GreetingInterface.Introduce.Reply {
      let text = "\(person.name)\(person.age.map { ", \($0)" } ?? "")"
      return .init(greeting: style == .loud ? text.uppercased() : text, length: text.count)
    }

    func forget() async throws { heard = [] }

    func untilSlow() async {
      if slow.isEmpty { await withCheckedContinuation { waiters.append($0) } }
    }

    func letGo() {
      for continuation in slow { continuation.resume() }
      slow = []
    }
  }

  private struct Misfortune: Error, CustomStringConvertible {
    let description = "a misfortune"
  }

  private static func pair() throws -> (host: AppExtensionConnection, service: AppExtensionConnection) {
    let (first, second) = try Socket.pair()
    return (connection(over: first), connection(over: second))
  }

  /// One end, and what its peer has of it: a bare socket.
  private static func withRawPeer() throws -> (AppExtensionConnection, SharedDescriptor) {
    let (first, second) = try Socket.pair()
    return (connection(over: first), second)
  }

  private static func talking() throws -> (
    host: AppExtensionConnection, service: AppExtensionConnection, greeter: Greeter, proxy: Proxy
  ) {
    let (host, service) = try pair()
    let greeter = Greeter()
    service.export(greeter, as: GreetingInterface.self)
    service.resume()
    host.resume()
    return (host, service, greeter, host.remoteObject(as: GreetingInterface.self))
  }

  @Test(.timeLimit(.minutes(10))) func `Typed calls bring typed answers`() async throws {
    let (_, service, greeter, proxy) = try Self.talking()
    #expect(try await proxy.greet(name: "Ada") == "Hello, Ada!")
    let reply = try await proxy.introduce(person: .init(name: "Lin", age: 7), style: .loud)
    #expect(reply == .init(greeting: "LIN, 7", length: 6))
    try await proxy.forget()
    #expect(await greeter.heard.isEmpty)
    withExtendedLifetime(service) {}
  }

  @Test(.timeLimit(.minutes(10))) func `What has no answer goes in its turn, also from a cancelled task`()
    async throws
  {
    let (host, service, greeter, proxy) = try Self.talking()
    _ = try await proxy.greet(name: "Ada")
    let told = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await host.tell(GreetingInterface.Forget())
    }
    try await told.value
    // The next answer is that of the next call.
    #expect(try await proxy.greet(name: "Lin") == "Hello, Lin!")
    #expect(await greeter.heard == ["Lin"])
    withExtendedLifetime(service) {}
  }

  @Test(.timeLimit(.minutes(10))) func `Both ends may call, also while they answer`() async throws {
    struct Asking: GreetingInterface.Service {
      let back: Proxy
      func greet(name: String) async throws -> String { try await back.greet(name: name + " and you") }
      func introduce(
        person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
      ) async throws -> GreetingInterface.Introduce.Reply {
        try await back.introduce(person: person, style: style)
      }
      func forget() async throws {}
    }
    let (host, service) = try Self.pair()
    host.export(Greeter(), as: GreetingInterface.self)
    service.export(
      Asking(back: service.remoteObject(as: GreetingInterface.self)), as: GreetingInterface.self)
    host.resume()
    service.resume()
    let proxy = host.remoteObject(as: GreetingInterface.self)
    #expect(try await proxy.greet(name: "Ada") == "Hello, Ada and you!")
    // More than wait to be served before no more is read: the answers to the service come behind them.
    try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<500 { group.addTask { try await proxy.greet(name: "\(number)") } }
      for try await answer in group { #expect(answer.hasSuffix(" and you!")) }
    }
    service.invalidate()
  }

  @Test(.timeLimit(.minutes(10))) func `Errors are those of the interface, or say what is wrong`()
    async throws
  {
    let (host, service, _, proxy) = try Self.talking()
    await #expect(throws: GreetingInterface.NobodyThere(name: "nobody")) {
      try await proxy.greet(name: "nobody")
    }
    let error = await #expect(throws: AppExtensionError.self) { try await proxy.greet(name: "broken") }
    #expect(error?.code == .remoteError)
    #expect(error?.message == "a misfortune")
    let other = await #expect(throws: AppExtensionError.self) {
      try await service.call(GreetingInterface.Forget(), of: GreetingInterface.self)
    }
    #expect(other?.code == .notImplemented)
    #expect(other?.message == "the peer has no interface org.example.Greeting")
    withExtendedLifetime(host) {}
  }

  @Test(.timeLimit(.minutes(10))) func `Calls are answered in their order, whatever waits`() async throws {
    let (_, service, greeter, proxy) = try Self.talking()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<500 {
        group.addTask {
          let answer = try await proxy.greet(name: "\(number)")
          #expect(answer == "Hello, \(number)!")
        }
      }
      try await group.waitForAll()
    }
    #expect(await greeter.heard.count == 500)
    withExtendedLifetime(service) {}
  }

  @Test(.timeLimit(.minutes(10))) func `A call that is cancelled ends at once, and the next one works`()
    async throws
  {
    let (_, service, greeter, proxy) = try Self.talking()
    let task = Task { try await proxy.greet(name: "slow") }
    await greeter.untilSlow()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await greeter.letGo()
    #expect(try await proxy.greet(name: "Ada") == "Hello, Ada!")
    withExtendedLifetime(service) {}
  }

  @Test(.timeLimit(.minutes(10))) func `A call that takes too long ends, and its answer is nobody else's`()
    async throws
  {
    let (host, service, greeter, proxy) = try Self.talking()
    let code = await errorCode {
      _ = try await host.call(
        GreetingInterface.Greet(name: "slow"), of: GreetingInterface.self, timeout: .milliseconds(50))
    }
    #expect(code == .timedOut)
    await greeter.letGo()
    #expect(try await proxy.greet(name: "Ada") == "Hello, Ada!")
    withExtendedLifetime(service) {}
  }

  @Test(.timeLimit(.minutes(10))) func `When one end goes every call ends once, and both are told`()
    async throws
  {
    let (host, service) = try Self.pair()
    let greeter = Greeter()
    let (hostEnds, serviceEnds) = (Ends(), Ends())
    hostEnds.watch(host)
    serviceEnds.watch(service)
    service.export(greeter, as: GreetingInterface.self)
    service.resume()
    host.resume()
    let proxy = host.remoteObject(as: GreetingInterface.self)
    let codes = await withTaskGroup(of: AppExtensionError.Code?.self) { group in
      for _ in 0..<20 {
        group.addTask { await errorCode { _ = try await proxy.greet(name: "slow") } }
      }
      await greeter.untilSlow()
      service.invalidate()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == Array(repeating: .connectionClosed, count: 20))
    #expect(await hostEnds.reason()?.code == .connectionClosed)
    #expect(await serviceEnds.reason()?.code == .connectionClosed)
    #expect(hostEnds.interruptions.withLock { $0 } == 1)
    #expect(serviceEnds.interruptions.withLock { $0 } == 0)
    #expect(await errorCode { _ = try await proxy.greet(name: "Ada") } == .connectionClosed)
    await greeter.letGo()
  }

  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "garbage\0", "{\"parameters\":{}}\0", "[]\0", "{\"method\":\"a.B\",\"upgrade\":true}\0",
      "{\"method\":7}\0", "\0",
    ])
  func `What is no Varlink ends the connection, and says so`(text: String) async throws {
    let (host, peer) = try Self.withRawPeer()
    let ends = Ends()
    ends.watch(host)
    host.resume()
    _ = try Socket.send(Array(text.utf8)[...], to: peer.rawValue)
    #expect(await ends.reason()?.code == .malformedMessage)
    #expect(try Poll.readable(peer.rawValue, deadline: .now + TestExtension.deadline))
    #expect(try peer.descriptor.read(upTo: 1).isEmpty)
  }

  @Test(.timeLimit(.minutes(10))) func `A peer that calls and does not read is not read either`() async throws
  {
    let (service, peer) = try Self.withRawPeer()
    let greeter = Greeter()
    service.export(greeter, as: GreetingInterface.self)
    service.resume()
    let long = String(repeating: "x", count: 4000)
    let call = GreetingInterface.Greet(name: long).call().encoded()
    // It goes on until the kernel takes no more: what the service holds is bounded. On a thread of its own, since the
    // service needs those of the tests.
    let done = AsyncStream.makeStream(of: Int.self)
    try startThread {
      var sent = 0
      var rest = call[...]
      var patience = MonotonicTime.now + .seconds(1)
      while MonotonicTime.now < patience {
        if let count = try? Socket.send(rest, to: peer.rawValue) {
          sent += count
          // Of the last that finds room the kernel takes a part.
          rest = count == rest.count ? call[...] : rest.dropFirst(count)
          patience = MonotonicTime.now + .seconds(1)
        } else {
          CurrentProcess.pause(milliseconds: 1)
        }
      }
      done.continuation.yield(sent)
    }
    var iterator = done.stream.makeAsyncIterator()
    let sent = await iterator.next(isolation: #isolation) ?? 0
    let taken = await greeter.heard.count
    #expect(taken > 10)
    #expect(taken < 500)
    #expect(sent < 4 << 20)
  }

  /// A peer on a thread of its own, which is as quick as can be.
  @Test(.timeLimit(.minutes(10))) func `An answer that comes at once is not lost`() async throws {
    let (host, peer) = try Self.withRawPeer()
    try startThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let reply = Array("{\"parameters\":{\"greeting\":\"Hello\"}}\0".utf8)
      while let got = try? Socket.receive(into: &buffer, from: peer.rawValue, nonBlocking: false),
        got.count > 0
      {
        _ = try? Socket.send(reply[...], to: peer.rawValue)
      }
    }
    host.resume()
    let proxy = host.remoteObject(as: GreetingInterface.self)
    for _ in 0..<20_000 { #expect(try await proxy.greet(name: "x") == "Hello") }
    host.invalidate()
  }

  @Test func `What cannot be sent says so, and nothing else is harmed`() async throws {
    let (_, service, _, proxy) = try Self.talking()
    let code = await errorCode { _ = try await proxy.greet(name: String(repeating: "x", count: 17 << 20)) }
    #expect(code == .limitReached)
    #expect(try await proxy.greet(name: "Ada") == "Hello, Ada!")
    withExtendedLifetime(service) {}
  }
}
