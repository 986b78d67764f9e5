internal import LinuxSystem
internal import Varlink

/// A `.varlink` file: what host and extension say to each other.
struct InterfaceFile {
  let description: InterfaceDescription
  let text: String

  init(_ path: String) throws(ControlError) {
    do throws(Errno) { text = String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self) } catch {
      throw ControlError(.failed, "\(path) cannot be read: \(error)")
    }
    do throws(InterfaceDescriptionError) { description = try InterfaceDescription(parsing: text) } catch {
      throw ControlError(.failed, "\(path):\(error.line):\(error.column): \(error.message)")
    }
  }

  /// As every tool expects it to be called.
  var fileName: String { description.name + ".varlink" }
  var methods: [InterfaceDescription.Member] {
    description.members.filter { if case .method = $0.kind { true } else { false } }
  }
}
