public import ExtensionFoundation
import ExtensionKit
import Observation
import SampleSDK

extension AppExtensionPoint {

  @Definition
  public static var greetingExtension: AppExtensionPoint {
    Name("GreetingUI")
    UserInterface(true)
    Scope(restriction: .none)
  }
}

/// Finds the extensions of its point, talks to each as a whole and in each of its scenes, and prints what it hears.
@main
struct SampleHost {
  static func main() async throws {
    AppExtensionHost.identifier = "com.example.hostapp"
    let monitor = try await AppExtensionPoint.Monitor(appExtensionPoint: .greetingExtension)
    for await identities in Observations({ monitor.identities }) where !identities.isEmpty {
      for identity in identities { try await talk(to: identity) }
      break
    }
  }

  static func talk(to identity: AppExtensionIdentity) async throws {
    let config = AppExtensionProcess.Configuration(appExtensionIdentity: identity)
    let appExtProcess = try await AppExtensionProcess(configuration: config)
    let connection = try await appExtProcess.makeConnection()
    connection.resume()
    let proxyObj = connection.remoteObject(as: HostInterface.self)
    print(try await proxyObj.greet(name: "world"))
    for sceneID in ["GreetingScene", "SecondScene", "ThirdScene"] { await show(identity, sceneID) }
    appExtProcess.invalidate()
  }

  @MainActor
  static func show(_ identity: AppExtensionIdentity, _ sceneID: String) async {
    let viewController = EXHostViewController()
    let delegate = Delegate()
    viewController.delegate = delegate
    viewController.configuration = EXHostViewController.Configuration(
      appExtension: identity, sceneID: sceneID)
    guard await delegate.isActive() else { return }
    do {
      let connection = try await viewController.makeConnection()
      connection.resume()
      print(try await connection.remoteObject(as: HostInterface.self).greet(name: "scene"))
    } catch {
      print("\(sceneID): \(error)")
    }
    viewController.configuration = nil
  }
}

@MainActor
final class Delegate: EXHostViewControllerDelegate {
  private let events = AsyncStream.makeStream(of: Bool.self)

  func hostViewControllerDidActivate(_ controller: HostSceneController) {
    events.continuation.yield(true)
  }

  func hostViewControllerWillDeactivate(_ controller: HostSceneController, error: (any Error)?) {
    print("\(controller.configuration?.sceneID ?? "the scene"): \(error.map { "\($0)" } ?? "deactivated")")
    events.continuation.yield(false)
  }

  func isActive() async -> Bool {
    for await event in events.stream { return event }
    return false
  }
}
