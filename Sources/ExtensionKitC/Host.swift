public import CExtensionKit
internal import ExtensionFoundation
internal import ExtensionInterfaces
internal import LinuxSystem
internal import Synchronization

/// What an `extk_host` points to: the queue of what the program is to be told.
final class Host: Handle, Sendable {
  private struct Queue {
    var work: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private static let identifier = Mutex<String?>(nil)
  private let queue = Mutex(Queue())
  /// Readable while there is work.
  private let event: FileDescriptor

  init(identifier: String?) throws {
    guard let identifier = identifier ?? AppExtensionHost.identifier else {
      throw AppExtensionPoint.Error.hostMustHaveBundleIdentifier
    }
    guard BundleIdentifier.isValid(identifier) else {
      throw Failure.invalidArgument(
        "\"\(identifier)\" is no reverse-DNS identifier, such as org.example.Editor")
    }
    try Self.identifier.withLock { chosen in
      if let chosen, chosen != identifier {
        throw Failure.invalidArgument(
          "this process is the host \(chosen) already, and cannot be \(identifier) as well")
      }
      chosen = identifier
      AppExtensionHost.identifier = identifier
    }
    event = try EventCounter.make()
  }

  var descriptor: CInt { event.rawValue }

  /// Has the next dispatch do it, unless the host is closed by then.
  func post(_ work: @escaping @Sendable () -> Void) {
    queue.withLock { if !$0.isClosed { $0.work.append(work) } }
    EventCounter.ring(event.rawValue)
  }

  /// Does what there is now. What comes meanwhile has rung again.
  func dispatch() {
    EventCounter.clear(event.rawValue)
    for _ in 0..<queue.withLock({ $0.work.count }) {
      // One by one: a callback may close the host, or dispatch itself.
      guard let work = queue.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else { return }
      work()
    }
  }

  func close() {
    let work = queue.withLock { queue in
      defer { queue = Queue(isClosed: true) }
      return queue.work
    }
    // Not under the lock: what it holds ends here.
    withExtendedLifetime(work) {}
  }

  /// Does what waits in the kernel on a thread of its own, and tells the next dispatch what came of it: the value, or the
  /// error.
  func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws -> Value,
    then tell: @escaping @Sendable (Value?, UnsafePointer<extk_error>?) -> Void
  ) {
    let finish = { @Sendable (result: Result<Value, any Error>) in
      self.post {
        switch result {
        case .success(let value): tell(value, nil)
        case .failure(let error): unsafe Failure(error).lend { unsafe tell(nil, $0) }
        }
      }
    }
    do throws(Errno) {
      try startThread { finish(Result { try work() }) }
    } catch {
      finish(.failure(Failure(code: EXTK_ERROR_FAILED, message: "no thread can be started: \(error)")))
    }
  }
}

@c @implementation
public func extk_host_new(
  _ identifier: UnsafePointer<CChar>?, _ error: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?
) -> OpaquePointer? {
  unsafe Failure.report(at: error, else: nil) {
    unsafe try Host(identifier: CText.read(identifier)).retained()
  }
}

@c @implementation
public func extk_host_fd(_ host: OpaquePointer?) -> CInt { unsafe Host.at(host).descriptor }

@c @implementation
public func extk_host_dispatch(_ host: OpaquePointer?) { unsafe Host.at(host).dispatch() }

@c @implementation
public func extk_host_free(_ host: OpaquePointer?) {
  if let host = unsafe host { unsafe Host.release(host).close() }
}
