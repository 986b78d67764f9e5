internal import ExtensionInterfaces
internal import Synchronization
internal import Testing
internal import Varlink

@testable internal import ExtensionFoundation
@testable internal import LinuxSystem

/// What a peer can do to an end of a connection: it is a bare socket here, and does as it likes.
@Suite struct HostilePeerTests {
  private typealias Proxy = GreetingInterface.Proxy

  /// Answers nobody before it is let go.
  private actor Closed: GreetingInterface.Service {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false

    func greet(name: String) async throws -> String {
      if !isOpen { await withCheckedContinuation { waiting.append($0) } }
      return "Hello"
    }

    func introduce(
      person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
    ) async throws -> GreetingInterface.Introduce.Reply { .init(greeting: "", length: 0) }

    func forget() async throws {}

    func open() {
      isOpen = true
      for continuation in waiting { continuation.resume() }
      waiting = []
    }
  }

  private let end: AppExtensionConnection
  private let peer: SharedDescriptor
  private let reasons = AsyncStream.makeStream(of: AppExtensionError.self)

  init() throws {
    let (own, its) = try Socket.pair()
    end = connection(over: own)
    peer = its
    end.invalidationHandler = { [reasons] in reasons.continuation.yield($0) }
  }

  private func reason() async -> AppExtensionError? {
    var iterator = reasons.stream.makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  /// How many of this process's descriptors are for the same file.
  private static func copies(of file: borrowing FileDescriptor) throws -> Int {
    let wanted = try FileStatus(of: file.rawValue)
    return (0..<4096).count { number in
      guard let status = try? FileStatus(at: "/proc/self/fd/\(number)", followLinks: true) else {
        return false
      }
      return status.inode == wanted.inode && status.device == wanted.device
    }
  }

  /// What the peer writes until its socket has been full for a second. Without keeping a thread of the tests' own.
  private func written(
    most: Int, _ message: [UInt8], with descriptors: [SharedDescriptor] = []
  ) async throws -> Int {
    let done = AsyncStream.makeStream(of: Int.self)
    try startThread { [peer] in
      var sent = 0
      var patience = MonotonicTime.now + .seconds(1)
      while sent < most, MonotonicTime.now < patience {
        let place = sent % message.count
        if let count = try? Socket.send(
          message[place...], descriptors: place == 0 ? descriptors : [], to: peer.rawValue)
        {
          sent += count
          patience = MonotonicTime.now + .seconds(1)
        } else {
          CurrentProcess.pause(milliseconds: 1)
        }
      }
      done.continuation.yield(sent)
    }
    var iterator = done.stream.makeAsyncIterator()
    return await iterator.next(isolation: #isolation) ?? 0
  }

  @Test(.timeLimit(.minutes(10))) func `Answers that came before the peer's end are not lost`() async throws {
    end.resume()
    let count = 200
    try startThread { [peer] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      var calls = 0
      while calls < count,
        let got = try? Socket.receive(into: &buffer, from: peer.rawValue, nonBlocking: false), got.count > 0
      {
        calls += buffer[..<got.count].count { $0 == 0 }
      }
      let replies = (0..<count).flatMap { _ in Array("{\"parameters\":{\"greeting\":\"Hello\"}}\0".utf8) }
      _ = try? Socket.send(replies[...], to: peer.rawValue, nonBlocking: false)
      Socket.shutdown(peer.descriptor)
    }
    let proxy = end.remoteObject(as: GreetingInterface.self)
    let answers = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<count { group.addTask { (try? await proxy.greet(name: "x")) == "Hello" } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(answers == count)
    #expect(await reason()?.code == .connectionClosed)
  }

  @Test(.timeLimit(.minutes(10))) func `Descriptors without the end of a message are bounded`() async throws {
    end.resume()
    let pipe = try Pipe.make()
    let descriptors = Array(repeating: pipe.reading, count: 16)
    for _ in 0..<4 { _ = try? Socket.send([0x20], descriptors: descriptors, to: peer.rawValue) }
    #expect(await reason()?.code == .malformedMessage)
    #expect(try Self.copies(of: pipe.reading.descriptor) < 16)
  }

  @Test(.timeLimit(.minutes(10))) func `Descriptors of calls that wait are bounded`() async throws {
    let service = Closed()
    end.export(service, as: GreetingInterface.self)
    end.resume()
    let pipe = try Pipe.make()
    let call = GreetingInterface.Greet(name: "x").call().encoded()
    let descriptors = Array(repeating: pipe.reading, count: 16)
    _ = try await written(most: 60 * call.count, call, with: descriptors)
    // Those that wait, and those of the call that is served and of the read that went too far.
    #expect(try Self.copies(of: pipe.reading.descriptor) <= 64 + 3 * 16)
    await service.open()
    end.invalidate()
  }

  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func `Bytes of calls that wait are bounded`(whileItCalls: Bool) async throws {
    let service = Closed()
    end.export(service, as: GreetingInterface.self)
    end.resume()
    let proxy = end.remoteObject(as: GreetingInterface.self)
    let caller = whileItCalls ? Task { try await proxy.greet(name: "x") } : nil
    if whileItCalls { while try !Poll.readable(peer.rawValue, deadline: .now) { await Task.yield() } }
    let call = GreetingInterface.Greet(name: String(repeating: "x", count: 4 << 20)).call().encoded()
    let sent = try await written(most: 30 * call.count, call)
    #expect(sent < (whileItCalls ? 84 << 20 : 36 << 20))
    await service.open()
    end.invalidate()
    if let caller { #expect(await errorCode { _ = try await caller.value } == .connectionClosed) }
  }

  @Test(.timeLimit(.minutes(10))) func `A descriptor that is no socket is no way for frames`() async throws {
    let errors = AsyncStream.makeStream(of: AppExtensionError.Code?.self)
    end.framesHandler = { frames in
      Task {
        errors.continuation.yield(
          await errorCode {
            var iterator = frames.makeAsyncIterator()
            _ = try await iterator.next()
          })
        errors.continuation.yield(await errorCode { try await frames.send(.init(bytes: [1])) })
      }
    }
    end.resume()
    let pipe = try Pipe.make()
    var iterator = errors.stream.makeAsyncIterator()
    // Of a handle alone every call says that the descriptor is bad.
    for descriptor in [SharedDescriptor(try File.open("/", .path)), pipe.reading] {
      _ = try Socket.send(
        ConnectionInterface.OpenFrames(fileDescriptor: 0).call().encoded()[...], descriptors: [descriptor],
        to: peer.rawValue)
      #expect(await iterator.next(isolation: #isolation) == .connectionClosed)
      #expect(await iterator.next(isolation: #isolation) == .connectionClosed)
    }
    end.invalidate()
  }

  @Test(.timeLimit(.minutes(10))) func `A peer that is given up is told, whoever keeps the connection`()
    async throws
  {
    end.resume()
    _ = try Socket.send(Array("garbage\0".utf8)[...], to: peer.rawValue)
    #expect(await reason()?.code == .malformedMessage)
    #expect(try Poll.readable(peer.rawValue, deadline: .now + TestExtension.deadline))
    withExtendedLifetime(end) {}
  }

  @Test(.timeLimit(.minutes(10)))
  func `A call to a peer that does not read ends at its deadline, or when cancelled`()
    async throws
  {
    end.resume()
    let connection = end
    // More than the socket and the queue take.
    let long = GreetingInterface.Greet(name: String(repeating: "x", count: 4 << 20))
    let first = Task { _ = try await connection.call(long, of: GreetingInterface.self) }
    while try !Poll.readable(peer.rawValue, deadline: .now) { await Task.yield() }
    let code = await errorCode {
      _ = try await connection.call(long, of: GreetingInterface.self, timeout: .milliseconds(50))
    }
    #expect(code == .timedOut)
    for round in 0..<20 {
      let second = Task { _ = try await connection.call(long, of: GreetingInterface.self) }
      for _ in 0..<round { await Task.yield() }
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
    }
    let told = Task { try await connection.tell(GreetingInterface.Forget()) }
    for _ in 0..<20 { await Task.yield() }
    told.cancel()
    await #expect(throws: CancellationError.self) { try await told.value }
    connection.invalidate()
    #expect(await errorCode { try await first.value } == .connectionClosed)
  }

  @Test(.timeLimit(.minutes(10))) func `A deadline that is never ends nothing`() async throws {
    end.resume()
    let connection = end
    let call = Task {
      _ = try await connection.call(
        GreetingInterface.Forget(), of: GreetingInterface.self, timeout: .seconds(Int64.max))
    }
    while try !Poll.readable(peer.rawValue, deadline: .now) { await Task.yield() }
    connection.invalidate()
    #expect(await errorCode { try await call.value } == .connectionClosed)
  }

  /// An exported object that calls back holds the connection.
  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `A connection that has ended lets go of what it had`(endsHere: Bool) async throws {
    final class Holding: GreetingInterface.Service {
      let back: Proxy
      let connection: AppExtensionConnection
      init(_ connection: AppExtensionConnection) {
        back = connection.remoteObject(as: GreetingInterface.self)
        self.connection = connection
      }
      func greet(name: String) async throws -> String { name }
      func introduce(
        person: GreetingInterface.Person, style: GreetingInterface.Introduce.Style
      ) async throws -> GreetingInterface.Introduce.Reply { .init(greeting: "", length: 0) }
      func forget() async throws {}
    }
    let gone = AsyncStream.makeStream(of: Void.self)
    final class Sign: Sendable {
      let tell: @Sendable () -> Void
      init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }
      deinit { tell() }
    }
    let (own, its) = try Socket.pair()
    do {
      let connection = AppExtensionConnection(
        own, activationID: "a", sceneID: nil, isAccepted: true)
      connection.export(Holding(connection), as: GreetingInterface.self)
      let sign = Sign { gone.continuation.yield() }
      connection.invalidationHandler = { _ in withExtendedLifetime((sign, connection)) {} }
      connection.resume()
      if endsHere { connection.invalidate() } else { Socket.shutdown(its.descriptor) }
    }
    var iterator = gone.stream.makeAsyncIterator()
    #expect(await iterator.next(isolation: #isolation) != nil)
  }

  @Test func `Deadlines that were met cost nothing afterwards`() throws {
    let loop = try EventLoop()
    var most = 0
    for _ in 0..<10_000 {
      loop.schedule(after: .seconds(3600)) {}.cancel()
      most = max(most, loop.timers.count)
    }
    #expect(most < 100)
    var rang = false
    loop.schedule(after: .milliseconds(1)) { rang = true }
    while !rang { try loop.turn() }
  }
}
