internal import ExtensionInterfaces

// An instance's display: a Wayland connection between it and its host, which is the compositor.
//
// It is made once. Whoever was refused the connection with which it came has not got it: the host's end waits here for the
// next connection, since the extension may keep its own. A broker that ends meanwhile takes it along, and the extension's
// toolkit ends with that, as with any compositor.

extension Broker {
  /// Why an extension cannot be shown; nil where it can.
  func obstacleToDisplay(of facts: BundleFacts, _ point: PointFacts) -> BrokerInterface.DisplayUnavailable? {
    let identifier = facts.identifier ?? ""
    if !point.userInterface {
      return .init(
        message:
          "\(identifier) cannot be shown, since its point \(point.identifier) is for extensions without an interface; its host sets UserInterface in the point"
      )
    }
    if facts.runtime == .stdio {
      return .init(
        message:
          "\(identifier) cannot be shown, since its Runtime stdio is for programs without an interface; Runtime wayland, in its Info.plist, is for those with one"
      )
    }
    return nil
  }

  /// The same of an instance that runs.
  func obstacleToDisplay(of id: String) -> BrokerInterface.DisplayUnavailable? {
    guard let instance = instances[id], instance.display == .none else { return nil }
    if let facts = catalog.bundles[instance.path], let point = catalog.point(instance.extensionPoint),
      let obstacle = obstacleToDisplay(of: facts, point)
    {
      return obstacle
    }
    return .init(
      message:
        "this instance of \(instance.identifier) is older than its interface; end it, and activate again")
  }

  /// Whether all its windows are one scene's: an ordinary program, which knows nothing of scenes. nil where it is none.
  func isUnmodified(_ id: String) -> Bool? {
    guard let instance = instances[id], let facts = catalog.bundles[instance.path] else { return nil }
    return facts.runtime == .wayland ? true : nil
  }

  /// Whether the extension gets its end with the connection that it is asked to accept now.
  mutating func offerDisplay(_ id: String) -> Bool {
    guard moveDisplay(of: id, from: .possible, to: .waiting) else { return false }
    // Before the extension has it: another broker must not give a second one.
    setNote(id)
    return true
  }

  mutating func displayFailed(_ id: String) {
    if moveDisplay(of: id, from: .waiting, to: .possible) { setNote(id) }
  }

  /// The host's end, unless it was given before.
  mutating func giveDisplay(_ id: String) -> DescriptorSource? {
    moveDisplay(of: id, from: .waiting, to: .given) ? .display(instance: id) : nil
  }

  /// false where it was not there.
  private mutating func moveDisplay(
    of id: String, from old: Instance.Display, to new: Instance.Display
  ) -> Bool {
    instances.update(id) { instance in
      guard instance.display == old else { return false }
      instance.display = new
      return true
    } ?? false
  }
}
