import ExtensionInterfaces
import LinuxSystem
import Varlink

extension FuzzTarget {
  /// A service and a peer that sends what it likes: each call that wants a reply has one, up to the first that breaks the
  /// protocol.
  static let service = FuzzTarget("service") { bytes in
    let description = ServiceDescription(
      vendor: "", product: "fuzz", version: "1", url: "",
      interfaces: [BrokerInterface.self, AdminInterface.self])
    let peer = must("connecting") { try Peer(bytes, piece: 100) }
    let service = must("connecting") {
      try ServiceConnection(
        peer.connection(), on: peer.loop, limits: .init(messageBytes: 1024), description: description)
    }
    var isOver = false
    service.onCall = { [unowned service] call in
      let isKnown =
        (try? BrokerInterface.Call(call)) ?? nil != nil || (try? AdminInterface.Call(call)) ?? nil != nil
      service.reply(
        isKnown ? VarlinkReply() : ServiceInterface.MethodNotFound(method: call.method).reply)
    }
    service.onEnd = { _ in isOver = true }
    must("serving") {
      try peer.feed {
      } until: {
        isOver
      }
    }

    var wanted = 0
    for message in bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
      guard message.count <= 1024, let call = try? VarlinkCall(decoding: message) else { break }
      if !call.oneway { wanted += 1 }
    }
    let replies = peer.received.split(separator: 0, omittingEmptySubsequences: false).dropLast()
    expect(replies.count == wanted, "\(wanted) calls had \(replies.count) replies")
    for reply in replies { _ = must("reading a reply") { try VarlinkReply(decoding: reply) } }
  }
}
