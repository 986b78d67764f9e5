/// A reply, from service to client (UAPI.20, "Reply").
public struct VarlinkReply: Hashable, Sendable {
  /// Other replies to the same call follow.
  public let continues: Bool
  /// The fully qualified name of the error with which the call failed.
  public let error: String?
  private let payload: Payload

  /// An answer; with `continues` others follow.
  public init(parameters: JSONObject = JSONObject(), continues: Bool = false) {
    self.init(payload: Payload(parameters), continues: continues, error: nil)
  }

  /// An error by its full name. It ends the call.
  public init(error: String, parameters: JSONObject = JSONObject()) {
    self.init(payload: Payload(parameters), continues: false, error: error)
  }

  private init(payload: Payload, continues: Bool, error: String?) {
    self.payload = payload
    self.continues = continues
    self.error = error
  }

  init(encoding structure: some VarlinkStructure, continues: Bool = false, error: String? = nil) {
    let payload = Payload(
      encoding: structure, after: error.map { ("\"error\":", $0) }, flag: continues ? "continues" : nil)
    self.init(payload: payload, continues: continues, error: error)
  }

  /// The output parameters, or those of the error; empty if the reply has none.
  public var parameters: JSONObject { payload.object }
}

extension VarlinkReply {
  /// Reads a reply from a message, without the NUL that ends it.
  ///
  /// - Throws: `VarlinkProtocolError` if the connection must be closed.
  public init(decoding bytes: Span<UInt8>) throws(VarlinkProtocolError) {
    try self.init(Envelope(bytes, kind: "reply"))
  }

  init(_ envelope: Envelope) throws(VarlinkProtocolError) {
    let parameters = try envelope.parameters
    let continues = try envelope.flag("continues")
    let error = try envelope.text("error")
    try envelope.finish { $0 == "parameters" || $0 == "continues" || $0 == "error" }
    guard !continues || error == nil else {
      throw VarlinkProtocolError("An error ends its call, but this reply says that others follow.")
    }
    self.init(payload: Payload(parameters), continues: continues, error: error)
  }

  /// Reads a reply from a message, without the NUL that ends it.
  public init(decoding bytes: [UInt8]) throws(VarlinkProtocolError) {
    try self.init(decoding: bytes.span)
  }

  /// Reads a reply from a part of what came, without the NUL that ends it.
  public init(decoding bytes: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
    try self.init(decoding: bytes.span)
  }

  /// The message, with the NUL that ends it.
  public func encoded() -> [UInt8] {
    payload.encoded(after: error.map { ("\"error\":", $0) }, flag: continues ? "continues" : nil)
  }
}
