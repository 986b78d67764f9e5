internal import ExtensionInterfaces
internal import Varlink

/// What a broker knows of the point of a new project.
struct PointLook {
  /// Of the point's interface.
  var version: String?
  var interface: InterfaceFile?
  /// Whether its host shows windows; nil where nobody knows it.
  var hasUserInterface: Bool?
  /// One sentence: why there is no interface.
  var obstacle: String?

  init(_ name: String) {
    let points: [AdminInterface.ExtensionPoint]
    do {
      // Not by BrokerLocation.connect, which starts a broker: a project can be without.
      let client = try VarlinkClient(path: BrokerLocation.path(.admin))
      points = try client.call(AdminInterface.ListExtensionPoints(), timeout: .seconds(10)).reply
        .extensionPoints
    } catch {
      obstacle = "no broker answers"
      return
    }
    guard let point = points.first(where: { $0.identifier == name }) else {
      obstacle = "no host or file defines \(name)"
      return
    }
    version = point.version
    hasUserInterface = point.userInterface
    guard let path = point.interface else {
      obstacle = "\(name) carries no interface"
      return
    }
    do throws(ControlError) {
      interface = try InterfaceFile(text: InterfaceFile.text(of: point, at: path), path: path)
    } catch {
      obstacle = error.description
    }
  }
}
