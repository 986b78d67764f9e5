internal import ExtensionInterfaces

/// All bundles that were found, and what each of them is. Changes touch only what they concern.
struct Catalog: Sendable {
  let approval: Approval
  private(set) var bundles: [String: BundleFacts] = [:]
  private(set) var entries: [String: CatalogEntry] = [:]
  private(set) var decisions: [String: Decision] = [:]
  private(set) var policy = Policy()
  /// The path of the bundle that counts for an identifier, nil for none, where that is not simply the only one that has it.
  private var chosen: [String: String?] = [:]
  /// Paths by identifier, of extensions and of applications.
  private var extensionPaths: [String: PathSet] = [:]
  private var applicationPaths: [String: PathSet] = [:]
  /// Identifiers by the point that they are bound to.
  private(set) var identifiersByPoint: [String: Set<String>] = [:]
  /// Paths of extensions inside an application.
  private var contained: [String: PathSet] = [:]
  /// Of these, those that ask for entitlements: few, and looked at for each of the others.
  private var asking: [String: PathSet] = [:]
  /// What the hosts of a point hear of it, and as what each identifier is among that.
  private var audiences: [String: Audience] = [:]
  private var standings: [String: Standing] = [:]
  /// Definitions by point, best root first.
  private var definitions: [String: [(path: String, rootIndex: Int, point: PointFacts)]] = [:]

  init(approval: Approval = .person) { self.approval = approval }

  // MARK: Reading

  func point(_ identifier: String) -> PointFacts? { definitions[identifier]?.first?.point }

  /// The extensions inside an application that ask for entitlements.
  func askingContents(of path: String) -> [BundleFacts] { (asking[path] ?? []).compactMap { bundles[$0] } }

  func point(definedAt identifier: String) -> String? { definitions[identifier]?.first?.path }

  func audience(of point: String) -> Audience { audiences[point] ?? Audience() }

  /// The bundle that hosts of these points may use under this identifier; nil where there is none.
  func named(_ identifier: String, among points: Set<String>) -> BundleFacts? {
    guard let standing = standings[identifier], standing.kind == .named,
      points.contains(standing.point)
    else { return nil }
    return winner(identifier)
  }

  var points: [PointFacts] {
    definitions.values.compactMap { $0.first?.point }.sorted { $0.identifier < $1.identifier }
  }

  /// The bundle that counts for an identifier.
  func winner(_ identifier: String) -> BundleFacts? { winnerPath(identifier).flatMap { bundles[$0] } }

  func entry(_ identifier: String) -> CatalogEntry? { winnerPath(identifier).flatMap { entries[$0] } }

  private func winnerPath(_ identifier: String) -> String? {
    if !chosen.isEmpty, let chosen = chosen[identifier] { return chosen }
    return extensionPaths[identifier]?.only
  }

  /// Everything that has this identifier or this path, or all.
  func matching(_ text: String?) -> [BundleFacts] {
    guard let text else { return bundles.values.sorted { $0.path < $1.path } }
    if let facts = bundles[text] { return [facts] }
    return paths(of: text).compactMap { bundles[$0] }
  }

  /// The paths of everything that has this identifier, sorted.
  func paths(of identifier: String) -> [String] {
    guard let applications = applicationPaths[identifier] else {
      let paths = Array(extensionPaths[identifier] ?? [])
      return paths.sorted()
    }
    return (Array(extensionPaths[identifier] ?? []) + applications).sorted()
  }

  /// The applications that have this identifier.
  func applications(_ identifier: String) -> [BundleFacts] {
    (applicationPaths[identifier] ?? []).sorted().compactMap { bundles[$0] }
  }

  /// The application around an extension that fills one of the application's own points. The point's name alone would
  /// not tell whose it is: a.b also begins a.b.c.d.
  func ownHost(of facts: BundleFacts) -> BundleFacts? {
    guard let container = facts.containingPath.flatMap({ bundles[$0] }), container.identifier != nil,
      facts.extensionPoint.flatMap({ point($0)?.host }) == container.identifier
    else { return nil }
    return container
  }

  /// What a bundle would be if there were no other copy of it; nil where there is none.
  func ownEntry(_ path: String) -> CatalogEntry? { bundles[path].map(entry) }

  /// Whether a bundle is used as it is at the moment, and not as it was when somebody approved it.
  func followsContent(_ path: String) -> Bool {
    approval == .everything || bundles[path]?.isDeveloped == true
  }

  /// The bundles of a developer's one: itself, and what is inside.
  func developed(at path: String) -> [BundleFacts] {
    bundles.values.filter { $0.isDeveloped && $0.path.isInside(path) }.sorted { $0.path < $1.path }
  }

  /// Whether an extension may fill a point at all, whatever was decided about it.
  func isInScope(_ facts: BundleFacts) -> Bool {
    guard let identifier = facts.extensionPoint, let point = point(identifier) else { return false }
    guard point.scope == .application else { return true }
    return facts.containingHost != nil && facts.containingHost == point.host
  }

  /// What a bundle needs that is not here: by itself, or as its point is now.
  func incompatibility(of facts: BundleFacts) -> String? {
    if let own = facts.incompatibility { return own }
    guard let identifier = facts.extensionPoint, let needed = facts.pointVersion,
      let version = point(identifier)?.version, !BundleVersion.serves(version, needed: needed)
    else { return nil }
    return
      "made for version \(needed) of \(identifier), the host has version \(version); install those of both that fit"
  }

  // MARK: Changing

  /// Returns the identifiers whose meaning may be another one now.
  mutating func apply(found: [BundleFacts], removed: [String]) -> Set<String> {
    var affected: Set<String> = []
    for path in removed { remove(path, &affected) }
    for facts in found where bundles[facts.path] != facts {
      remove(facts.path, &affected)
      insert(facts, &affected)
    }
    resolve(affected)
    return affected
  }

  mutating func apply(_ decision: Decision) -> Set<String> {
    decisions[decision.identifier] = decision.verdict == .reset ? nil : decision
    var affected: Set<String> = [decision.concernedIdentifier]
    if decision.isAboutPublisher {
      for facts in bundles.values where facts.publisher == decision.identifier {
        if let identifier = facts.identifier { affected.insert(identifier) }
      }
    }
    for identifier in affected {
      for path in applicationPaths[identifier] ?? [] { affectContents(path, &affected) }
    }
    resolve(affected)
    return affected
  }

  mutating func apply(_ policy: Policy) -> Set<String> {
    guard policy != self.policy else { return [] }
    self.policy = policy
    let affected = Set(extensionPaths.keys).union(applicationPaths.keys)
    resolve(affected)
    return affected
  }

  private mutating func insert(_ facts: BundleFacts, _ affected: inout Set<String>) {
    var facts = facts
    // One text for all that are bound to it.
    if let index = facts.extensionPoint.flatMap({ identifiersByPoint.index(forKey: $0) }) {
      facts.extensionPoint = identifiersByPoint[index].key
    }
    bundles[facts.path] = facts
    // What a broken bundle says of points is not believed.
    for point in facts.points where facts.problems.isEmpty {
      var list = definitions[point.identifier] ?? []
      list.append((facts.path, facts.rootIndex, point))
      list.sort { ($0.rootIndex, $0.path) < ($1.rootIndex, $1.path) }
      definitions[point.identifier] = list
      affected.formUnion(identifiersByPoint[point.identifier] ?? [])
    }
    switch facts.kind {
    case .application:
      if let identifier = facts.identifier {
        applicationPaths[identifier, default: []].insert(facts.path)
        affected.insert(identifier)
      }
      affectContents(facts.path, &affected)
    case .appExtension:
      if let container = facts.containingPath {
        contained[container, default: []].insert(facts.path)
        if !facts.entitlements.isEmpty { asking[container, default: []].insert(facts.path) }
        affectContainer(container, &affected)
      }
      if let point = facts.extensionPoint, let identifier = facts.identifier {
        identifiersByPoint[point, default: []].insert(identifier)
      }
    case .pointFile, .nearMiss: break
    }
    if facts.kind == .appExtension, let identifier = facts.identifier {
      extensionPaths[identifier, default: []].insert(facts.path)
      affected.insert(identifier)
    } else {
      entries[facts.path] = entry(for: facts)
    }
  }

  private mutating func remove(_ path: String, _ affected: inout Set<String>) {
    guard let facts = bundles.removeValue(forKey: path) else { return }
    entries[path] = nil
    for point in facts.points {
      definitions[point.identifier]?.removeAll { $0.path == path }
      if definitions[point.identifier]?.isEmpty == true { definitions[point.identifier] = nil }
      affected.formUnion(identifiersByPoint[point.identifier] ?? [])
    }
    if facts.kind == .application {
      if let identifier = facts.identifier {
        drop(path, from: &applicationPaths, identifier)
        affected.insert(identifier)
      }
      affectContents(path, &affected)
    }
    guard facts.kind == .appExtension else { return }
    if let container = facts.containingPath {
      drop(path, from: &contained, container)
      drop(path, from: &asking, container)
      affectContainer(container, &affected)
    }
    guard let identifier = facts.identifier else { return }
    drop(path, from: &extensionPaths, identifier)
    affected.insert(identifier)
    if let point = facts.extensionPoint {
      let stays = (extensionPaths[identifier] ?? []).contains { bundles[$0]?.extensionPoint == point }
      if !stays {
        identifiersByPoint[point]?.remove(identifier)
        if identifiersByPoint[point]?.isEmpty == true { identifiersByPoint[point] = nil }
      }
    }
  }

  private func drop(_ path: String, from index: inout [String: PathSet], _ key: String) {
    index[key]?.remove(path)
    if index[key]?.isEmpty == true { index[key] = nil }
  }

  private func affectContents(_ path: String, _ affected: inout Set<String>) {
    for inner in contained[path] ?? [] {
      if let identifier = bundles[inner]?.identifier { affected.insert(identifier) }
    }
  }

  /// What an application asks for includes what its contents ask for.
  private func affectContainer(_ path: String, _ affected: inout Set<String>) {
    guard let identifier = bundles[path]?.identifier else { return }
    affected.insert(identifier)
    affectContents(path, &affected)
  }

  // MARK: Deciding

  private func entry(for facts: BundleFacts) -> CatalogEntry {
    let host = ownHost(of: facts).map { host in
      CatalogEntry.Host(
        facts: withContents(host), decision: host.identifier.flatMap { decisions[$0] }, ruling: ruling(host))
    }
    let entry = CatalogEntry(
      facts: withContents(facts), incompatibility: incompatibility(of: facts),
      decision: facts.identifier.flatMap { decisions[$0] }, host: host, approval: approval,
      isRevoked: isRevoked(facts), ruling: ruling(facts))
    guard entry.state == .enabled, let other = installed(besides: facts) else { return entry }
    return CatalogEntry(
      state: .shadowed,
      explanation:
        "\(other.path) is installed with the same identifier, and a developer's never displaces it")
  }

  /// What is installed with the identifier of a developer's bundle, valid or not; nil where nothing is.
  private func installed(besides facts: BundleFacts) -> BundleFacts? {
    guard facts.isDeveloped, let identifier = facts.identifier else { return nil }
    return matching(identifier).first { !$0.isDeveloped }
  }

  private mutating func resolve(_ identifiers: Set<String>) {
    for identifier in identifiers {
      for path in applicationPaths[identifier] ?? [] {
        if let facts = bundles[path] { entries[path] = entry(for: facts) }
      }
      resolve(identifier)
      count(identifier)
    }
  }

  /// Keeps what hosts hear up to date, so that nobody has to look at all extensions of a point for one that changed.
  private mutating func count(_ identifier: String) {
    if let old = standings.removeValue(forKey: identifier) {
      audiences[old.point]?.remove(identifier, old.kind)
      if audiences[old.point]?.isEmpty == true { audiences[old.point] = nil }
    }
    guard let facts = winner(identifier), let point = facts.extensionPoint, isInScope(facts),
      let kind = entry(identifier).flatMap({ Standing.Kind($0.state) })
    else { return }
    standings[identifier] = Standing(point: point, kind: kind)
    audiences[point, default: Audience()].add(identifier, kind)
  }

  /// Which of several copies counts: a developer's only where none is installed, a usable one first, then root order, then
  /// version.
  private mutating func resolve(_ identifier: String) {
    let paths = extensionPaths[identifier] ?? []
    // As nearly always.
    if paths.count == 1, let path = paths.first, let facts = bundles[path] {
      let entry = entry(for: facts)
      entries[path] = entry
      let counts = entry.state.mayCount && installed(besides: facts) == nil
      if !counts {
        chosen.updateValue(nil, forKey: identifier)
      } else if !chosen.isEmpty {
        chosen[identifier] = nil
      }
      return
    }
    if paths.isEmpty { chosen[identifier] = nil } else { chosen.updateValue(nil, forKey: identifier) }
    let pinned = pin(identifier)
    let copies = paths.compactMap { bundles[$0] }
    var candidates: [(facts: BundleFacts, entry: CatalogEntry)] = []
    for facts in copies {
      let entry = entry(for: facts)
      entries[facts.path] = entry
      if entry.state.mayCount, installed(besides: facts) == nil {
        candidates.append((facts, entry))
      }
    }
    candidates.sort { left, right in
      let (first, second) = (left.entry.state == .enabled, right.entry.state == .enabled)
      if first != second { return first }
      if let pinned, (left.facts.path == pinned) != (right.facts.path == pinned) {
        return left.facts.path == pinned
      }
      if left.facts.rootIndex != right.facts.rootIndex { return left.facts.rootIndex < right.facts.rootIndex }
      if left.facts.isNewer(than: right.facts) { return true }
      if right.facts.isNewer(than: left.facts) { return false }
      return left.facts.path < right.facts.path
    }
    guard let best = candidates.first else { return }
    chosen.updateValue(best.facts.path, forKey: identifier)
    for loser in candidates.dropFirst() {
      let why =
        if best.entry.state == .enabled, loser.entry.state != .enabled {
          "that one is approved"
        } else if best.facts.path == pinned {
          "it is pinned; 'extctl unpin \(identifier)' ends that"
        } else if best.facts.rootIndex != loser.facts.rootIndex {
          "its root comes first"
        } else if best.facts.isNewer(than: loser.facts) { "it is newer" } else { "its path sorts first" }
      entries[loser.facts.path] = CatalogEntry(
        state: .shadowed, explanation: "\(best.facts.path) is used in its place: \(why)")
    }
  }
}

extension CatalogEntry.State {
  /// Whether something of this state can be what its identifier stands for.
  fileprivate var mayCount: Bool { self != .invalid && self != .incompatible && self != .nearMiss }
}

extension BundleFacts {
  fileprivate func isNewer(than other: Self) -> Bool {
    BundleVersion.precedes(other.version ?? "", version ?? "")
  }
}
