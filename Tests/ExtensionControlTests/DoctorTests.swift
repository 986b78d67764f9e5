import ExtensionInterfaces
import LinuxSystem
import Testing
import Varlink

@testable import ExtensionControl

struct DoctorTests {
  @Test("a runtime directory must be a private directory of one's own")
  func runtime() throws {
    let place = try TemporaryDirectory()
    try File.makeDirectory(place.path + "/private", mode: 0o700)
    try place.write("x", to: "file")
    #expect(Checkup.runtimeDirectory(place.path + "/private").result == .ok)
    for name in ["file", "none"] {
      let check = Checkup.runtimeDirectory(place.path + "/" + name)
      #expect(check.result == .fail && check.mend != nil)
    }
  }

  @Test("roots, launcher and warnings of the broker are judged, each with its mend")
  func judgement() {
    let status = AdminInterface.Status.Reply(
      version: "1", pid: 1, generation: "g", since: 0, launcher: .absent, controlGroups: false,
      roots: [
        .init(path: "/a", state: .watched, bundles: 1), .init(path: "/b", state: .polled, bundles: 1),
        .init(path: "/c", state: .failed, bundles: 0),
      ],
      limits: [], extensions: 0, instances: 0, activations: 0, hosts: 0, descriptors: 3, warnings: ["careful"]
    )
    let checks = Checkup.judge(status)
    #expect(checks.map(\.result) == [.fail, .warn, .ok, .warn, .fail, .warn])
    #expect(checks.allSatisfy { ($0.mend == nil) == ($0.result == .ok) })
  }

  @Test("a broken bundle is a warning that names it")
  func bundles() {
    func row(_ path: String, _ problems: [AdminInterface.Problem]) -> AdminInterface.Extension {
      AdminInterface.Extension(
        path: path, state: problems.isEmpty ? .unapproved : .invalid, explanation: "", rootOwned: false,
        entitlements: [], problems: problems, instances: 0)
    }
    let checks = Checkup.judge([row("/a", []), row("/b", [.init(check: "keyType", message: "no")])])
    #expect(checks.map(\.result) == [.warn])
    #expect(checks.first?.mend == "extctl lint /b")
    #expect(Checkup.judge([row("/a", [])]).map(\.result) == [.ok])
  }

  @Test("programs are run to their end, for what they say")
  func program() {
    let run = Program.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
    #expect(run.end == .exited(status: 3))
    #expect(run.output == "out; err")
    #expect(Program.run("no-such-program", []).end == nil)
  }
}
