public import ExtensionInterfaces
public import LinuxSystem

/// One thing that was found in a root: a bundle, or a file that defines extension points. Says what is there, not
/// what may be done with it.
public struct BundleRecord: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// `Name.app`: a host, or the description of one.
    case application = "app"
    /// `Name.appex`: an extension.
    case appExtension = "appex"
    /// `Name.appextensionpoint`, bare in a root: points for everybody.
    case pointFile
  }

  /// The application that an extension is inside of.
  public struct Container: Hashable, Sendable {
    /// nil where the application has none that is valid.
    public var identifier: String?
    public var path: String
    public var name: LocalizedText
    public var details: BundleDetails
  }

  public var kind: Kind
  /// Where the root is, and where this is; both absolute.
  public var root: String
  public var path: String

  /// nil where it is missing or malformed, and for a point file.
  public var identifier: String?
  /// For people.
  public var name: LocalizedText
  public var details = BundleDetails()
  /// CFBundleShortVersionString, for people.
  public var shortVersion: String?
  /// CFBundleVersion, to compare.
  public var version: String?
  /// The program, relative to the bundle; nil where none is usable.
  public var executable: String?

  public var extensionPoint: String?
  /// NSExtensionPrincipalClass.
  public var principalClass: String?
  /// NSExtensionAttributes, or what else EXAppExtensionAttributes holds.
  public var attributes: [String: PropertyList] = [:]
  public var options = ExtensionOptions()
  /// The programs of a host that lie outside of its bundle: absolute paths.
  public var programs: [String] = []
  /// What the bundle asks for by itself: lines of `Entitlement`, sorted.
  public var entitlements: [String] = []
  public var container: Container?
  /// Not yet verified; nil where it has none, or none that can be read.
  public var signature: BundleSignature?
  /// The points that it defines.
  public var points: [PointDefinition] = []

  /// Whether root alone can change it: every file, and every directory from it up to `/`.
  public var isRootOwned = false
  /// Every failed check.
  public var problems: [BundleProblem] = []
  /// Something that was surely meant to be an extension, but is not found as one. `problems` says why.
  public var isNearMiss = false
  /// What this machine lacks for it, such as "built for aarch64, this machine is x86_64".
  public var incompatible: String?

  /// Whether it can be used here.
  public var isUsable: Bool { problems.isEmpty && !isNearMiss && incompatible == nil }

  public init(kind: Kind, root: String, path: String, name: String) {
    self.kind = kind
    self.root = root
    self.path = path
    self.name = LocalizedText(name)
  }

  /// Opens the bundle's directory, or the point file. Below the root no symbolic link is followed.
  public func open() throws(Errno) -> FileDescriptor {
    try Self.open(path, in: root, kind == .pointFile ? .nonBlocking : .directory)
  }

  /// The same for a bundle of which only the path and the root are known.
  package static func open(
    _ path: String, in root: String, _ flags: File.Flags = .directory
  ) throws(Errno) -> FileDescriptor {
    let directory = try File.open(root.isEmpty ? "/" : root, [.readOnly, .directory])
    let relative = String(path.dropFirst(root.count).drop { $0 == "/" })
    return try File.openBeneath(directory.rawValue, relative, flags)
  }

  mutating func note(_ check: BundleProblem.Check, _ message: String) {
    problems.append(BundleProblem(check, message))
  }
}
