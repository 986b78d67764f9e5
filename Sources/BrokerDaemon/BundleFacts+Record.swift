internal import BrokerCore
internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

extension BrokerCore.BundleFacts {
  /// What the broker has to know of a bundle that was read.
  init(
    _ record: BundleRecord, rootIndex: Int, digest: BundleDigest?, signature: SignatureCheck,
    late: BundleProblem?
  ) {
    let kind: Kind =
      switch record.kind {
      case _ where record.isNearMiss: .nearMiss
      case .application: .application
      case .appExtension: .appExtension
      case .pointFile: .pointFile
      }
    self.init(path: record.path, rootIndex: rootIndex, kind: kind)
    var more = More()
    identifier = record.identifier
    name = record.name
    more.details = record.details
    extensionPoint = record.extensionPoint
    version = record.shortVersion ?? record.version
    buildVersion = record.version
    more.containingPath = record.container?.path
    more.containingHost = record.container?.identifier
    if let digest { setDigest(sha256: digest.bytes) }
    rootOwned = record.isRootOwned
    more.entitlements = record.entitlements
    var found = record.problems + (late.map { [$0] } ?? [])
    more.incompatibility = record.incompatible
    switch signature {
    case .unsigned: break
    case .signed(let key): (more.publisher, more.publisherKeyType) = (key.fingerprint, key.label)
    case .bad(let problem): found.append(problem)
    case .unverified(let why): more.incompatibility = more.incompatibility ?? why
    }
    more.problems = found.map { AdminInterface.Problem(check: $0.check.rawValue, message: $0.message) }
    if more.incompatibility == nil {
      more.incompatibility = SandboxGrants.incompatibility(of: record.entitlements, landlock: Landlock.level)
    }
    more.pointVersion = record.options.pointVersion
    runtime = .init(rawValue: record.options.runtime.rawValue) ?? .varlink
    more.startTimeout = record.options.startTimeout.map { Int64($0 / .milliseconds(1)) }
    let limits = record.options.limits
    more.bounds = ResourceBounds(
      memory: limits.memory, processes: limits.processes, cpuWeight: limits.cpuWeight,
      openFiles: limits.openFiles, fileSize: limits.fileSize)
    program = record.executable
    more.programs = record.programs
    more.arguments = record.options.arguments
    more.points = record.points.map { point in
      PointFacts(
        identifier: point.identifier, host: record.kind == .application ? record.identifier : nil,
        userInterface: point.userInterface, scope: .init(rawValue: point.scope.rawValue) ?? .application,
        instancePolicy: .init(rawValue: point.instancePolicy.rawValue) ?? .perHost, version: point.version,
        interface: point.interface)
    }
    self.more = more
  }
}
