internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// An extension point, as a `*.appextensionpoint` file defines it.
public struct PointDefinition: Hashable, Sendable {
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Only extensions inside the host's own bundle.
    case application
    /// Any that the person approved.
    case none
  }

  public static let suffix = ".appextensionpoint"
  /// The most bytes that an interface's file may have.
  public static let maximumInterfaceSize = 64 << 10

  public var identifier: String
  public var userInterface = false
  public var scope = Scope.application
  public var instancePolicy = InstancePolicy.perHost
  /// Of its interface.
  public var version: String?
  /// The file that describes its interface in Varlink; absolute.
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
      values = try KeyReader.file(named: name) { limit throws(Errno) in
        try File.readBeneath(directory, path, limit: limit)
      } check: { _ in
        .pointFile
      }
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
    if let name = reader.string("Interface") {
      readInterface(name, &reader, directory: directory, folder: Self.folder(path))
    }
  }

  private mutating func readInterface(
    _ name: String, _ reader: inout KeyReader, directory: CInt, folder: String
  ) {
    func fault(_ what: String) { reader.note(.pointInterface, "Interface in \(reader.place) \(what)") }
    guard !name.contains("/"), name != "..", name != "." else {
      return fault("must be the name of a file beside it, not a path")
    }
    interface = Self.folder(file) + name
    do throws(Errno) {
      let bytes = try File.readBeneath(directory, folder + name, limit: Self.maximumInterfaceSize)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        return fault("names “\(name)”, which is not UTF-8; describe the interface in Varlink")
      }
      do throws(InterfaceDescriptionError) {
        _ = try InterfaceDescription(parsing: text)
      } catch {
        fault("names “\(name)”, which describes none: \(error)")
      }
    } catch .messageTooLong {
      fault("names “\(name)”, which is larger than \(Self.maximumInterfaceSize >> 10) KiB; make it smaller")
    } catch {
      fault("names “\(name)” beside it, which cannot be read: \(error)")
    }
  }

  /// A path up to its last slash.
  private static func folder(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }
}

/// Whose points a file may define.
enum BundleIdentifierOwner {
  case anybody
  /// Only those under this identifier; nil: the owner has none, so none at all.
  case under(String?)
}
