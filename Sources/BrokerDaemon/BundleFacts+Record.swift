internal import BrokerCore
internal import ExtensionBundles
internal import ExtensionInterfaces

extension BrokerCore.BundleFacts {
  /// What the broker has to know of a bundle that was read.
  init(_ record: BundleRecord, rootIndex: Int, digest: BundleDigest?, late: BundleProblem?) {
    let kind: Kind =
      record.isNearMiss
      ? .nearMiss
      : switch record.kind {
      case .application: .application
      case .appExtension: .appExtension
      case .pointFile: .pointFile
      }
    self.init(path: record.path, rootIndex: rootIndex, kind: kind)
    identifier = record.identifier
    localizedName = record.name
    extensionPoint = record.extensionPoint
    version = record.shortVersion ?? record.version
    buildVersion = record.version
    containingPath = record.container?.path
    containingHost = record.container?.identifier
    self.digest = digest?.description
    rootOwned = record.isRootOwned
    entitlements = record.entitlements
    problems = (record.problems + (late.map { [$0] } ?? [])).map {
      AdminInterface.Problem(check: $0.check.rawValue, message: $0.message)
    }
    incompatibility = record.incompatible
    runtime = .init(rawValue: record.options.runtime.rawValue) ?? .varlink
    if let timeout = record.options.startTimeout { startTimeout = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000 }
    program = record.executable
    arguments = record.options.arguments
    points = record.points.map { point in
      PointFacts(
        identifier: point.identifier, host: record.kind == .application ? record.identifier : nil,
        userInterface: point.userInterface, scope: .init(rawValue: point.scope.rawValue) ?? .application,
        instancePolicy: .init(rawValue: point.instancePolicy.rawValue) ?? .perHost, version: point.version)
    }
  }
}
