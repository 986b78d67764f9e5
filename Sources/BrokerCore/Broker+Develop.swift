internal import ExtensionInterfaces
internal import Varlink

// Bundles of developers: in no root, approved by nobody, gone with the connection that brought them.

extension Broker {
  func development(of path: String) -> Development? {
    developments.first { path.isInside($0.path) }
  }

  private var developments: [Development] { developers.compactMap { sessions[$0]?.development } }

  // MARK: Beginning and end

  mutating func develop(_ call: AdminInterface.Develop, _ request: RequestID, more: Bool) {
    guard more else { return fail(request, ServiceInterface.ExpectedMore()) }
    let path = call.path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    guard path.hasPrefix("/"), !parts.contains(where: { ["", ".", ".."].contains($0) }) else {
      return refuse(request, path, "it must be a path from the root, without '.', '..' and double slashes")
    }
    guard sessions[request.peer]?.development == nil else {
      return refuse(request, path, "this connection has a bundle already; make another one")
    }
    if let other = developments.first(where: { path.isInside($0.path) || $0.path.isInside(path) }) {
      return refuse(
        request, path, "\(other.path) is another developer's already; end that 'extctl dev run' first")
    }
    sessions[request.peer]?.development = Development(request: request, path: path, waits: call.wait ?? false)
    developers.append(request.peer)
    effects.append(.develop(path: path))
  }

  /// The bundle was read for the first time.
  mutating func developed(_ path: String, _ found: [BundleFacts]) {
    guard let development = development(of: path), development.path == path, !development.isAccepted else {
      return
    }
    if let obstacle = obstacle(found, waits: development.waits) {
      sessions[development.request.peer]?.development = nil
      developers.removeAll { $0 == development.request.peer }
      effects.append(.withdraw(path: path))
      return refuse(development.request, path, obstacle)
    }
    sessions[development.request.peer]?.development?.isAccepted = true
    note(.notice, "developer.begun", found.first?.identifier, "\(path) is in use as a developer's bundle")
    applyBundles(found: found, removed: [])
  }

  /// What is in the way of a developer's bundle; nil where nothing is.
  private func obstacle(_ found: [BundleFacts], waits: Bool) -> String? {
    let bundles = found.filter { $0.kind == .appExtension || $0.kind == .application }
    guard !bundles.isEmpty else {
      return found.first?.problems.first?.message ?? "there is no bundle, such as Name.appex or Name.app"
    }
    for facts in bundles {
      if !facts.isDeveloped {
        return
          "it lies in a root, where it is used as it is installed; 'extctl explain \(facts.path)' tells how far"
      }
      let others = facts.identifier.map { catalog.matching($0) } ?? []
      if let other = others.first, let identifier = facts.identifier {
        return other.isDeveloped
          ? "\(other.path) is another developer's with the identifier \(identifier); end that 'extctl dev run' first"
          : "\(identifier) is installed at \(other.path), which a developer's bundle never displaces; 'extctl remove \(other.path)' first, or give yours an identifier of its own"
      }
      if waits, facts.runtime == .stdio {
        return
          "its Runtime is stdio, whose programs are started for each connection, so there is none to wait for; leave out --wait"
      }
    }
    return nil
  }

  private mutating func refuse(_ request: RequestID, _ path: String, _ message: String) {
    fail(request, AdminInterface.NotDevelopable(path: path, message: message))
  }

  /// The author's connection is gone, and with it the bundle.
  mutating func withdraw(_ development: Development) {
    effects.append(.withdraw(path: development.path))
    guard development.isAccepted else { return }
    for (id, instance) in instances where instance.isDeveloped && instance.path.isInside(development.path) {
      // What is stopped hears neither Stop nor SIGTERM.
      if instance.waits, instance.phase != .running { giveUp(id, Reason(kind: .removed)) }
    }
    let bundles = catalog.developed(at: development.path)
    note(
      .notice, "developer.ended", bundles.first?.identifier,
      "\(development.path) is no developer's bundle any more")
    applyBundles(found: [], removed: bundles.map(\.path))
  }

  // MARK: What authors are told

  /// Tells the author of an instance's bundle.
  mutating func tellDeveloper(_ instance: String, _ event: () -> AdminInterface.Develop.Reply) {
    guard let instance = instances[instance], instance.isDeveloped,
      // Until its bundle is read, what ends there was another connection's.
      let development = development(of: instance.path), development.isAccepted
    else { return }
    tell(development, event())
  }

  /// Tells authors what their bundles are now, where that is something else than what they heard last.
  mutating func tellDevelopers() {
    for development in developments where development.isAccepted {
      var rows = catalog.developed(at: development.path).map { row($0, in: languages) }
      for index in rows.indices {
        // How many run is told by other events.
        rows[index].instances = 0
        // What holds a limit depends on the launcher, which may come later: that is no news of the bundle.
        rows[index].limits = rows[index].limits?.map { bound in
          AdminInterface.Bound(name: bound.name, value: bound.value, asked: bound.asked)
        }
      }
      guard rows != development.told, sessions[development.request.peer]?.isBlocked != true else { continue }
      sessions[development.request.peer]?.development?.told = rows
      tell(development, AdminInterface.Develop.Reply(event: .found, extensions: rows))
    }
  }

  private mutating func tell(_ development: Development, _ event: AdminInterface.Develop.Reply) {
    let peer = development.request.peer
    if sessions[peer]?.isBlocked == true {
      sessions[peer]?.development?.dropped += event.lines?.count ?? 1
      return
    }
    if development.dropped > 0 {
      sessions[peer]?.development?.dropped = 0
      reply(
        development.request,
        AdminInterface.Develop.Reply(event: .output, lines: leftOut(development.dropped)), continues: true)
    }
    reply(development.request, event, continues: true)
  }
}

extension String {
  /// Whether this path is the other one, or below it.
  func isInside(_ path: String) -> Bool { self == path || hasPrefix(path + "/") }
}
