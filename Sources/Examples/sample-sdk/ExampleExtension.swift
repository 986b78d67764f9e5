// What the author of a host hands to the authors of its extensions: protocols for the extension and for its scenes.
public import ExtensionFoundation
public import ExtensionKit

/// The protocol to which extensions of this host conform.
@MainActor
public protocol ExampleExtension: AppExtension {
  associatedtype Body: ExampleAppExtensionScene
  @AppExtensionSceneBuilder var body: Body { get }
}

/// The protocol to which their scenes conform.
public protocol ExampleAppExtensionScene: AppExtensionScene {}

// Once for each scene protocol of one's own: several scenes together are one, too.
extension AppExtensionSceneGroup: ExampleAppExtensionScene where repeat each S: ExampleAppExtensionScene {}

public struct ExampleConfiguration<E: ExampleExtension>: AppExtensionConfiguration {
  let appExtension: E

  init(_ appExtension: E) {
    self.appExtension = appExtension
  }

  public func accept(connection: AppExtensionConnection) -> Bool {
    connection.exportedObject = MySceneManager(scene: "no scene")
    connection.exportedInterface = .init(with: HostInterface.self)
    connection.resume()
    return true
  }
}

extension ExampleExtension {
  public var configuration: AppExtensionSceneConfiguration {
    return AppExtensionSceneConfiguration(self.body, configuration: ExampleConfiguration(self))
  }
}
