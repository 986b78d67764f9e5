internal import BrokerCore
internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// One peer: its Varlink connection, and the calls that it makes of it.
final class PeerConnection {
  let id: PeerID
  let peer: Peer
  private let connection: ServiceConnection

  /// A call that the broker has to answer.
  var onEvent: ((Event) -> Void)?
  var onEnd: ((String?) -> Void)?

  init(
    _ socket: consuming FileDescriptor, id: PeerID, peer: Peer, on loop: EventLoop, limits: Limits
  ) throws(Errno) {
    self.id = id
    self.peer = peer
    connection = try ServiceConnection(
      socket, on: loop,
      limits: .init(
        messageBytes: limits.messageBytes,
        queuedBytes: limits.queuedBytesPerConnection, aloneBytes: limits.answerBytes,
        messagesPerTurn: limits.messagesPerTurn),
      description: ServiceDescription(
        vendor: "extensiond", product: peer.door == .host ? "Extension broker" : "Extension administration",
        version: Version.current, url: "https://extensiond.io/",
        interfaces: peer.door == .host ? [BrokerInterface.self] : [AdminInterface.self]))
    connection.onCall = { [unowned self] in self.take($0) }
    connection.onEnd = { [unowned self] in self.onEnd?($0) }
    connection.onBlocked = { [unowned self] in
      self.onEvent?($0 ? .peerBlocked(self.id) : .peerDrained(self.id))
    }
  }

  private func take(_ call: VarlinkCall) {
    let request = RequestID(peer: id, serial: connection.serial)
    guard !call.upgrade else {
      return connection.reply(ServiceInterface.MethodNotImplemented(method: call.method).reply)
    }
    do throws(VarlinkDecodingError) {
      switch peer.door {
      case .host:
        if let typed = try BrokerInterface.Call(call) {
          onEvent?(.hostCall(request, typed, more: call.more))
          return
        }
      case .admin:
        if let typed = try AdminInterface.Call(call) {
          onEvent?(.adminCall(request, typed, more: call.more))
          return
        }
      }
      connection.reply(ServiceInterface.MethodNotFound(method: call.method).reply)
    } catch {
      connection.reply(ServiceInterface.InvalidParameter(parameter: error.path).reply)
    }
  }

  /// Answers a call, unless it is not the current one any more.
  func reply(_ request: RequestID, _ reply: VarlinkReply, descriptors: [SharedDescriptor] = []) {
    guard request.serial == connection.serial else { return }
    connection.reply(reply, descriptors: descriptors)
  }

  /// The same for a stream that goes on, encoded: the bytes are shared with other connections.
  func tell(_ request: RequestID, _ message: [UInt8]) {
    guard request.serial == connection.serial else { return }
    connection.tell(message)
  }

  func close() { connection.close() }
}
