import ExtensionInterfaces
import LinuxSystem
import Testing
import Varlink

@testable import ExtensionControl

struct ErrorTests {
  typealias Admin = AdminInterface
  typealias Broker = BrokerInterface

  struct Case: Sendable {
    let reply: VarlinkReply
    let status: Status
    let said: String

    init(_ reply: VarlinkReply, _ status: Status, _ said: String) {
      self.reply = reply
      self.status = status
      self.said = said
    }
  }

  static let adminCases = [
    Case(Admin.ExtensionNotFound(extension: "x").reply, .failed, "extctl list"),
    Case(Admin.Ambiguous(extension: "x", paths: ["/a", "/b"]).reply, .failed, "/a, /b"),
    Case(Admin.Changed(extension: "x", digest: "sha256:1", entitlements: []).reply, .changed, "sha256:1"),
    Case(Admin.NotApprovable(extension: "x", message: "broken").reply, .failed, "extctl lint x"),
    Case(Admin.StorageFailed(message: "full").reply, .failed, "full"),
    Case(Admin.InstanceNotFound(target: "i").reply, .failed, "extctl ps"),
    Case(Admin.TimedOut(message: "slow").reply, .timedOut, "slow"),
    Case(ServiceInterface.MethodNotFound(method: "m").reply, .failed, "GetInfo"),
    Case(VarlinkReply(error: "org.example.Other"), .failed, "org.example.Other"),
  ]

  static let brokerCases = [
    Case(Broker.HelloRequired().reply, .internalError, "before it was told"),
    Case(Broker.InvalidHost(message: "no").reply, .failed, "no"),
    Case(Broker.ExtensionNotFound(extension: "x").reply, .failed, "extctl list"),
    Case(
      Broker.ExtensionNotEnabled(extension: "x", state: .disabled, message: "off").reply, .notEnabled,
      "extctl explain x"),
    Case(Broker.SceneNotFound(scene: "s", scenes: ["One"]).reply, .failed, "One"),
    Case(
      Broker.ActivationFailed(
        reason: Broker.Reason(kind: .crashed), message: "died", standardError: ["\u{1B}[0m"]
      ).reply, .activationFailed, "\\u{1b}[0m"),
    Case(Broker.ConnectionRejected(message: "busy").reply, .failed, "busy"),
    Case(Broker.ActivationNotFound(activation: "a7").reply, .failed, "a7"),
    Case(Broker.ActivationEnded(activation: "a7", reason: Broker.Reason(kind: .idle)).reply, .failed, "idle"),
    Case(Broker.NotPermitted(message: "box").reply, .failed, "box"),
    Case(Broker.LimitReached(limit: "hosts", value: 3).reply, .failed, "extctl status"),
  ]

  @Test(
    "every error of the wire has its exit status, its text, and its name in JSON",
    arguments: adminCases + brokerCases)
  func replies(_ test: Case) {
    let error = ControlError(test.reply)
    #expect(error.status == test.status)
    #expect(error.description.contains(test.said))
    guard case .object(let json)? = error.json["error"] else {
      Issue.record("no error in \(error.json)")
      return
    }
    #expect(error.json["schema"] == .integer(1))
    #expect(json["status"] == .integer(Int64(test.status.rawValue)))
    #expect(json["name"] == test.reply.error.map(JSON.string))
    #expect(json["parameters"] == .object(test.reply.parameters))
  }

  @Test("the connection's own errors have their exit status")
  func connection() {
    #expect(ControlError(VarlinkClientError.unreachable(path: "/x", .noEntry)).status == .unavailable)
    #expect(ControlError(VarlinkClientError.closed).status == .unavailable)
    #expect(ControlError(VarlinkClientError.timedOut).status == .timedOut)
    #expect(ControlError(VarlinkClientError.malformed("x")).status == .internalError)
  }

  @Test("what changed since it was shown is named")
  func difference() {
    func item(_ version: String, _ digest: String, _ entitlements: [String]) -> Admin.Extension {
      Admin.Extension(
        identifier: "x", path: "/x.appex", state: .unapproved, explanation: "", version: version,
        digest: digest,
        rootOwned: false, entitlements: entitlements, problems: [], instances: 0)
    }
    #expect(ApprovalDifference.lines(from: item("1", "d", ["a"]), to: item("1", "d", ["a"])).isEmpty)
    #expect(
      ApprovalDifference.lines(from: item("1", "d", ["a"]), to: item("2", "e", ["b"]))
        == ["version: 1 -> 2", "digest: d -> e", "entitlement added: b", "entitlement gone: a"])
  }
}
