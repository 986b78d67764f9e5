public import CGTK
internal import CSceneView
public import ExtensionFoundation
public import ExtensionKit
internal import GTKSupport
internal import LinuxSystem

/// A widget of GTK 4 that shows a scene of an extension: `EXHostViewController`'s view, for hosts in Swift.
///
/// Set `configuration`, put `widget` somewhere, and the scene is activated, connected and shown; a placeholder is seen before
/// and afterwards. Everything is on GTK's thread, which is the main one. GLib's loop does `@MainActor` work from the first
/// view on.
@MainActor @safe
public final class SceneView {
  /// The widget, an `ExtkSceneView`. It lives as long as this or a parent has it.
  public let widget: UnsafeMutablePointer<GtkWidget>
  /// Who is told of the scene's beginning and end. Not kept alive.
  public weak var delegate: (any SceneViewDelegate)?
  /// Activates the scene. Its delegate is this view.
  private let controller = HostSceneController()
  private var connection: AppExtensionConnection?
  /// The extension's window is on it.
  private var display: SceneDisplay?
  /// Counts scenes: what belongs to an earlier one is known for it.
  private var generation = 0
  /// What is on its way to be shown.
  private var task: Task<Void, Never>?

  /// A view that shows its placeholder. GTK must have been initialized.
  public init() {
    unsafe widget = extk_scene_view_new()
    unsafe g_object_ref_sink(widget)
    ExtensionMainQueue.attachToGLib()
    controller.delegate = self
    unsafe widget.on("did-activate") { [unowned self] in self.isSeen() }
    connectEnd()
  }

  isolated deinit {
    task?.cancel()
    unsafe g_signal_handlers_disconnect_matched(
      widget, G_SIGNAL_MATCH_DATA, 0, 0, nil, nil, Unmanaged.passUnretained(self).toOpaque())
    unsafe extk_scene_view_clear(view)
    unsafe g_object_unref(widget)
  }

  private var view: OpaquePointer { unsafe OpaquePointer(widget) }

  /// Which scene of which extension; nil: the placeholder. Set it at any time. The same value again does nothing while the
  /// scene is active or on its way, and tries anew after an end.
  public var configuration: HostSceneController.Configuration? {
    get { controller.configuration }
    set {
      if newValue != controller.configuration { forget() }
      controller.configuration = newValue
    }
  }

  /// How far the scene is. `.active`: it is activated; `isShown` is whether it has drawn.
  public var state: HostSceneController.State { controller.state }

  /// Whether there is a scene to be seen.
  public var isShown: Bool { unsafe extk_scene_view_get_shown(view) != 0 }

  /// False while the extension has not answered for five seconds.
  public var isResponsive: Bool { unsafe extk_scene_view_get_responsive(view) != 0 }

  /// The title of the scene's window.
  public var title: String? { unsafe extk_scene_view_get_title(view).map { unsafe String(cString: $0) } }

  /// What is seen while there is no scene.
  public var placeholder: UnsafeMutablePointer<GtkWidget>? {
    get { unsafe extk_scene_view_get_placeholder(view) }
    set { unsafe extk_scene_view_set_placeholder(view, newValue) }
  }

  /// Whether the view is at least as large as the scene would like to be. Otherwise the host alone says how large.
  public var fitsScene: Bool {
    get { unsafe extk_scene_view_get_fits(view) != 0 }
    set { unsafe extk_scene_view_set_fits(view, newValue ? 1 : 0) }
  }

  /// The colour for what is chosen and what is suggested, 0xRRGGBB; nil: the toolkit's own. For extensions that use the SDK's
  /// contents.
  public var tint: UInt32? {
    get {
      let tint = unsafe extk_scene_view_get_tint(view)
      return tint < 0 ? nil : UInt32(tint)
    }
    set { unsafe extk_scene_view_set_tint(view, newValue.map { CInt($0 & 0xff_ffff) } ?? -1) }
  }

  /// One more connection to the scene that is shown.
  /// - Throws: `AppExtensionError`; with the code `activationEnded` while nothing is active.
  public func makeConnection() async throws -> AppExtensionConnection {
    try await controller.makeConnection()
  }

  // MARK: Its way to the screen

  private func show() {
    generation += 1
    let generation = generation
    task = Task { [weak self] in
      do {
        guard let (connection, display) = try await self?.controller.makeConnectionAndDisplay() else {
          return
        }
        try self?.show(connection, display, generation)
      } catch {
        self?.failed(error, generation)
      }
    }
  }

  private func show(
    _ connection: AppExtensionConnection, _ display: SceneDisplay, _ generation: Int
  ) throws {
    guard generation == self.generation else { return connection.invalidate() }
    self.connection = connection
    self.display = display
    let socket = try display.takeSocket()?.descriptor.duplicate().take() ?? -1
    var error: UnsafeMutablePointer<GError>?
    guard
      unsafe extk_scene_view_show_scene(
        view, socket, display.instanceID, display.isUnmodified ? nil : connection.activationID, &error) != 0
    else {
      defer { unsafe g_clear_error(&error) }
      throw AppExtensionError(.displayUnavailable, unsafe error.message)
    }
  }

  private func failed(_ error: any Error, _ generation: Int) {
    guard generation == self.generation else { return }
    end(error)
  }

  private func isSeen() {
    guard let connection else { return }
    delegate?.sceneViewDidActivate(self, connection: connection)
  }

  /// Nothing of the scene is shown any more, and nobody is told.
  private func forget() {
    generation += 1
    task?.cancel()
    task = nil
    unsafe extk_scene_view_clear(view)
    connection = nil
    display = nil
  }

  /// It has ended by itself: the view is a placeholder, also for whoever is told.
  private func end(_ error: any Error) {
    forget()
    let configuration = controller.configuration
    // The delegate may try anew at once.
    controller.delegate = nil
    controller.configuration = nil
    controller.delegate = self
    delegate?.sceneViewWillDeactivate(self, configuration: configuration, error: error)
  }

  private func connectEnd() {
    let call:
      @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<GError>?, UnsafeMutableRawPointer?) ->
        Void = {
          _, error, context in
          let text = unsafe error.map { _ in unsafe error.message }
          guard let text, let context = unsafe context else { return }
          let view = unsafe Unmanaged<SceneView>.fromOpaque(context).takeUnretainedValue()
          MainActor.assumeIsolated { view.hasGone(text) }
        }
    unsafe g_signal_connect_data(
      widget, "will-deactivate", unsafeBitCast(call, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(0))
  }

  /// The extension's window has gone. The broker knows best why, and says it soon where the process has ended.
  private func hasGone(_ message: String) {
    let generation = generation
    task = Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(500))
      guard !Task.isCancelled else { return }
      self?.failed(AppExtensionError(.activationEnded, message), generation)
    }
  }
}

extension SceneView: HostSceneControllerDelegate {
  /// For the controller.
  public func hostViewControllerDidActivate(_ controller: HostSceneController) { show() }

  /// For the controller.
  public func hostViewControllerWillDeactivate(_ controller: HostSceneController, error: (any Error)?) {
    let configuration = controller.configuration
    forget()
    delegate?.sceneViewWillDeactivate(self, configuration: configuration, error: error)
  }
}

extension Optional<UnsafeMutablePointer<GError>> {
  fileprivate var message: String {
    unsafe self.flatMap { unsafe $0.pointee.message }.map { unsafe String(cString: $0) }
      ?? "no reason was given"
  }
}

/// What a host is told of a view's scene. Called on the main actor. Both have defaults that do nothing.
@MainActor
public protocol SceneViewDelegate: AnyObject {
  /// The scene is seen for the first time.
  /// - Parameters:
  ///   - view: The one that shows it.
  ///   - connection: To this instance of the scene; `resume()` it to use it.
  func sceneViewDidActivate(_ view: SceneView, connection: AppExtensionConnection)
  /// The scene has ended, could not be activated or shown, or is about to be replaced. The view shows its placeholder; the
  /// delegate may set its configuration at once.
  /// - Parameters:
  ///   - view: The one that showed it.
  ///   - configuration: That of the scene that ends.
  ///   - error: Why; nil where the host wanted it.
  func sceneViewWillDeactivate(
    _ view: SceneView, configuration: HostSceneController.Configuration?, error: (any Error)?)
}

extension SceneViewDelegate {
  public func sceneViewDidActivate(_ view: SceneView, connection: AppExtensionConnection) {}
  public func sceneViewWillDeactivate(
    _ view: SceneView, configuration: HostSceneController.Configuration?, error: (any Error)?
  ) {}
}
