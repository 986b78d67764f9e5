import ExtensionInterfaces

@testable import BrokerCore

/// What can be found: a host that only root can write (or not, by the seed) with two extensions inside, a host whose
/// name begins like the other's, a point that is everybody's, and extensions of which some come twice.
enum Disk {
  static let editor = "org.example.Editor"
  static let pro = "org.example.Editor.Pro"
  static let viewer = "org.other.Viewer"
  static let hosts = [editor, pro]
  static let greeting = editor + ".greeting"
  static let tools = editor + ".tools"
  static let paint = pro + ".paint"
  static let show = viewer + ".show"
  static let points = [greeting, tools, paint, show]
  static let names = ["org.a.Greeter", "org.b.Shower", "org.c.Inner", "org.d.Guest", "org.e.Tool"]
  /// A developer's, when somebody runs it.
  static let tool = "/src/Tool.appex"

  static let publishers = ["A", "B"].map { "SHA256:" + String(repeating: $0, count: 43) }

  static let application = "/usr/Editor.app"
  static let extensions: [(path: String, name: String, point: String, root: Int)] = [
    ("/home/Greeter.appex", names[0], greeting, 0), ("/usr/Greeter.appex", names[0], greeting, 1),
    ("/home/Shower.appex", names[1], show, 0), (application + "/Extensions/Inner.appex", names[2], tools, 1),
    // The same name as what ships with the editor, but for another point.
    ("/home/Inner.appex", names[2], greeting, 0),
    // Ships with the editor, and is for somebody else's point.
    (application + "/Extensions/Guest.appex", names[3], paint, 1),
  ]
}

extension Simulator {
  private var policies: [PointFacts.InstancePolicy] { [.perHost, .shared, .perScene] }

  private func application(_ path: String, _ identifier: String, root: Int) -> BundleFacts {
    var facts = BundleFacts(path: path, rootIndex: root, kind: .application)
    facts.identifier = identifier
    facts.program = "editor"
    facts.digest = "\(identifier)-\(chance(90) ? 1 : 2)"
    facts.rootOwned = root == 1 && seed % 2 == 0
    let policy = policies[Int(seed / 2 % 3)]
    if identifier == Disk.editor {
      facts.points = [
        PointFacts(
          identifier: Disk.greeting, host: identifier, userInterface: seed % 4 != 0, scope: .none,
          instancePolicy: policy, version: chance(90) ? "1.2" : pick(["1.1", "2.0"])),
        PointFacts(identifier: Disk.tools, host: identifier, scope: .application, instancePolicy: .perHost),
      ]
    } else {
      facts.points = [
        PointFacts(identifier: Disk.paint, host: identifier, scope: .none, instancePolicy: .shared)
      ]
    }
    spoil(&facts)
    return facts
  }

  private func appExtension(_ index: Int) -> BundleFacts {
    let (path, name, point, root) = Disk.extensions[index]
    var facts = BundleFacts(path: path, rootIndex: root, kind: .appExtension)
    facts.identifier = name
    facts.extensionPoint = point
    facts.program = "main"
    facts.digest = "\(name)-\(chance(90) ? 1 : 2)"
    facts.version = pick(["1.0", "1.00", "2.0"])
    facts.rootOwned = root == 1 && seed % 2 == 0
    if path.hasPrefix(Disk.application) {
      (facts.containingPath, facts.containingHost) = (Disk.application, Disk.editor)
    }
    spoil(&facts)
    if chance(20) { facts.pointVersion = pick(["1", "1.2", "2.0"]) }
    if chance(3) { facts.entitlements = ["network"] }
    if chance(30) { facts.publisher = pick(Disk.publishers) }
    return facts
  }

  func tool() -> BundleFacts {
    var facts = BundleFacts(path: Disk.tool, rootIndex: 9, kind: .appExtension)
    facts.identifier = Disk.names[4]
    facts.extensionPoint = Disk.greeting
    facts.program = "main"
    facts.digest = "tool-\(Int.random(in: 1...9, using: &random))"
    facts.isDeveloped = true
    spoil(&facts)
    return facts
  }

  private func spoil(_ facts: inout BundleFacts) {
    guard run > 0, chance(4) else { return }
    facts.problems = [AdminInterface.Problem(check: "infoMissing", message: "it is broken")]
  }

  func fillDisk() {
    var points = BundleFacts(path: "/usr/viewer.appextensionpoint", rootIndex: 1, kind: .pointFile)
    points.points = [PointFacts(identifier: Disk.show, host: nil, scope: .none)]
    let found =
      [
        points, application(Disk.application, Disk.editor, root: 1),
        application("/home/Pro.app", Disk.pro, root: 0),
      ]
      + Disk.extensions.indices.map(appExtension)
    for facts in found { disk[facts.path] = facts }
    for name in [Disk.names[0], Disk.names[1]] + Disk.hosts {
      stored[name] = Decision(
        identifier: name, verdict: .enabled, digest: "\(name)-1", entitlements: [], rootOwned: false, time: 0,
        peer: "")
    }
  }

  /// It is built anew, goes away for a while, or is read when it is nobody's any more.
  private func changeTool() {
    let facts = tool()
    if isDeveloping, disk[Disk.tool] != nil, chance(20) {
      disk[Disk.tool] = nil
      return send(.bundles(found: [], removed: [Disk.tool]))
    }
    if isDeveloping { disk[Disk.tool] = facts }
    send(.bundles(found: [facts], removed: []))
  }

  func changeBundle() {
    if chance(15) { return changeTool() }
    let choice = Int.random(in: 0..<Disk.extensions.count + 2, using: &random)
    var found: [BundleFacts] = []
    var removed: [String] = []
    let stays = chance(85)
    switch choice {
    case 0:
      // What is inside comes and goes with it.
      let inside = Disk.extensions.indices.filter { Disk.extensions[$0].path.hasPrefix(Disk.application) }
      if stays {
        found = [application(Disk.application, Disk.editor, root: 1)]
        if disk[Disk.application] == nil { found += inside.map(appExtension) }
      } else {
        removed = [Disk.application] + inside.map { Disk.extensions[$0].path }
      }
    case 1:
      if stays {
        found = [application("/home/Pro.app", Disk.pro, root: 0)]
      } else {
        removed = ["/home/Pro.app"]
      }
    default:
      let path = Disk.extensions[choice - 2].path
      if path.hasPrefix(Disk.application), disk[Disk.application] == nil { return }
      if stays { found = [appExtension(choice - 2)] } else { removed = [path] }
    }
    for facts in found { disk[facts.path] = facts }
    for path in removed { disk[path] = nil }
    send(.bundles(found: found, removed: removed))
  }

  // MARK: The rules, told a second time

  func point(_ identifier: String?) -> PointFacts? {
    let definers = disk.values.filter {
      $0.problems.isEmpty && $0.points.contains { $0.identifier == identifier }
    }
    let first = definers.min { ($0.rootIndex, $0.path) < ($1.rootIndex, $1.path) }
    return first?.points.first { $0.identifier == identifier }
  }

  /// What is shown to the person: with a host, what its own extensions ask for.
  func asked(_ facts: BundleFacts) -> [String] {
    guard facts.kind == .application else { return facts.entitlements }
    let inside = disk.values.filter {
      $0.containingPath == facts.path && point($0.extensionPoint)?.host == facts.identifier
    }
    return Set(inside.flatMap(\.entitlements)).union(facts.entitlements).sorted()
  }

  private func isApproved(_ facts: BundleFacts) -> Bool {
    guard let decision = applied[facts.identifier ?? ""], decision.verdict == .enabled else { return false }
    let asked = asked(facts)
    if decision.digest == facts.digest, decision.entitlements == asked { return true }
    guard Set(asked).isSubset(of: decision.entitlements) else { return false }
    if decision.rootOwned, facts.rootOwned { return true }
    guard let publisher = decision.publisher, publisher == facts.publisher else { return false }
    return !BundleVersion.precedes(facts.version ?? "", decision.version ?? "")
  }

  private func isBlocked(_ facts: BundleFacts) -> Bool {
    if let key = facts.publisher, applied[key]?.verdict == .revoked { return true }
    switch policy.rules.first?.action {
    case .block: return policy.rules[0].match.identifiers == [facts.identifier ?? ""]
    case .restrict(let restrictions):
      return restrictions.requiresSignature
        ? facts.publisher == nil
        : !facts.entitlements.filter(restrictions.forbiddenEntitlements.contains).isEmpty
    default: return false
    }
  }

  func changePolicy() {
    var restrictions = PolicyRule.Restrictions()
    var match = PolicyRule.Match()
    let action: PolicyRule.Action
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      action = .block
      match.identifiers = [pick(Disk.names + Disk.hosts) ?? ""]
    case 1:
      restrictions.forbiddenEntitlements = ["network"]
      action = .restrict(restrictions)
    default:
      restrictions.requiresSignature = true
      action = .restrict(restrictions)
    }
    policy =
      chance(50) ? Policy() : Policy(rules: [PolicyRule(action, match: match, source: "/etc/a.policy:1")])
    send(.policyLoaded(policy))
  }

  /// Whether a bundle may be started as far as the person and its place are concerned.
  func isAllowed(_ facts: BundleFacts) -> Bool {
    guard facts.problems.isEmpty, !isBlocked(facts), let name = facts.identifier,
      applied[name]?.verdict != .disabled, fitsPoint(facts)
    else { return false }
    if facts.isDeveloped { return true }
    if let host = facts.containingPath.flatMap({ disk[$0] }),
      point(facts.extensionPoint)?.host == host.identifier
    {
      if applied[host.identifier ?? ""]?.verdict == .disabled { return false }
      if isBlocked(host) { return false }
      return approval == .everything || host.rootOwned || isApproved(host)
    }
    return approval == .everything || isApproved(facts)
  }

  private func fitsPoint(_ facts: BundleFacts) -> Bool {
    let misfits = [("1.1", "1.2"), ("1.1", "2.0"), ("1.2", "2.0"), ("2.0", "1"), ("2.0", "1.2")]
    guard let version = point(facts.extensionPoint)?.version, let needed = facts.pointVersion else {
      return true
    }
    return !misfits.contains { $0 == (version, needed) }
  }

  func isInScope(_ facts: BundleFacts) -> Bool {
    guard let point = point(facts.extensionPoint) else { return false }
    return point.scope == .none || facts.containingHost == point.host
  }

  /// The copy that counts, where one may be used.
  func copyInUse(_ name: String) -> BundleFacts? {
    let copies = disk.values.filter { $0.kind == .appExtension && $0.identifier == name && isAllowed($0) }
    return copies.min { left, right in
      if left.rootIndex != right.rootIndex { return left.rootIndex < right.rootIndex }
      let (first, second) = (left.version ?? "", right.version ?? "")
      if BundleVersion.precedes(second, first) { return true }
      if BundleVersion.precedes(first, second) { return false }
      return left.path < right.path
    }
  }

  /// Who may be named to hosts of a point.
  func named(_ points: Set<String>) -> Set<String> {
    Set(
      Disk.names.filter { name in
        guard let facts = copyInUse(name), let point = facts.extensionPoint else { return false }
        return points.contains(point) && isInScope(facts)
      })
  }
}
