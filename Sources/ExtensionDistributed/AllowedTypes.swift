internal import ExtensionFoundation
internal import Synchronization
internal import Varlink

/// The types whose values may come and go over one connection.
final class AllowedTypes: Sendable {
  private struct State {
    /// By their mangled names. Names that the peer sends are looked up here, and nowhere else.
    var named: [String: any (Codable & Sendable).Type] = [:]
    /// These, and standard types of them that were seen.
    var allowed: Set<ObjectIdentifier> = []
  }

  private let state = Mutex(State())

  func allow(_ type: any (Codable & Sendable).Type) {
    guard let name = _mangledTypeName(type) else {
      preconditionFailure(
        "\(type) has no name that another program could know: declare it outside of functions")
    }
    state.withLock { state in
      state.named[name] = type
      state.allowed.insert(ObjectIdentifier(type))
    }
  }

  // MARK: Values

  func checkBeforeSending(_ type: any Any.Type, _ subject: String) throws(AppExtensionError) {
    guard let missing = missing(in: type) else { return }
    throw AppExtensionError(
      .invalidParameter, "\(subject) has the type \(missing); both sides must allow(\(missing).self)")
  }

  func checkWhatCame(_ type: any Any.Type) throws(DistributedInterface.NotAllowed) {
    guard let missing = missing(in: type) else { return }
    throw DistributedInterface.NotAllowed(message: "values of the type \(missing)")
  }

  /// The first type that is not allowed: this one, or a part of it.
  private func missing(in type: any Any.Type) -> (any Any.Type)? {
    let identifier = ObjectIdentifier(type)
    if state.withLock({ $0.allowed.contains(identifier) }) { return nil }
    guard let standard = type as? any StandardType.Type else { return type }
    for part in standard.parts {
      if let missing = missing(in: part) { return missing }
    }
    state.withLock { _ = $0.allowed.insert(identifier) }
    return nil
  }

  // MARK: Errors

  /// An error that a method has thrown, as the peer gets it: whole, where that is allowed.
  func reply(to error: any Error) -> any Error {
    guard let value = error as? any Codable, missing(in: type(of: value)) == nil,
      let name = _mangledTypeName(type(of: value)), let json = try? ValueEncoder.encode(value)
    else { return error }
    return DistributedInterface.Thrown(type: name, value: json == .null ? nil : json, message: "\(error)")
  }

  /// The error that the peer's method has thrown; nil where that may not come.
  func error(_ thrown: DistributedInterface.Thrown) -> (any Error)? {
    guard let type = state.withLock({ $0.named[thrown.type] }), type is any Error.Type else { return nil }
    return (try? ValueDecoder.decode(type, from: thrown.value ?? .null)) as? any Error
  }
}

/// Types that need not be allowed, if their parts are.
protocol StandardType {
  static var parts: [any Any.Type] { get }
}

extension Optional: StandardType { static var parts: [any Any.Type] { [Wrapped.self] } }
extension Array: StandardType { static var parts: [any Any.Type] { [Element.self] } }
extension Set: StandardType { static var parts: [any Any.Type] { [Element.self] } }
extension Dictionary: StandardType { static var parts: [any Any.Type] { [Key.self, Value.self] } }
