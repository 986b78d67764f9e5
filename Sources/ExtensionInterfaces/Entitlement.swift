/// One thing that a bundle asks for beyond its sandbox. The set is closed.
///
/// Written as one line, such as `network-client` or `session-bus=org.example.Player`: one for each group and each
/// destination, so that of two lists the one with more lines asks for more.
public enum Entitlement: Hashable, Sendable {
  /// One of those that are there or not; the raw value is its name.
  public enum Simple: String, Hashable, Sendable, CaseIterable {
    case networkClient = "network-client"
    case networkServer = "network-server"
    case filesUserSelected = "files-user-selected"
    case wayland, gpu, audio, home
    case nestedSandbox = "nested-sandbox"
    /// No sandbox.
    case none
  }

  case simple(Simple)
  /// A container that it shares with others.
  case appGroup(String)
  /// A name on the person's bus that it may talk to.
  case sessionBus(SessionBusName)

  /// The names of those that are a list.
  public static let groups = "app-groups"
  public static let destinations = "session-bus"
  /// The names of all, for people.
  public static let names = (Simple.allCases.map(\.rawValue) + [groups, destinations]).sorted()

  /// The most lines that one bundle may have.
  public static let limit = 32

  /// Reads the line; nil where it means nothing.
  public init?(_ line: String) {
    if let simple = Simple(rawValue: line) {
      self = .simple(simple)
      return
    }
    guard let sign = line.firstIndex(of: "=") else { return nil }
    let value = String(line[line.index(after: sign)...])
    switch line[..<sign] {
    case Self.groups[...]:
      guard BundleIdentifier.isValid(value) else { return nil }
      self = .appGroup(value)
    case Self.destinations[...]:
      guard let name = try? SessionBusName(value) else { return nil }
      self = .sessionBus(name)
    default: return nil
    }
  }

  /// The line.
  public var line: String {
    switch self {
    case .simple(let simple): simple.rawValue
    case .appGroup(let group): "\(Self.groups)=\(group)"
    case .sessionBus(let name): "\(Self.destinations)=\(name.text)"
    }
  }
}
