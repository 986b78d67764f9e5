internal import ExtensionInterfaces
internal import LinuxSystem

/// An extension point, as a `*.appextensionpoint` file defines it.
public struct PointDefinition: Hashable, Sendable {
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Only extensions inside the host's own bundle.
    case application
    /// Any that the person approved.
    case none
  }

  static let suffix = ".appextensionpoint"

  public var identifier: String
  public var userInterface = false
  public var scope = Scope.application
  public var instancePolicy = InstancePolicy.perHost
  public var version: String?
  /// The name of the file that describes its interface, beside the one that defines it.
  public var interface: String?
  /// The defining file; absolute.
  public var file: String

  private init(identifier: String, file: String) {
    self.identifier = identifier
    self.file = file
  }

  /// Reads one file in an open directory. `owner`: the identifier that its points must be under; nil for any.
  static func read(
    _ name: String, in directory: CInt, path: String, file: String, owner: BundleIdentifierOwner
  ) -> (points: [PointDefinition], problems: [BundleProblem]) {
    let values: [String: PropertyList]
    do throws(BundleProblem) {
      values = try KeyReader.file(path, in: directory, named: name, check: { _ in .pointFile })
    } catch {
      return ([], [error])
    }
    var points: [PointDefinition] = []
    var problems: [BundleProblem] = []
    if values.isEmpty {
      problems.append(BundleProblem(.pointFile, "\(name) defines no point; add one, or remove it"))
    }
    for (identifier, value) in values.sorted(by: { $0.key < $1.key }) {
      guard BundleIdentifier.isValid(identifier) else {
        problems.append(
          BundleProblem(
            .pointMalformed, "“\(identifier)” in \(name) is no point; write \(BundleIdentifier.form)"))
        continue
      }
      if case .under(let host) = owner, !identifier.hasPrefix((host ?? "") + ".") {
        let wanted = host.map { "\($0).<Name>" } ?? "the application's identifier, which it lacks"
        problems.append(
          BundleProblem(
            .pointForeign,
            "the point \(identifier) in \(name) is not the application's own; its name must start with \(wanted)"
          ))
        continue
      }
      guard let attributes = value.dictionary else {
        problems.append(
          BundleProblem(.keyType, "\(identifier) in \(name) is \(value.kindName), not a dictionary"))
        continue
      }
      var reader = KeyReader(attributes, place: "\(identifier) in \(name)")
      var point = PointDefinition(identifier: identifier, file: file)
      point.read(&reader, directory: directory, path: path)
      points.append(point)
      problems += reader.problems
    }
    return (points, problems)
  }

  private mutating func read(_ reader: inout KeyReader, directory: CInt, path: String) {
    // Apple's tools may write other keys that start with EX; anything else is a slip.
    let keys = ["InstancePolicy", "Interface", "Scope", "UserInterface", "Version"]
    for key in reader.values.keys.sorted() where !keys.contains(key) && !key.hasPrefix("EX") {
      reader.note(
        .optionUnknown,
        "“\(key)” means nothing in \(reader.place); the keys are \(keys.joined(separator: ", "))")
    }
    userInterface = reader.boolean("UserInterface") ?? reader.boolean("EXPresentsUserInterface") ?? false
    scope = reader.choice("Scope") ?? reader.choice("EXScope") ?? .application
    instancePolicy = reader.choice("InstancePolicy") ?? .perHost
    version = reader.version("Version")
    if instancePolicy == .shared, userInterface {
      reader.note(
        .pointValue, "\(reader.place) has a user interface, so InstancePolicy cannot be shared; write perHost"
      )
    }
    guard let file = reader.string("Interface") else { return }
    guard !file.contains("/"), file != "..", file != "." else {
      reader.note(
        .pointInterface, "Interface in \(reader.place) must be the name of a file beside it, not a path")
      return
    }
    interface = file
    let beside = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    do throws(Errno) {
      let opened = try File.openBeneath(directory, beside + file, .path)
      let status = try FileStatus(of: opened.rawValue)
      if status.kind == .regular { return }
      reader.note(.pointInterface, "Interface in \(reader.place): “\(file)” is not a file")
    } catch {
      reader.note(
        .pointInterface, "Interface in \(reader.place): “\(file)” beside it cannot be opened: \(error)")
    }
  }
}

/// Whose points a file may define.
enum BundleIdentifierOwner {
  case anybody
  /// Only those under this identifier; nil: the owner has none, so none at all.
  case under(String?)
}
