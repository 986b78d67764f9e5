internal import ExtensionKit

/// A controller whose delegate prints what it is told.
@MainActor
final class ProbeScene: HostSceneControllerDelegate {
  let controller = HostSceneController()
  /// What to do while an end is told: `again`, `clear`, or nothing.
  var onEnd = ""
  private let name: String

  init(_ name: String) {
    self.name = name
    controller.delegate = self
  }

  /// Sets one configuration after the other, in one turn of the main actor.
  func set(_ configurations: [HostSceneController.Configuration?]) {
    for configuration in configurations { controller.configuration = configuration }
  }

  func hostViewControllerDidActivate(_ controller: HostSceneController) {
    say("active \(name) \(controller.configuration?.sceneID ?? "none")")
  }

  func hostViewControllerWillDeactivate(_ controller: HostSceneController, error: (any Error)?) {
    say("ended \(name) \(controller.configuration?.sceneID ?? "none") \(error.map(describe) ?? "as wanted")")
    let action = onEnd
    onEnd = ""
    switch action {
    case "again":
      let same = controller.configuration
      controller.configuration = same
    case "clear": controller.configuration = nil
    case "clear always":
      onEnd = action
      controller.configuration = nil
    default: break
    }
  }
}
