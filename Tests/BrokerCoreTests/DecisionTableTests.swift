import ExtensionInterfaces
import LinuxSystem
import Testing

@testable import BrokerCore

private let publisher = "SHA256:" + String(repeating: "A", count: 43)
private let other = "SHA256:" + String(repeating: "B", count: 43)
private let revoked = "SHA256:" + String(repeating: "C", count: 43)

extension DecisionRow {
  var facts: BundleFacts {
    var facts = TestWorld.greeter(
      digest: content == .same ? "sha256:1" : "sha256:2", version: content == .older ? "0.9" : "1.0")
    facts.rootOwned = isRoots
    facts.entitlements =
      switch asks {
      case .nothing, .less: []
      case .same: ["gpu"]
      case .more: decided == .nothing ? ["gpu"] : ["audio", "gpu"]
      }
    facts.publisher =
      switch signature {
      case .none: nil
      case .same: publisher
      case .other: other
      case .revoked: revoked
      }
    return facts
  }

  var decisions: [Decision] {
    var decisions = [
      Decision(
        identifier: revoked, verdict: .revoked, digest: nil, entitlements: [], rootOwned: false, time: 0,
        peer: "")
    ]
    if decided != .nothing {
      let asked = asks == .nothing ? [] : ["gpu"]
      let key = signature == .revoked ? revoked : publisher
      decisions.append(
        Decision(
          identifier: TestWorld.extensionName, verdict: decided == .disabled ? .disabled : .enabled,
          digest: "sha256:1", entitlements: asked, rootOwned: isRoots,
          publisher: decided == .withPublisher ? key : nil, version: "1.0", time: 0, peer: ""))
    }
    return decisions
  }

  var policy: Policy {
    var match = PolicyRule.Match()
    match.identifiers = ["org.example.*"]
    if rules == .approvePublisher { match.publishers = [publisher] }
    var restrictions = PolicyRule.Restrictions()
    restrictions.forbiddenEntitlements = rules == .forbid ? ["gpu"] : []
    restrictions.requiresSignature = rules == .requireSignature
    let action: PolicyRule.Action? =
      switch rules {
      case .none: nil
      case .block: .block
      case .approve, .approvePublisher: .approve(entitlements: [])
      case .approveAll: .approve(entitlements: ["*"])
      case .forbid, .requireSignature: .restrict(restrictions)
      case .broken: .broken
      }
    return Policy(rules: action.map { [PolicyRule($0, match: match, source: "/etc/test.policy:1")] } ?? [])
  }
}

@Test(arguments: DecisionRow.all)
func `the state of an extension, and whether a host can use it, are what the table says`(row: DecisionRow)
  throws
{
  let world = TestWorld(
    bundles: [TestWorld.points(), row.facts], decisions: row.decisions, policy: row.policy)
  #expect(world.broker.catalog.entries[TestWorld.path]?.state == row.state)
  let request = world.activate(world.host())
  if row.state == .enabled {
    _ = try world.activation(request)
  } else {
    let error = try world.error(request, as: BrokerInterface.ExtensionNotEnabled.self)
    #expect(error.state.rawValue == row.state.rawValue)
    #expect(world.launches.isEmpty)
  }
}

@Test func `the page of decisions shows the table`() throws {
  let path = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/docs/decisions.md"
  let page = String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self)
  #expect(page.hasSuffix("\n\n" + DecisionRow.table), "the end of \(path) must be:\n\(DecisionRow.table)")
}
