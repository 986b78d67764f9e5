internal import BrokerCore
internal import ExtensionInterfaces
internal import LinuxSystem

/// What a launch needs of the file systems of the person, which may lie on a network, or be served by a program that hangs.
/// For a worker.
struct LaunchPreparation: Sendable {
  let grants: SandboxGrants
  let profile: SandboxProfile

  init(_ order: LaunchOrder, places: Places, limits: Limits) throws(SandboxGrants.Refusal) {
    let container = places.containers + "/" + order.extensionIdentifier
    do throws(Errno) { try File.makeDirectories(container) } catch {
      throw .init(stage: "container", errno: Int(error.rawValue))
    }
    // Without a sandbox it has what one that asked for none has.
    let lines = order.entitlements + (order.withoutSandbox ? [Entitlement.simple(.none).line] : [])
    grants = try SandboxGrants(lines, places: places, isShown: order.isShown)
    let home =
      grants.includesHome
      ? try HomeMounts(home: places.home, own: places.own, moved: Places.moved) : nil
    profile = SandboxProfile(
      container: container, order: order, stdioProgram: places.stdioProgram, limits: limits, grants: grants,
      home: home)
  }
}
