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

  public var path: String
  /// The root's place in the search order; lower wins.
  public var rootIndex: Int
  public var identifier: String?
  public var name: LocalizedText?
  public var extensionPoint: String?
  public var version: String?
  public var buildVersion: String?
  /// The program inside the bundle, relative to it.
  public var program: String?
  // What is small stands together: each alone would take 8 bytes.
  private var keptDigest: CompactDigest?
  public var kind: Kind
  public var runtime = Runtime.varlink
  public var rootOwned = false
  /// A developer's, in no root.
  public var isDeveloped = false
  /// One, or none where everything in it is as usual: an array, since that takes no room then.
  private var kept: [More] = []

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

  public var digest: String? {
    get { keptDigest?.text }
    set { keptDigest = newValue.map(CompactDigest.init) }
  }

  private static let usual = More()

  public var more: More {
    get { kept.first ?? Self.usual }
    set { kept = newValue == Self.usual ? [] : [newValue] }
  }

  public subscript<Value>(dynamicMember member: WritableKeyPath<More, Value>) -> Value {
    get { more[keyPath: member] }
    set { more[keyPath: member] = newValue }
  }

  public init(path: String, rootIndex: Int, kind: Kind) {
    self.path = path
    self.rootIndex = rootIndex
    self.kind = kind
  }
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
