import BrokerCore

extension FuzzTarget {
  /// A policy file. Nothing that could not be read opens anything, and all that is wrong is said, within bounds.
  static let policy = FuzzTarget("policy") { bytes in
    let file = PolicyFile(bytes, path: "/p")
    expect(file == PolicyFile(bytes, path: "/p"), "it reads otherwise the second time")
    expect(file.problems.count <= 20, "too many problems")
    expect(
      file.problems.allSatisfy { $0.hasPrefix("/p:") && !$0.utf8.contains(10) }, "a problem without a place")
    expect(file.rules.allSatisfy { $0.source.hasPrefix("/p:") }, "a rule without a place")
    let broken = file.rules.count { $0.action == .broken }
    expect(broken == 0 || !file.problems.isEmpty, "a broken rule and no word of it")
    // Nobody trusts a file of somebody else's: it opens nothing at all.
    let distrusted = PolicyFile(bytes, path: "/p", distrust: "not root's")
    expect(distrusted.rules.allSatisfy { $0.action == .broken }, "a rule of a file that is not trusted")
    expect(distrusted.rules.map(\.match) == file.rules.map(\.match), "it names something else")
  }
}
