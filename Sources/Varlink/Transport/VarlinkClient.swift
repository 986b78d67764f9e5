public import LinuxSystem

/// Why a call of a client did not bring its reply.
public enum VarlinkClientError: Error, CustomStringConvertible {
  /// The service could not be reached.
  case unreachable(path: String, Errno)
  /// The connection ended before the reply.
  case closed
  /// The system refused to read or write.
  case failed(Errno)
  /// There was no reply in time. One that comes later would be taken for the next call's: make a new client.
  case timedOut
  /// What came was not Varlink.
  case malformed(String)
  /// The service answered with an error.
  case errorReply(VarlinkReply)

  /// One line for people.
  public var description: String {
    switch self {
    case .unreachable(let path, let errno): "cannot connect to \(path): \(errno)"
    case .closed: "the service closed the connection"
    case .failed(let errno): "the connection failed: \(errno)"
    case .timedOut: "the service did not answer in time"
    case .malformed(let detail): "the service sent something that is not Varlink: \(detail)"
    case .errorReply(let reply):
      "the service answered \(reply.error ?? "") \(JSON.object(reply.parameters).text)"
    }
  }
}

/// A client that waits for its replies. For commands and for threads that may block; one thread at a time.
public final class VarlinkClient {
  /// A reply and the descriptors that came with it.
  public struct Answer<Reply> {
    /// The output parameters.
    public let reply: Reply
    /// Those that came with the reply.
    public let descriptors: [SharedDescriptor]
    /// Whether other replies to the same call follow.
    public let continues: Bool
  }

  /// The connected socket. Only this client reads from it.
  public let socket: SharedDescriptor
  private let messageLimit: Int
  private var incoming = MessageInbox()
  private var buffer = [UInt8](repeating: 0, count: 65536)

  /// Connects to the socket at `path`.
  public convenience init(path: String, messageLimit: Int = 16 << 20) throws(VarlinkClientError) {
    do throws(Errno) {
      self.init(socket: SharedDescriptor(try Socket.connect(to: path)), messageLimit: messageLimit)
    } catch {
      throw .unreachable(path: path, error)
    }
  }

  /// Speaks over a socket that is connected already.
  public init(socket: SharedDescriptor, messageLimit: Int = 16 << 20) {
    self.socket = socket
    self.messageLimit = messageLimit
  }

  /// Calls a method and waits for its reply. `timeout`: nil for ever.
  public func call<Method: VarlinkMethod>(
    _ method: Method, more: Bool = false, descriptors: [SharedDescriptor] = [], timeout: Duration? = nil
  ) throws(VarlinkClientError) -> Answer<Method.Reply> {
    try send(method.call(more: more), descriptors: descriptors)
    return try next(Method.self, timeout: timeout)
  }

  /// The next reply to a call of this method that was sent before.
  public func next<Method: VarlinkMethod>(
    _: Method.Type, timeout: Duration? = nil
  ) throws(VarlinkClientError) -> Answer<Method.Reply> {
    let (reply, descriptors) = try receive(timeout: timeout)
    if reply.error != nil { throw .errorReply(reply) }
    do throws(VarlinkDecodingError) {
      return Answer(
        reply: try Method.Reply(object: reply.parameters, unknownMembers: .ignored), descriptors: descriptors,
        continues: reply.continues)
    } catch {
      throw .malformed(error.description)
    }
  }

  /// Sends a call without waiting for a reply. Blocks while the peer does not read.
  public func send(_ call: VarlinkCall, descriptors: [SharedDescriptor] = []) throws(VarlinkClientError) {
    var rest = call.encoded()[...]
    var descriptors = descriptors
    do throws(Errno) {
      while !rest.isEmpty {
        let sent = try Socket.send(rest, descriptors: descriptors, to: socket.rawValue, nonBlocking: false)
        rest = rest.dropFirst(sent)
        descriptors = []
      }
    } catch .brokenPipe {
      throw .closed
    } catch {
      throw .failed(error)
    }
  }

  /// The next reply, whatever it is.
  public func receive(timeout: Duration? = nil) throws(VarlinkClientError) -> (
    VarlinkReply, [SharedDescriptor]
  ) {
    let deadline = timeout.map { MonotonicTime.now + $0 }
    while true {
      if let message = incoming.next() {
        defer { incoming.compact() }
        do throws(VarlinkProtocolError) {
          return (try VarlinkReply(decoding: message.bytes), message.descriptors)
        } catch {
          throw .malformed(error.description)
        }
      }
      guard incoming.count <= messageLimit else {
        throw .malformed("a reply longer than \(messageLimit) bytes")
      }
      try fill(deadline: deadline)
    }
  }

  private func fill(deadline: MonotonicTime?) throws(VarlinkClientError) {
    do throws(Errno) {
      // Also without a deadline: who waits in recvmsg(2) is woken when the service takes the call, too.
      guard try Poll.readable(socket.rawValue, deadline: deadline) else { throw Errno.timedOut }
      let got = try Socket.receive(
        into: &buffer, from: socket.rawValue, maximumDescriptors: 16, nonBlocking: false)
      if got.count == 0 { throw Errno.connectionReset }
      incoming.add(buffer[..<got.count], got.descriptors)
    } catch .timedOut {
      throw .timedOut
    } catch .connectionReset {
      throw .closed
    } catch {
      throw .failed(error)
    }
  }
}
