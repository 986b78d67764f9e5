internal import LinuxSystem
internal import Synchronization
internal import Testing
internal import Varlink

@testable internal import ExtensionFoundation

/// Streams, cancellation, descriptors and messages without an answer, between two ends of a connection.
@Suite struct StreamTests {
  /// Says when nothing needs it any more.
  private final class End: Sendable {
    private let report: @Sendable () -> Void
    init(_ report: @escaping @Sendable () -> Void) { self.report = report }
    deinit { report() }
  }

  private final class Workshop: WorkshopInterface.Service {
    let poured = Mutex(0)
    let names = Mutex<[String]>([])
    /// What was cancelled, in this order.
    let cancelled = AsyncStream.makeStream(of: String.self)
    let begun = AsyncStream.makeStream(of: String.self)

    func count(first: Int, last: Int) async throws -> AppExtensionStream<Int> {
      let next = Mutex(first)
      return AppExtensionStream {
        let number = next.withLock { next in
          defer { next += 1 }
          return next
        }
        if number == 13 { throw WorkshopInterface.Broken(at: 13) }
        return number <= last ? number : nil
      }
    }

    func pour(bytes: Int) async throws -> AppExtensionStream<WorkshopInterface.Pour.Reply> {
      let text = String(repeating: "x", count: bytes)
      let end = End { self.cancelled.continuation.yield("pour") }
      return AppExtensionStream {
        defer { withExtendedLifetime(end) {} }
        let number = self.poured.withLock { poured in
          poured += 1
          return poured
        }
        return .init(text: text, number: number)
      }
    }

    func remember(name: String) async throws { names.withLock { $0.append(name) } }
    func recall() async throws -> [String] { names.withLock { $0 } }

    func wait(name: String) async throws {
      begun.continuation.yield(name)
      do {
        try await Task.sleep(for: .seconds(600))
      } catch {
        cancelled.continuation.yield(name)
        throw error
      }
    }

    func open(text: String) async throws -> SharedDescriptor {
      let pipe = try Pipe.make()
      try pipe.writing.descriptor.write(all: Array(text.utf8))
      return pipe.reading
    }

    func read(
      fileDescriptor: SharedDescriptor, spareFileDescriptor: SharedDescriptor?
    ) async throws -> (text: String, fileDescriptor: SharedDescriptor, spareFileDescriptor: SharedDescriptor?)
    {
      let bytes = try fileDescriptor.descriptor.read(upTo: 100)
      return (String(decoding: bytes, as: UTF8.self), fileDescriptor, spareFileDescriptor)
    }
  }

  private let workshop = Workshop()
  private let host: AppExtensionConnection
  private let service: AppExtensionConnection
  private let proxy: WorkshopInterface.Proxy

  init() throws {
    let (first, second) = try Socket.pair()
    (host, service) = (connection(over: first), connection(over: second))
    service.export(workshop, as: WorkshopInterface.self)
    service.resume()
    host.resume()
    proxy = host.remoteObject(as: WorkshopInterface.self)
  }

  private static func first(_ stream: AsyncStream<String>) async -> String? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next(isolation: #isolation)
  }

  @Test(.timeLimit(.minutes(10))) func `A stream brings each element once, in order, and ends`() async throws
  {
    var numbers: [Int] = []
    for try await number in try await proxy.count(first: 1, last: 7) { numbers.append(number) }
    #expect(numbers == [1, 2, 3, 4, 5, 6, 7])
    for try await number in try await proxy.count(first: 2, last: 1) { numbers.append(number) }
    #expect(numbers.count == 7)
    #expect(try await proxy.recall() == [])
  }

  @Test(.timeLimit(.minutes(10))) func `What a stream throws comes after what it brought`() async throws {
    var numbers: [Int] = []
    await #expect(throws: WorkshopInterface.Broken(at: 13)) {
      for try await number in try await proxy.count(first: 11, last: 20) { numbers.append(number) }
    }
    #expect(numbers == [11, 12])
    #expect(try await proxy.recall() == [])
  }

  @Test(.timeLimit(.minutes(10))) func `A slow reader slows the stream down`() async throws {
    let other = try StreamTests()
    var most = 0
    var read = 0
    for try await reply in try await proxy.pour(bytes: 100_000) {
      read += 1
      #expect(reply.number == read)
      // Slow, in a measure that fits the machine: a sender that nothing holds up makes an element in less than a call.
      for _ in 0..<50 { _ = try await other.proxy.recall() }
      most = max(most, workshop.poured.withLock { $0 } - read)
      if read == 20 { break }
    }
    // What may wait: 16 elements for the reader, a read's worth more, 256 KiB in the sender, and what the socket takes.
    #expect(most <= 30)
    #expect(await Self.first(workshop.cancelled.stream) == "pour")
    #expect(try await proxy.recall() == [])
  }

  @Test(.timeLimit(.minutes(10))) func `The peer learns that nobody waits for its answer any more`()
    async throws
  {
    let caller = Task { [proxy] in try await proxy.wait(name: "one") }
    #expect(await Self.first(workshop.begun.stream) == "one")
    caller.cancel()
    await #expect(throws: CancellationError.self) { try await caller.value }
    #expect(await Self.first(workshop.cancelled.stream) == "one")
    #expect(try await proxy.recall() == [])
  }

  @Test(.timeLimit(.minutes(10))) func `The peer learns of a deadline that has passed`() async throws {
    await #expect {
      try await host.call(
        WorkshopInterface.Wait(name: "late"), of: WorkshopInterface.self, timeout: .seconds(1))
    } throws: { ($0 as? AppExtensionError)?.code == .timedOut }
    #expect(await Self.first(workshop.cancelled.stream) == "late")
    #expect(try await proxy.recall() == [])
  }

  @Test(.timeLimit(.minutes(10))) func `A call that is cancelled in the queue is never served`() async throws
  {
    let first = Task { [proxy] in try await proxy.wait(name: "first") }
    #expect(await Self.first(workshop.begun.stream) == "first")
    let session = try host.session(for: "")
    let second = try await session.stream(WorkshopInterface.Wait(name: "second").call())
    try await proxy.remember(name: "between")
    await session.abandon(second, CancellationError())
    first.cancel()
    #expect(try await proxy.recall() == ["between"])
    workshop.begun.continuation.finish()
    #expect(await Self.first(workshop.begun.stream) == nil)
  }

  @Test(.timeLimit(.minutes(10))) func `Messages without an answer come in their order`() async throws {
    for number in 0..<1000 { try await proxy.remember(name: "\(number)") }
    #expect(try await proxy.recall() == (0..<1000).map { "\($0)" })
  }

  @Test(.timeLimit(.minutes(10))) func `A flood of messages without an answer does not pile up`() async throws
  {
    let other = try StreamTests()
    let (first, second) = try Socket.pair()
    let flooded = connection(over: first)
    flooded.export(workshop, as: WorkshopInterface.self)
    flooded.resume()
    try second.descriptor.write(all: WorkshopInterface.Wait(name: "busy").call().encoded())
    #expect(await Self.first(workshop.begun.stream) == "busy")
    let message = WorkshopInterface.Remember(name: "x").call(oneway: true).encoded()
    var rest = message[...]
    var (sent, idleRounds) = (0, 0)
    while sent < 1_000_000, idleRounds < 5 {
      let before = sent
      while let count = try? Socket.send(rest, to: second.rawValue) {
        rest = rest.dropFirst(count)
        guard rest.isEmpty else { continue }
        rest = message[...]
        sent += 1
      }
      // Time for the other side to read what it would read.
      for _ in 0..<100 { _ = try await other.proxy.recall() }
      idleRounds = sent == before ? idleRounds + 1 : 0
    }
    // What a socket's buffers hold, 64 calls, and one read more.
    #expect(sent < 10_000)
    Socket.shutdown(second.descriptor)
    #expect(await Self.first(workshop.cancelled.stream) == "busy")
  }

  @Test(.timeLimit(.minutes(10))) func `Descriptors go along in both directions`() async throws {
    let file = try await proxy.open(text: "in the pipe")
    let answer = try await proxy.read(fileDescriptor: file, spareFileDescriptor: nil)
    #expect(answer.text == "in the pipe")
    #expect(answer.spareFileDescriptor == nil)
    let again = try await proxy.open(text: "more")
    let both = try await proxy.read(fileDescriptor: again, spareFileDescriptor: file)
    #expect(both.text == "more" && both.spareFileDescriptor != nil)
  }

  @Test(.timeLimit(.minutes(10))) func `A place without a descriptor is an error at the right call`()
    async throws
  {
    let (reply, _) = try await host.session(for: "").call(
      WorkshopInterface.Read(fileDescriptor: 3, spareFileDescriptor: nil).call())
    #expect(reply.parameters["parameter"] == .string("fileDescriptor"))
    let (first, second) = try Socket.pair()
    let lonely = connection(over: first)
    lonely.resume()
    let peer = Task.detached {
      _ = try second.descriptor.read(upTo: 1000)
      try second.descriptor.write(all: WorkshopInterface.Open.Reply(fileDescriptor: 0).reply.encoded())
    }
    await #expect {
      _ = try await lonely.remoteObject(as: WorkshopInterface.self).open(text: "")
    } throws: { ($0 as? AppExtensionError)?.code == .malformedMessage }
    try await peer.value
  }

  @Test(.timeLimit(.minutes(10))) func `A stream ends with its connection`() async throws {
    var read = 0
    await #expect {
      for try await _ in try await proxy.pour(bytes: 10) {
        read += 1
        if read == 5 { service.invalidate() }
      }
    } throws: { ($0 as? AppExtensionError)?.code == .connectionClosed }
    #expect(read >= 5)
    #expect(await Self.first(workshop.cancelled.stream) == "pour")
  }

  @Test(.timeLimit(.minutes(10))) func `A stream is refused to a call that wants one answer`() async throws {
    let (reply, _) = try await host.session(for: "").call(
      WorkshopInterface.Count(first: 1, last: 2).call())
    #expect(reply.error == "org.varlink.service.ExpectedMore")
  }

  @Test(.timeLimit(.minutes(10))) func `The last answer of another implementation is an element`()
    async throws
  {
    let (first, second) = try Socket.pair()
    let lonely = connection(over: first)
    lonely.resume()
    let peer = Task.detached {
      _ = try second.descriptor.read(upTo: 1000)
      for number in 1...3 {
        let reply = WorkshopInterface.Count.Reply(number: number).reply(continues: number < 3)
        try second.descriptor.write(all: reply.encoded())
      }
    }
    var numbers: [Int] = []
    for try await number in try await lonely.remoteObject(as: WorkshopInterface.self).count(first: 0, last: 0)
    {
      numbers.append(number)
    }
    #expect(numbers == [1, 2, 3])
    try await peer.value
  }
}
