import ExtensionFoundation
import ExtensionKit

nonisolated func show(_ identity: AppExtensionIdentity, in controller: HostSceneController) {
  // error: main actor-isolated property 'configuration' can not be mutated from a nonisolated context
  controller.configuration = .init(appExtension: identity, sceneID: "Main")
  // error: main actor-isolated
  _ = try? controller.makeConnection()
}
