public import ExtensionInterfaces

/// What was found out about one bundle on disk. Facts only: whether it may be used is decided from them.
///
/// There can be tens of thousands. What most of them have is here; the rest is in `More`, and read as if it were here.
@dynamicMemberLookup
public struct BundleFacts: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case application
    case appExtension
    /// A file that defines points for everybody.
    case pointFile
    /// Looks like a bundle, but is none.
    case nearMiss
  }

  /// How the broker talks to an extension, and how many processes it has.
  public enum Runtime: String, Hashable, Sendable {
    case varlink, stdio, wayland
  }

  public var path: String {
    get { kept.values.path }
    set { own.values.path = newValue }
  }
  /// The root's place in the search order; lower wins.
  public var rootIndex: Int {
    get { kept.values.rootIndex }
    set { own.values.rootIndex = newValue }
  }
  public var kind: Kind {
    get { kept.values.kind }
    set { own.values.kind = newValue }
  }
  public var identifier: String? {
    get { kept.values.identifier }
    set { own.values.identifier = newValue }
  }
  public var name: LocalizedText? {
    get { kept.values.name }
    set { own.values.name = newValue }
  }
  public var extensionPoint: String? {
    get { kept.values.extensionPoint }
    set { own.values.extensionPoint = newValue }
  }
  public var version: String? {
    get { kept.values.version }
    set { own.values.version = newValue }
  }
  public var buildVersion: String? {
    get { kept.values.buildVersion }
    set { own.values.buildVersion = newValue }
  }
  public var digest: String? {
    get { kept.values.digest?.text }
    set { own.values.digest = newValue.map(CompactDigest.init) }
  }

  /// The same from its 32 bytes, without the text between.
  public mutating func setDigest(sha256 bytes: [UInt8]) { own.values.digest = CompactDigest(sha256: bytes) }
  public var rootOwned: Bool {
    get { kept.values.rootOwned }
    set { own.values.rootOwned = newValue }
  }
  public var runtime: Runtime {
    get { kept.values.runtime }
    set { own.values.runtime = newValue }
  }
  /// The program inside the bundle, relative to it.
  public var program: String? {
    get { kept.values.program }
    set { own.values.program = newValue }
  }
  /// A developer's, in no root.
  public var isDeveloped: Bool {
    get { kept.values.isDeveloped }
    set { own.values.isDeveloped = newValue }
  }

  /// What few bundles have.
  public struct More: Hashable, Sendable {
    public var details = BundleDetails()
    /// The version of the point's interface that it is made for; nil where it does not say.
    public var pointVersion: String?
    /// The application bundle that contains it.
    public var containingPath: String?
    public var containingHost: String?
    public var entitlements: [String] = []
    /// The fingerprint of the key that signed it, such as `SHA256:…`; nil where nobody did.
    public var publisher: String?
    /// The kind of that key, such as ED25519.
    public var publisherKeyType: String?
    /// What it asks to be held to; where it says nothing, `Limits` has the value.
    public var bounds = ResourceBounds()
    public var problems: [AdminInterface.Problem] = []
    /// What it needs that is not here.
    public var incompatibility: String?
    public var startTimeout: Int64?
    /// A host's programs outside of its bundle, which it says to be its own.
    public var programs: [String] = []
    public var arguments: [String] = []
    public var points: [PointFacts] = []

    public init() {}
  }

  /// What a bundle has of its own. Copied only to be changed: to look a bundle up, nothing of it need be.
  private struct Values: Hashable, Sendable {
    var path: String
    var rootIndex: Int
    var kind: Kind
    var identifier: String?
    var name: LocalizedText?
    var extensionPoint: String?
    var version: String?
    var buildVersion: String?
    var digest: CompactDigest?
    var rootOwned: Bool = false
    var runtime: Runtime = .varlink
    var program: String?
    var isDeveloped: Bool = false
    /// One, or none where everything in it is as usual: an array, since that takes no room then.
    var more: [More] = []
  }

  private final class Kept: @unchecked Sendable {
    // Sendable by use: changed only while it has one owner.
    var values: Values
    init(_ values: Values) { self.values = values }
  }

  private var kept: Kept

  /// To be changed.
  private var own: Kept {
    mutating get {
      if !isKnownUniquelyReferenced(&kept) { kept = Kept(kept.values) }
      return kept
    }
  }

  private static let usual = More()

  public var more: More {
    get { kept.values.more.first ?? Self.usual }
    set { own.values.more = newValue == Self.usual ? [] : [newValue] }
  }

  public subscript<Value>(dynamicMember member: WritableKeyPath<More, Value>) -> Value {
    get {
      // Without a copy of all that is there beside it.
      let more = kept.values.more
      return more.isEmpty ? Self.usual[keyPath: member] : more[0][keyPath: member]
    }
    set { more[keyPath: member] = newValue }
  }

  /// Whether it asks for nothing that says what it is held to.
  var hasUsualBounds: Bool {
    kept.values.more.isEmpty || more.bounds == ResourceBounds() && more.entitlements.isEmpty
  }

  public init(path: String, rootIndex: Int, kind: Kind) {
    kept = Kept(Values(path: path, rootIndex: rootIndex, kind: kind))
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.kept === right.kept || left.kept.values == right.kept.values
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(kept.values) }
}

/// A place in a host that extensions can fill.
public struct PointFacts: Hashable, Sendable {
  public enum Scope: String, Hashable, Sendable {
    /// Only extensions inside the host's bundle.
    case application
    /// Any approved extension.
    case none
  }

  public enum InstancePolicy: String, Hashable, Sendable {
    case perHost, shared, perScene
  }

  public var identifier: String
  /// nil for a point that is everybody's.
  public var host: String?
  public var userInterface: Bool
  public var scope: Scope
  public var instancePolicy: InstancePolicy
  /// Of its interface.
  public var version: String?
  /// The file that describes its interface.
  public var interface: String?

  public init(
    identifier: String, host: String?, userInterface: Bool = false, scope: Scope = .application,
    instancePolicy: InstancePolicy = .perHost, version: String? = nil, interface: String? = nil
  ) {
    self.identifier = identifier
    self.host = host
    self.userInterface = userInterface
    self.scope = scope
    self.instancePolicy = instancePolicy
    self.version = version
    self.interface = interface
  }
}
