/// A call, from client to service (UAPI.20, "Call").
public struct VarlinkCall: Hashable, Sendable {
  /// How many replies the caller wants. The protocol's three flags, of which a call has one at most.
  public enum Mode: String, Hashable, Sendable {
    /// One reply.
    case single
    /// None.
    case oneway
    /// Any number; the last one says so.
    case more
    /// One, after which the connection speaks another protocol.
    case upgrade
  }

  /// Fully qualified, like `org.varlink.service.GetInfo`.
  public let method: String
  /// How many replies the caller wants.
  public let mode: Mode
  private let payload: Payload

  /// A call by the method's full name. Nothing is checked.
  public init(method: String, parameters: JSONObject = JSONObject(), mode: Mode = .single) {
    self.init(method: method, payload: Payload(parameters), mode: mode)
  }

  init(method: String, payload: Payload, mode: Mode) {
    self.method = method
    self.payload = payload
    self.mode = mode
  }

  /// The input parameters; empty if the call has none.
  public var parameters: JSONObject { payload.object }
  /// Whether it gets no reply.
  public var oneway: Bool { mode == .oneway }
  /// Whether it may get many replies.
  public var more: Bool { mode == .more }
  /// Whether the connection speaks another protocol afterwards.
  public var upgrade: Bool { mode == .upgrade }

  /// What comes before the last dot of `method`.
  public var interface: Substring {
    method.utf8.lastIndex(of: UInt8(ascii: ".")).map { method[..<$0] } ?? ""
  }
}

extension VarlinkCall {
  /// Reads a call from a message, without the NUL that ends it.
  ///
  /// - Throws: `VarlinkProtocolError` if the connection must be closed.
  public init(decoding bytes: Span<UInt8>) throws(VarlinkProtocolError) {
    try self.init(Envelope(bytes, kind: "call"))
  }

  init(_ envelope: Envelope) throws(VarlinkProtocolError) {
    var envelope = envelope
    guard let method: String = try envelope.take("method") else {
      throw VarlinkProtocolError("The call names no method.")
    }
    let parameters: JSONObject? = try envelope.take("parameters")
    var modes: [Mode] = []
    for mode in [Mode.oneway, .more, .upgrade] {
      let isSet: Bool? = try envelope.take(mode.rawValue)
      if isSet == true { modes.append(mode) }
    }
    guard modes.count <= 1 else {
      let names = modes.map(\.rawValue).joined(separator: ", ")
      throw VarlinkProtocolError("The call sets several of the flags of which one is allowed: \(names).")
    }
    try envelope.finish()
    self.init(method: method, parameters: parameters ?? JSONObject(), mode: modes.first ?? .single)
  }

  /// Reads a call from a message, without the NUL that ends it.
  public init(decoding bytes: [UInt8]) throws(VarlinkProtocolError) {
    try self.init(decoding: bytes.span)
  }

  /// Reads a call from a part of what came, without the NUL that ends it.
  public init(decoding bytes: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
    try self.init(decoding: bytes.span)
  }

  /// The message, with the NUL that ends it.
  public func encoded() -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member(encoded: "\"method\":", method)
    payload.write(to: &writer)
    if mode != .single { writer.member(mode.rawValue, true) }
    writer.endObject()
    writer.endMessage()
    return writer.bytes
  }
}
