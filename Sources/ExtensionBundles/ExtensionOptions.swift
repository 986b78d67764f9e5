internal import ExtensionInterfaces

/// The dictionary `Extensiond` of an extension's Info.plist: what only this system needs.
public struct ExtensionOptions: Hashable, Sendable {
  public enum Runtime: String, Hashable, Sendable, CaseIterable {
    /// Speaks `io.extensiond.Extension` on an inherited socket.
    case varlink
    /// One process a connection, which is its stdin and stdout.
    case stdio
    /// An unmodified program with a window, one process a scene.
    case wayland
  }

  public var runtime = Runtime.varlink
  public var instancePolicy: InstancePolicy?
  public var startTimeout: Duration?
  public var arguments: [String] = []
  public var minimumVersion: String?
  /// The version of the point's interface that it is made for.
  public var pointVersion: String?
  public var limits = LimitOptions()

  public init() {}

  init(_ reader: inout KeyReader) {
    reader.expect(only: Self.keys + BundleDetails.keys)
    runtime = reader.choice("Runtime") ?? .varlink
    instancePolicy = reader.choice("InstancePolicy")
    minimumVersion = reader.version("MinimumVersion")
    pointVersion = reader.version("PointVersion")
    if let seconds = reader.number("StartTimeout") {
      if seconds > 0, seconds <= 600 {
        startTimeout = .milliseconds(Int64(seconds * 1000))
      } else {
        reader.note(
          .optionValue, "StartTimeout in \(reader.place) must be more than 0 and at most 600 seconds")
      }
    }
    if let given = reader.dictionary("Limits") {
      var inner = KeyReader(given, place: "Limits in \(reader.place)")
      limits = LimitOptions(&inner)
      reader.take(inner.problems)
    }
    if let list = reader.array("Arguments") {
      arguments = list.compactMap(\.string)
      if arguments.count != list.count {
        reader.note(.keyType, "Arguments in \(reader.place) must be an array of strings")
      }
      if arguments.contains(where: { $0.utf8.contains(0) }) {
        reader.note(
          .optionValue, "Arguments in \(reader.place) must not hold NUL; no program can be given one")
      }
    }
  }

  private static let keys = [
    "Arguments", "InstancePolicy", "Limits", "MinimumVersion", "PointVersion", "Runtime", "StartTimeout",
  ]
}

/// How many instances of an extension run at once.
public enum InstancePolicy: String, Hashable, Sendable, CaseIterable {
  case perHost, shared, perScene
}
