internal import ExtensionFoundation
internal import LinuxSystem

/// One instance of a scene, as its contents see it.
@MainActor
public final class SceneContext {
  /// The scene's name.
  public let sceneID: String
  /// The use of the extension that shows it. 'extctl' prints the same, and to the host it says whose a window is.
  public let activationID: String
  /// The host's colour for what is chosen and what is suggested, 0xRRGGBB; nil: the toolkit's own. Set by contents that hear
  /// of it from the host, as `GTKContent` does; the presentation is then updated.
  public var tint: UInt32? {
    didSet { if tint != oldValue { update(self) } }
  }

  private var update: @MainActor (SceneContext) -> Void = { _ in }
  /// nil while there is no presentation.
  private var dismantle: (@MainActor () -> Void)?

  /// Those that have not ended, by their activations.
  private static var current: [String: SceneContext] = [:]

  init(sceneID: String, activationID: String) {
    self.sceneID = sceneID
    self.activationID = activationID
  }

  /// Ends this instance: what is shown is dismantled. Contents call it when the host says so; it may be called at any time.
  public func end() {
    Self.current[activationID] = nil
    update = { _ in }
    let dismantle = dismantle
    self.dismantle = nil
    dismantle?()
  }

  func keep(
    update: @escaping @MainActor (SceneContext) -> Void, dismantle: @escaping @MainActor () -> Void
  ) {
    // It may have ended while it was made.
    guard Self.current[activationID] === self else { return dismantle() }
    self.update = update
    self.dismantle = dismantle
  }

  /// A connection of a host that shows the scene was accepted: with the first one of an activation the presentation is
  /// made, after the broker has its answer. A toolkit's first step waits for the host, which waits for that.
  static func begin(_ scene: PrimitiveAppExtensionScene, for activationID: String) {
    guard current[activationID] == nil else { return }
    let context = SceneContext(sceneID: scene.id, activationID: activationID)
    current[activationID] = context
    Task {
      do { try scene.present(context) } catch {
        CurrentProcess.printError("the scene \(scene.id) cannot be shown: \(error)")
        context.end()
      }
    }
  }
}
