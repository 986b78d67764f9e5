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
    let kinds: [BundleRecord.Kind: Kind] = [
      .application: .application, .appExtension: .appExtension, .pointFile: .pointFile,
    ]
    let kind = record.isNearMiss ? .nearMiss : kinds[record.kind] ?? .nearMiss
    self.init(path: record.path, rootIndex: rootIndex, kind: kind)
    identifier = record.identifier
    name = record.name
    details = record.details
    extensionPoint = record.extensionPoint
    version = record.shortVersion ?? record.version
    buildVersion = record.version
    containingPath = record.container?.path
    containingHost = record.container?.identifier
    self.digest = digest?.description
    rootOwned = record.isRootOwned
    entitlements = record.entitlements
    var found = record.problems + (late.map { [$0] } ?? [])
    incompatibility = record.incompatible
    switch signature {
    case .unsigned: break
    case .signed(let key): (publisher, publisherKeyType) = (key.fingerprint, key.label)
    case .bad(let problem): found.append(problem)
    case .unverified(let why): incompatibility = incompatibility ?? why
    }
    problems = found.map { AdminInterface.Problem(check: $0.check.rawValue, message: $0.message) }
    if record.options.runtime == .wayland {
      incompatibility =
        "Runtime \(record.options.runtime.rawValue) is not served by this version; it serves varlink and stdio"
    }
    if incompatibility == nil {
      incompatibility = SandboxGrants.incompatibility(of: record.entitlements, landlock: Landlock.level)
    }
    pointVersion = record.options.pointVersion
    runtime = .init(rawValue: record.options.runtime.rawValue) ?? .varlink
    startTimeout = record.options.startTimeout.map { Int64($0 / .milliseconds(1)) }
    program = record.executable
    programs = record.programs
    arguments = record.options.arguments
    points = record.points.map { point in
      PointFacts(
        identifier: point.identifier, host: record.kind == .application ? record.identifier : nil,
        userInterface: point.userInterface, scope: .init(rawValue: point.scope.rawValue) ?? .application,
        instancePolicy: .init(rawValue: point.instancePolicy.rawValue) ?? .perHost, version: point.version,
        interface: point.interface)
    }
  }
}
