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

    fileprivate var flag: String? { self == .single ? nil : rawValue }
    fileprivate init?(flag: String) {
      guard flag != Mode.single.rawValue else { return nil }
      self.init(rawValue: flag)
    }
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

  private init(method: String, payload: Payload, mode: Mode) {
    self.method = method
    self.payload = payload
    self.mode = mode
  }

  init(_ method: String, encoding structure: some VarlinkStructure, mode: Mode) {
    let payload = Payload(encoding: structure, after: ("\"method\":", method), flag: mode.flag)
    self.init(method: method, payload: payload, mode: mode)
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

  /// Whether `interface` is this one, without making a text of it.
  package func isCall(of interface: any VarlinkInterface.Type) -> Bool {
    let method = method.utf8.span
    let ownName = interface.name
    let name = ownName.utf8.span
    guard method.count > name.count, method[name.count] == UInt8(ascii: ".") else { return false }
    for index in name.indices where method[index] != name[index] { return false }
    for index in name.count + 1..<method.count where method[index] == UInt8(ascii: ".") { return false }
    return true
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
    guard let method = try envelope.text("method") else {
      throw VarlinkProtocolError("The call names no method.")
    }
    let parameters = try envelope.parameters
    let mode = try Self.mode(envelope)
    try envelope.finish { $0 == "parameters" || $0 == "method" || Mode(flag: $0) != nil }
    self.init(method: method, parameters: parameters, mode: mode)
  }

  private static func mode(_ envelope: Envelope) throws(VarlinkProtocolError) -> Mode {
    let (oneway, more, upgrade) = (
      try envelope.flag("oneway"), try envelope.flag("more"), try envelope.flag("upgrade")
    )
    switch (oneway, more, upgrade) {
    case (false, false, false): return .single
    case (true, false, false): return .oneway
    case (false, true, false): return .more
    case (false, false, true): return .upgrade
    default:
      let names = [(oneway, "oneway"), (more, "more"), (upgrade, "upgrade")].filter(\.0).map(\.1)
      throw VarlinkProtocolError(
        "The call sets several of the flags of which one is allowed: \(names.joined(separator: ", ")).")
    }
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
    payload.encoded(after: ("\"method\":", method), flag: mode.flag)
  }
}
