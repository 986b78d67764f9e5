/// The one type of an extension's program that the system makes an instance of. Mark it with `@main`.
///
/// The instance lives as long as the process. All its code runs on the main actor, which is the main thread.
@MainActor
public protocol AppExtension: Sendable {
  /// The type of `configuration`; the compiler finds it.
  associatedtype Configuration: AppExtensionConfiguration

  /// Decides about connections.
  var configuration: Configuration { get }
  /// The extension point that this extension is for: what `@Bind` makes of an `Identifier`. The default is
  /// `extensionPoint`.
  var boundAppExtensionPoint: AppExtensionPoint { get }
  /// Another name for it, for code that uses that one. Without either, Info.plist alone decides.
  @AppExtensionPoint.Bind var extensionPoint: AppExtensionPoint { get }
  /// Made when the broker has started the program.
  init()
  /// The loop of the main thread, such as GLib's; nil, the default, for the SDK's own. Asked once, before anything is
  /// served.
  var mainLoop: (any ExtensionMainLoop)? { get }
  /// All processes of the extension together use nearly all the memory that they may: `used` of `limit` bytes. Let go of
  /// what can be had again, such as caches; past the limit the extension is ended as `outOfMemory`. Called again only
  /// after less was used, and not at all where the machine cannot tell. The default does nothing.
  func didReceiveMemoryPressure(used: Int, limit: Int)
  /// The process is about to end: save what must be saved, and return soon. Called once. The default does nothing.
  func extensionWillTerminate()
}

extension AppExtension {
  /// So that an extension writes `@Bind`.
  public typealias Bind = AppExtensionPoint.Bind
  /// So that an extension writes `Identifier(host:name:)`.
  public typealias Identifier = AppExtensionPoint.Identifier

  public var boundAppExtensionPoint: AppExtensionPoint { extensionPoint }
  public var extensionPoint: AppExtensionPoint { return .unbound }

  public var mainLoop: (any ExtensionMainLoop)? { nil }

  public func didReceiveMemoryPressure(used: Int, limit: Int) {}

  public func extensionWillTerminate() {}

  /// Serves the broker on the main thread, and does the main actor's work there, until the broker says stop or goes
  /// away. Does not return and does not throw: where it cannot serve, it prints one line to standard error and ends
  /// the process, with 64 if extensiond did not start it, 65 if Info.plist and code disagree.
  public static func main() throws {
    ExtensionService.run { Self() }
  }
}

/// Decides about the connections that hosts make. Called on the main actor. While it decides nothing else is
/// answered, and an extension that takes too long is ended as `unresponsive`.
@MainActor
public protocol AppExtensionConfiguration: Sendable {
  /// The scenes that the extension offers; nil: `accept` decides about each name.
  var scenes: [String]? { get }
  /// Whether the extension wants this connection. One that it accepts it must keep: a connection that nothing holds
  /// is closed.
  func accept(connection: AppExtensionConnection) -> Bool
  /// The same with a reason for the host. The default asks `accept(connection:)`.
  func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision
}

extension AppExtensionConfiguration {
  public var scenes: [String]? { nil }

  public func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    AppExtensionConnection.Decision(accept(connection: connection))
  }
}

/// A configuration made of one closure.
public struct ConnectionHandler: AppExtensionConfiguration {
  public let scenes: [String]?
  private let handler: @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision

  /// A configuration whose closure can say why it refuses.
  /// - Parameters:
  ///   - scenes: The scenes that the extension offers; nil leaves each name to `onConnection`.
  ///   - onConnection: Returns `true`, `.accept`, or `.reject(reason:)`.
  public nonisolated init(
    scenes: [String]? = nil,
    onConnection: @escaping @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision
  ) {
    self.scenes = scenes
    handler = onConnection
  }

  /// The same with a closure that was written for `Bool`.
  @_disfavoredOverload
  public nonisolated init(
    scenes: [String]? = nil, onConnection: @escaping @MainActor (AppExtensionConnection) -> Bool
  ) {
    self.init(scenes: scenes) { connection -> AppExtensionConnection.Decision in
      AppExtensionConnection.Decision(onConnection(connection))
    }
  }

  public func accept(connection: AppExtensionConnection) -> Bool {
    handler(connection) == .accept
  }

  public func decide(on connection: AppExtensionConnection) -> AppExtensionConnection.Decision {
    handler(connection)
  }
}
