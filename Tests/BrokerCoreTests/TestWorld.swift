import ExtensionInterfaces
import Varlink

@testable import BrokerCore

/// A broker that is ready, with a launcher, a storage and extensions that do at once what they are asked,
/// as far as `automatic` says so.
final class TestWorld {
  struct Automatic: OptionSet {
    let rawValue: Int
    static let store = Automatic(rawValue: 1)
    static let check = Automatic(rawValue: 2)
    static let launch = Automatic(rawValue: 4)
    static let start = Automatic(rawValue: 8)
    static let lease = Automatic(rawValue: 16)
    static let accept = Automatic(rawValue: 32)
    static let all: Automatic = [.store, .check, .launch, .start, .lease, .accept]
  }

  enum Answer {
    case reply(any VarlinkStructure, [DescriptorSource], continues: Bool)
    case error(any VarlinkErrorReply)
  }

  var broker: Broker
  var automatic = Automatic.all
  /// What instances offer.
  var scenes: [String]?
  var hearsMemoryPressure = false
  var now = Moment(monotonic: 1_000, wall: 1_700_000_000_000)
  /// Everything that the broker wanted, in order.
  var effects: [Effect] = []
  var answers: [RequestID: [Answer]] = [:]
  private var serial: UInt64 = 0
  private var peers: UInt64 = 0

  static let point = "org.example.Editor.greeting"
  static let extensionName = "org.example.Greeter"
  static let path = "/roots/Greeter.appex"
  static let launcher = LauncherFacts(processID: 77, controlGroups: true, unsettledStarts: 0)

  /// With one point that is open to all, and one extension that waits for approval.
  init(
    generation: String = "g1", limits: Limits = Limits(), bundles: [BundleFacts]? = nil,
    decisions: [Decision] = [], policy: Policy = Policy(), ready: Bool = true, approval: Approval = .person
  ) {
    broker = Broker(generation: generation, limits: limits, approval: approval)
    send(.decisionsLoaded(decisions))
    send(.policyLoaded(policy))
    add(bundles ?? [Self.points(), Self.greeter()])
    send(.scanned(0))
    guard ready else { return }
    connectLauncher()
  }

  /// A broker that was told nothing yet.
  init(unknowing generation: String) { broker = Broker(generation: generation) }

  func connectLauncher() {
    send(.launcherConnected(Self.launcher))
    send(.restored)
  }

  // MARK: Bundles

  static func points(
    policy: PointFacts.InstancePolicy = .perHost, scope: PointFacts.Scope = .none, userInterface: Bool = false
  ) -> BundleFacts {
    var facts = BundleFacts(path: "/roots/points", rootIndex: 0, kind: .pointFile)
    facts.points = [
      PointFacts(
        identifier: point, host: "org.example.Editor", userInterface: userInterface, scope: scope,
        instancePolicy: policy)
    ]
    return facts
  }

  static func greeter(
    path: String = path, digest: String = "sha256:1", rootIndex: Int = 0, version: String = "1.0",
    entitlements: [String] = []
  ) -> BundleFacts {
    var facts = BundleFacts(path: path, rootIndex: rootIndex, kind: .appExtension)
    facts.identifier = extensionName
    facts.extensionPoint = point
    facts.digest = digest
    facts.version = version
    facts.entitlements = entitlements
    facts.program = "greeter"
    return facts
  }

  func add(_ facts: [BundleFacts]) { send(.bundles(found: facts, removed: [])) }

  // MARK: Peers

  func open(
    _ door: Peer.Door = .host, process: Int32? = nil, executable: String? = nil, group: String? = nil,
    sandboxed: Bool = false, isExecutableHere: Bool = true
  ) -> PeerID {
    peers += 1
    let peer = PeerID(peers)
    let identity = ProcessIdentity(processID: process ?? Int32(1000 + peers), startTime: 5)
    send(
      .peerOpened(
        peer,
        Peer(
          door: door, process: identity, executable: executable, controlGroup: group, sandboxed: sandboxed,
          isExecutableHere: isExecutableHere)))
    return peer
  }

  func host(
    _ identifier: String = "org.example.Editor", process: Int32? = nil, executable: String? = nil,
    group: String? = nil, sandboxed: Bool = false, isExecutableHere: Bool = true
  ) -> PeerID {
    let peer = open(
      process: process, executable: executable, group: group, sandboxed: sandboxed,
      isExecutableHere: isExecutableHere)
    call(peer, .hello(.init(hostIdentifier: identifier)))
    return peer
  }

  @discardableResult
  func call(_ peer: PeerID, _ call: BrokerInterface.Call, more: Bool = false) -> RequestID {
    serial += 1
    let request = RequestID(peer: peer, serial: serial)
    send(.hostCall(request, call, more: more))
    return request
  }

  @discardableResult
  func admin(_ call: AdminInterface.Call, peer: PeerID? = nil, more: Bool = false) -> RequestID {
    serial += 1
    let request = RequestID(peer: peer ?? open(.admin), serial: serial)
    send(.adminCall(request, call, more: more))
    return request
  }

  @discardableResult
  func approve(
    _ name: String = extensionName, digest: String = "sha256:1", entitlements: [String] = []
  ) -> RequestID {
    admin(.approve(.init(extension: name, digest: digest, entitlements: entitlements)))
  }

  @discardableResult
  func activate(
    _ peer: PeerID, _ name: String = extensionName, scene: String? = nil, connect: Bool = false,
    display: Bool? = nil
  ) -> RequestID {
    call(peer, .activate(.init(extension: name, scene: scene, connect: connect, display: display)))
  }

  @discardableResult
  func subscribe(_ peer: PeerID, _ points: [String] = [point]) -> RequestID {
    call(peer, .subscribe(.init(extensionPoints: points)), more: true)
  }

  // MARK: Time and events

  func pass(_ milliseconds: Int64) {
    now.monotonic += milliseconds
    now.wall += milliseconds
    send(.time)
  }

  func send(_ event: Event) {
    for effect in broker.handle(event, at: now) {
      effects.append(effect)
      keep(effect)
      answer(effect)
    }
  }

  private func keep(_ effect: Effect) {
    switch effect {
    case .reply(let request, let value, let descriptors, let continues):
      answers[request, default: []].append(.reply(value, descriptors, continues: continues))
    case .tell(let requests, let value):
      for request in requests { answers[request, default: []].append(.reply(value, [], continues: true)) }
    case .fail(let request, let error): answers[request, default: []].append(.error(error))
    default: break
    }
  }

  private func answer(_ effect: Effect) {
    switch effect {
    case .storeDecision(let request, let decision) where automatic.contains(.store):
      send(.decisionStored(request, decision))
    case .checkBundle(let instance, _, _) where automatic.contains(.check):
      send(.bundleChecked(instance: instance, .current))
    case .launch(let order) where automatic.contains(.launch):
      send(.launched(instance: order.instance, processID: 4242))
      send(.executed(instance: order.instance))
      if order.waits { send(.stopped(instance: order.instance, processID: 4244)) }
    case .start(let instance, let call, _, _) where automatic.contains(.start):
      send(
        .answered(
          instance: instance, call: call, scenes: scenes, hearsMemoryPressure: hearsMemoryPressure))
    case .keepLease(let activation, _, _) where automatic.contains(.lease):
      send(.leaseKept(activation: activation))
    case .accept(let instance, let call, _, _, _, _) where automatic.contains(.accept):
      send(.answered(instance: instance, call: call, scenes: nil))
    default: break
    }
  }
}
