/// The one type of an extension's program that the system makes an instance of. Mark it with `@main`.
@MainActor
public protocol AppExtension: Sendable {
  associatedtype Configuration: AppExtensionConfiguration

  /// Decides about connections.
  var configuration: Configuration { get }
  /// The extension point that this extension is for.
  var boundAppExtensionPoint: AppExtensionPoint { get }
  init()
}

extension AppExtension {
  public typealias Bind = AppExtensionPoint.Bind
  public typealias Identifier = AppExtensionPoint.Identifier

  /// Serves the broker on the main thread, and does the main actor's work there, until the broker says stop.
  /// Prints one line and ends the process where it cannot begin.
  public static func main() throws {
    let instance = Self()
    ExtensionService.run(configuration: instance.configuration, point: instance.boundAppExtensionPoint)
  }
}

/// Decides about the connections that hosts make. Called on the main actor; while it decides, nothing else is
/// answered, and the broker waits only for a while.
@MainActor
public protocol AppExtensionConfiguration: Sendable {
  /// The scenes that the extension offers; nil: `accept` decides about each name.
  var scenes: [String]? { get }
  func accept(connection: AppExtensionConnection) -> Bool
  /// The same with a reason for the host. The default asks `accept(connection:)`.
  func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision
}

extension AppExtensionConfiguration {
  public var scenes: [String]? { nil }

  public func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    accept(connection: connection) ? .accept : .reject(reason: "the extension refused the connection")
  }
}

/// A configuration made of one closure.
public struct ConnectionHandler: AppExtensionConfiguration {
  public let scenes: [String]?
  private let handler: @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision

  public nonisolated init(
    scenes: [String]? = nil,
    onConnection: @escaping @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision
  ) {
    self.scenes = scenes
    handler = onConnection
  }

  @_disfavoredOverload
  public nonisolated init(
    scenes: [String]? = nil, onConnection: @escaping @MainActor (AppExtensionConnection) -> Bool
  ) {
    self.init(scenes: scenes) { connection -> AppExtensionConnection.Decision in
      onConnection(connection) ? .accept : .reject(reason: "the extension refused the connection")
    }
  }

  public func accept(connection: AppExtensionConnection) -> Bool {
    if case .accept = handler(connection) { true } else { false }
  }

  public func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    handler(connection)
  }
}
