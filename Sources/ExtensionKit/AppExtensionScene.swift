public import ExtensionFoundation

/// A part of an extension that a host can show and talk to by itself. Compose one of others in `body`.
@MainActor
public protocol AppExtensionScene {
  /// The type of `body`; the compiler finds it.
  associatedtype Body: AppExtensionScene

  /// The scenes that this one consists of. Asked for whenever they are needed, so it should be cheap.
  @AppExtensionSceneBuilder var body: Body { get }

  /// For this module: appends the primitive scenes that this one consists of. The default asks `body`.
  // A requirement, since a dynamic cast costs milliseconds at the start of the process.
  func _collect(into scenes: inout [PrimitiveAppExtensionScene])
}

extension AppExtensionScene {
  public func _collect(into scenes: inout [PrimitiveAppExtensionScene]) { body._collect(into: &scenes) }
}

extension Never: AppExtensionScene {
  public var body: Never { fatalError("a scene that consists of nothing has no body") }
}

/// Builds the scenes of a `body`.
@MainActor
@resultBuilder
public enum AppExtensionSceneBuilder {
  /// One scene is itself; the compiler calls it.
  public static func buildBlock<S: AppExtensionScene>(_ scene: S) -> S { scene }

  /// Several scenes are a group; the compiler calls it.
  public static func buildBlock<each S: AppExtensionScene>(
    _ scenes: repeat each S
  ) -> AppExtensionSceneGroup<repeat each S> {
    AppExtensionSceneGroup(repeat each scenes)
  }
}

/// Several scenes. A host that has a scene protocol of its own gives it to this type, too:
/// `extension AppExtensionSceneGroup: MyScene where repeat each S: MyScene {}`.
public struct AppExtensionSceneGroup<each S: AppExtensionScene>: AppExtensionScene {
  private let scenes: (repeat each S)

  /// A group of these scenes, in this order.
  public init(_ scenes: repeat each S) { self.scenes = (repeat each scenes) }

  /// Never asked for: a group is made of its scenes.
  public var body: Never { fatalError("a group of scenes has no body") }

  public func _collect(into found: inout [PrimitiveAppExtensionScene]) {
    for scene in repeat each scenes { scene._collect(into: &found) }
  }
}

/// A scene with a name, contents, and a decision about each connection that a host makes to it.
public struct PrimitiveAppExtensionScene: AppExtensionScene {
  /// The name by which hosts ask for it.
  public let id: String
  let present: @MainActor (SceneContext) throws -> Void
  let onConnection: @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision

  /// A scene whose closure can say why it refuses a connection.
  /// - Parameters:
  ///   - id: The name by which hosts ask for it.
  ///   - content: What it shows. Called once for each instance that is shown.
  ///   - onConnection: Called for each connection to an instance. Returns `true`, `.accept`, or `.reject(reason:)`.
  public init<Content: SceneContent>(
    id: String, content: @escaping @MainActor () -> Content,
    onConnection: @escaping @MainActor (AppExtensionConnection) -> AppExtensionConnection.Decision
  ) {
    self.id = id
    present = { context in try content().present(in: context) }
    self.onConnection = onConnection
  }

  /// A scene whose closure says `Bool`, without a reason for the host.
  @_disfavoredOverload
  public init<Content: SceneContent>(
    id: String, content: @escaping @MainActor () -> Content,
    onConnection: @escaping @MainActor (AppExtensionConnection) -> Bool
  ) {
    self.init(id: id, content: content) { connection -> AppExtensionConnection.Decision in
      onConnection(connection) ? .accept : false
    }
  }

  /// Never asked for: a primitive scene is made of no others.
  public var body: Never { fatalError("the primitive scene \(id) has no body") }

  public func _collect(into scenes: inout [PrimitiveAppExtensionScene]) { scenes.append(self) }
}
