internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// A `.varlink` file: what host and extension say to each other.
struct InterfaceFile {
  let description: InterfaceDescription
  let text: String

  init(_ path: String) throws(ControlError) {
    let text: String
    do throws(Errno) { text = String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self) } catch {
      throw ControlError(.failed, "\(path) cannot be read: \(error)")
    }
    try self.init(text: text, path: path)
  }

  init(text: String, path: String) throws(ControlError) {
    self.text = text
    do throws(InterfaceDescriptionError) { description = try InterfaceDescription(parsing: text) } catch {
      throw ControlError(.failed, "\(path):\(error.line):\(error.column): \(error.message)")
    }
  }

  /// What a point carries, in the file that the broker names.
  static func text(of point: AdminInterface.ExtensionPoint, at path: String) throws(ControlError) -> String {
    do throws(Errno) {
      let place = Path.split(path)
      let folder = try File.open(place.directory, .directory)
      let bytes = try File.readBeneath(
        folder.rawValue, place.name, limit: PointDefinition.maximumInterfaceSize)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      throw ControlError(.failed, "the interface of \(point.identifier), \(path), cannot be read: \(error)")
    }
  }

  /// As every tool expects it to be called.
  var fileName: String { description.name + ".varlink" }
  var methods: [InterfaceDescription.Member] {
    description.members.filter { if case .method = $0.kind { true } else { false } }
  }
}
