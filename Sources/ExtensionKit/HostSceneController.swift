public import ExtensionFoundation

/// The host's side of one instance of a scene: the place of `EXHostViewController`. A host may have any number of them,
/// also for one scene.
///
/// It begins as a placeholder, activates the scene when it gets a configuration, and goes back when the scene ends.
@MainActor
public final class HostSceneController {
  /// Which scene of which extension.
  public struct Configuration: Hashable, Sendable {
    /// The extension, as a monitor found it.
    public var appExtension: AppExtensionIdentity
    /// The scene's name, as the extension gives it.
    public var sceneID: String

    /// Nothing is checked until a controller activates it.
    public nonisolated init(appExtension: AppExtensionIdentity, sceneID: String) {
      self.appExtension = appExtension
      self.sceneID = sceneID
    }
  }

  /// How far the scene is.
  public enum State: Sendable {
    /// There is nothing to show: no configuration, or the scene has ended.
    case placeholder
    /// The extension is being started, or asked.
    case activating
    /// `makeConnection()` works.
    case active
  }

  /// Set it at any time: what was active is deactivated, and the new scene activated. The same value again does
  /// nothing while it is active or on its way, and tries anew after an end.
  public var configuration: Configuration? {
    // The delegate is told while the configuration is still that of the scene that ends.
    willSet { if newValue != configuration { deactivate(error: nil) } }
    didSet {
      if state == .placeholder { return activate() }
      // The delegate has set another one while it was told of the end.
      guard configuration != begun else { return }
      deactivate(error: nil)
      activate()
    }
  }
  /// How far the scene is. It has changed already when the delegate is told.
  public private(set) var state = State.placeholder
  /// Who is told when the scene begins and ends. Not kept alive.
  public weak var delegate: (any HostSceneControllerDelegate)?

  private var process: AppExtensionProcess?
  /// What is active or on its way.
  private var begun: Configuration?
  /// Counts configurations, so that what belongs to an earlier one is known for it.
  private var generation = 0

  /// A placeholder: nothing runs until it has a configuration.
  public nonisolated init() {}

  /// A new connection to this instance of the scene. Blocks until the extension has answered.
  /// - Throws: `AppExtensionError`; with the code `activationEnded` while nothing is active.
  public func makeConnection() throws -> AppExtensionConnection { try active().makeConnection() }

  /// The same without blocking.
  public func makeConnection() async throws -> AppExtensionConnection {
    try await active().makeConnection()
  }

  /// A new connection to this instance of the scene, for a host that shows it, and the display on which it is shown. All
  /// scenes of one process of the extension have the same display: give it to a compositor once, and keep it as long as
  /// one of them is shown.
  /// - Throws: `AppExtensionError`; with the code `displayUnavailable` where the extension cannot be shown, or this program
  ///   has let go of its display.
  public func makeConnectionAndDisplay() async throws -> (
    connection: AppExtensionConnection, display: SceneDisplay
  ) {
    let process = try active()
    guard let configuration = begun else { throw AppExtensionError(.activationEnded, "no scene is active") }
    return try await Blocking.run {
      try SceneDisplay.connect(process, of: configuration.appExtension.id)
    }
  }

  private func active() throws -> AppExtensionProcess {
    guard let process else {
      throw AppExtensionError(
        .activationEnded, "no scene is active; wait for hostViewControllerDidActivate(_:)")
    }
    return process
  }

  private func activate() {
    guard let configuration else { return }
    state = .activating
    begun = configuration
    let generation = generation
    Task { [weak self] in
      do {
        let process = try await AppExtensionProcess(
          configuration: .init(
            appExtensionIdentity: configuration.appExtension, sceneID: configuration.sceneID
          ) { reason in
            Task { @MainActor in self?.interrupted(generation, reason) }
          })
        // Dropped, and with it invalidated, where another configuration came meanwhile.
        self?.activated(generation, process)
      } catch {
        self?.failed(generation, error)
      }
    }
  }

  private func activated(_ generation: Int, _ process: AppExtensionProcess) {
    guard generation == self.generation, state == .activating else { return process.invalidate() }
    self.process = process
    state = .active
    delegate?.hostViewControllerDidActivate(self)
  }

  private func failed(_ generation: Int, _ error: any Error) {
    guard generation == self.generation, state == .activating else { return }
    self.generation += 1
    state = .placeholder
    delegate?.hostViewControllerWillDeactivate(self, error: error)
  }

  private func interrupted(_ generation: Int, _ reason: AppExtensionProcess.EndReason) {
    let error = AppExtensionError(.activationEnded, "the extension has ended: \(reason)", reason: reason)
    guard generation == self.generation else { return }
    // It may have ended before this was told that it began.
    if state == .active { deactivate(error: error) } else { failed(generation, error) }
  }

  private func deactivate(error: (any Error)?) {
    let wasActive = state == .active
    generation += 1
    // Before the delegate is told, so that it may set a configuration meanwhile.
    state = .placeholder
    guard wasActive else { return }
    delegate?.hostViewControllerWillDeactivate(self, error: error)
    process?.invalidate()
    process = nil
  }
}

/// What a host is told of one scene. Called on the main actor. Both have defaults that do nothing.
@MainActor
public protocol HostSceneControllerDelegate: AnyObject {
  /// The scene can be connected to.
  func hostViewControllerDidActivate(_ controller: HostSceneController)
  /// The scene has ended, could not be activated, or is about to be replaced. The controller is a placeholder again;
  /// the delegate may set its configuration at once: the same tries anew.
  /// - Parameters:
  ///   - controller: The one of the scene. Its configuration is still that of the scene that ends.
  ///   - error: Why it ended or could not begin; nil where the host wanted it.
  func hostViewControllerWillDeactivate(_ controller: HostSceneController, error: (any Error)?)
}

extension HostSceneControllerDelegate {
  public func hostViewControllerDidActivate(_ controller: HostSceneController) {}
  public func hostViewControllerWillDeactivate(_ controller: HostSceneController, error: (any Error)?) {}
}

/// For code that is shared with macOS.
public typealias EXHostViewController = HostSceneController
/// For code that is shared with macOS.
public typealias EXHostViewControllerDelegate = HostSceneControllerDelegate
