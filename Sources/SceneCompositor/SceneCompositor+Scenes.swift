// Which window is which scene's.

extension SceneCompositor {
  /// A scene that the host will show as soon as its window appears.
  /// - Parameters:
  ///   - token: unique; nil for the one scene of a program that knows nothing of scenes.
  ///   - size: nil where the extension chooses.
  public func makeScene(token: String?, size: (width: Int, height: Int)?) -> Scene {
    let scene = Scene(token: token, size: size, in: self)
    scenes.append(scene)
    for window in windows where window.isShown { assign(window) }
    return scene
  }

  /// The one that a window is or will be; nil for dialogs, and where nobody has said it yet.
  func scene(of window: Window) -> Scene? {
    if let scene = window.scene { return scene.window === window ? scene : nil }
    guard window.parent == nil else { return nil }
    switch naming {
    case .byToken:
      guard let surface = window.surface else { return nil }
      return scenes.first { $0.token == surface.sceneToken ?? window.title && $0.window == nil }
    case .oneScene:
      return scenes.first { $0.window == nil }
    }
  }

  /// A window has pixels now: whose is it?
  func assign(_ window: Window) {
    // A dialog whose parent is gone stays where it was.
    guard !window.isWithdrawn else { return }
    if let scene = window.scene ?? window.parent?.scene {
      guard !scene.isWithdrawn else { return window.isWithdrawn = true }
      guard scene.window !== window else { return }
      window.scene = scene
      if scene.window == nil, window.parent == nil, naming == .oneScene { return scene.show(window) }
      return scene.popupsChanged()
    }
    if window.parent?.isWithdrawn == true {
      window.isWithdrawn = true
    } else if let scene = scene(of: window) {
      scene.show(window)
      // Dialogs that were shown before it.
      for dialog in windows where dialog.isShown && dialog.parent === window { assign(dialog) }
    } else if naming == .oneScene, let scene = scenes.first {
      window.scene = scene
      scene.popupsChanged()
    } else if !hasNotedUntagged, window.parent == nil {
      hasNotedUntagged = true
      onNote?("a window that is no scene's is not shown: '\(window.title)'")
    }
  }

  func hidden(_ window: Window) {
    guard let scene = window.scene else { return }
    let wasScenes = scene.window === window
    scene.hide(window)
    // When it is shown again, it says again whose it is.
    if naming == .byToken, window.parent == nil || wasScenes { window.scene = nil }
    // The next one of a program becomes its scene's window.
    guard naming == .oneScene, scene.window == nil, !scene.isWithdrawn else { return }
    let next = windows.first { $0 !== window && $0.isShown && $0.parent == nil && $0.scene === scene }
    if let next { scene.show(next) }
  }

  func gone(_ window: Window) { windows.removeAll { $0 === window } }
}
