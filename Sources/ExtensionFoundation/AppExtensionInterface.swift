public import Varlink

/// What can be asked over a connection. The build plugin makes one of each `.varlink` file of a target that uses this
/// module: `enum GreetingInterface` of `org.example.Greeting.varlink`, with a protocol `Service` for whoever answers
/// and a `Proxy` for whoever asks.
public protocol AppExtensionInterface: VarlinkInterface, Sendable {
  /// What an object must be to answer: `any Service`.
  associatedtype Exported
  /// What the one who asks calls: a method for each of the interface's.
  associatedtype Proxy: Sendable

  /// Makes what asks over a connection. Asks nothing by itself.
  static func makeProxy(for connection: AppExtensionConnection) -> Proxy
  /// The object as a service of this interface. (`any P` does not conform to `P`, so generic code cannot ask.)
  static func cast(_ object: any Sendable) -> Exported?
  /// Has the object answer a call; nil: this interface has no such method.
  static func answer(_ call: AppExtensionCall, by object: Exported) async throws -> AppExtensionAnswer?
  /// The error of this interface that a reply says.
  static func failure(of reply: VarlinkReply) -> (any Error)?
}

extension AppExtensionConnection {
  /// What a peer may ask for: an `AppExtensionInterface`, whatever its type. The place of `NSXPCInterface`.
  public struct Interface: Sendable {
    let type: any AppExtensionInterface.Type
    typealias Answer = @Sendable (AppExtensionCall) async throws -> AppExtensionAnswer?
    /// What has an object answer; nil: it is no service of this interface. Once for all calls: the cast takes long.
    let answer: @Sendable (any Sendable) -> Answer?

    /// The interface of this type, as in `Interface(with: GreetingInterface.self)`.
    public init<I: AppExtensionInterface>(with interface: I.Type) {
      type = interface
      answer = { object in
        guard let service = I.cast(object) else { return nil }
        // The object itself, which is Sendable, by another type.
        nonisolated(unsafe) let answering = service
        return { call in try await unsafe I.answer(call, by: answering) }
      }
    }
  }
}
