import ExtensionInterfaces
import Varlink

@testable import BrokerCore

// Hosts and people: a connection each, one call at a time.

/// Somebody's connection.
struct Client {
  /// Whoever is behind it.
  struct Program: Hashable {
    var process: Int32, birth: Int64, name: String, sandboxed = false, executable: String? = nil
    var key: HostKey {
      HostKey(identifier: name, process: ProcessIdentity(processID: process, startTime: birth))
    }
  }

  struct Call {
    var request: RequestID, since: Int64
    /// It has a deadline, or is answered in the same breath.
    var isBounded = false
    var asked: String?
  }

  /// What came on a stream, and what the host knows from it.
  struct Stream {
    let points: Set<String>
    let openedAt: Int
    var sequence = 0
    var known: [String: BrokerInterface.Identity] = [:]
    var states: [String: Int] = [:]
  }

  let door: Peer.Door
  let program: Program
  var isGreeted = false
  var verified = false
  var isBlocked = false
  var call: Call?
  var stream: Stream?
}

/// What became of an activation that a host was given.
struct Life {
  let host: HostKey
  let instance: String
  /// Its host closed the lease, or is dead.
  var hostLetGo = false
  /// When its host heard of the end.
  var toldAt: Int?
  var mayRepeat = false
  /// Nobody can tell of the end any more, and that is no fault.
  private(set) var isExcused = false
  var endedAt: Int64?
  /// The run of the broker that said so.
  var endedIn: Int?

  mutating func excuse() { isExcused = true }
  var isSettled: Bool { toldAt != nil || isExcused || hostLetGo }
}

extension Simulator {
  /// Two editors, a viewer, the editor again in a sandbox, something in a sandbox that only says it were the editor,
  /// and an extension that plays host from inside its own sandbox.
  static let programs: [(process: Int32, name: String, sandboxed: Bool, executable: String?)] = [
    (500, Disk.editor, false, nil), (501, Disk.editor, false, "/usr/Editor.app/editor"),
    (502, Disk.viewer, false, nil), (503, Disk.editor, true, "/usr/Editor.app/editor"),
    (504, Disk.editor, true, "/usr/bin/other"), (505, Disk.viewer, true, "/bundle/main"),
  ]

  func open() {
    guard chance(75) else {
      add(Client(door: .admin, program: .init(process: 900, birth: 1, name: "")))
      return
    }
    let inSandbox = chance(20)
    guard let program = pick(Self.programs.filter { $0.sandboxed == inSandbox }) else { return }
    let birth = births[program.process, default: 1]
    let client = Client(
      door: .host,
      program: .init(
        process: program.process, birth: birth, name: program.name, sandboxed: program.sandboxed,
        executable: program.executable))
    greet(add(client))
  }

  /// A host whose stream ended with the broker opens another one.
  func comeBack(_ client: Client) {
    guard client.program.birth == births[client.program.process, default: 1] else { return }
    let peer = add(Client(door: .host, program: client.program))
    greet(peer)
    if clients[peer]?.isGreeted == true { subscribe(peer, client.stream?.points ?? Set(Disk.points)) }
  }

  @discardableResult
  func add(_ client: Client) -> PeerID {
    number += 1
    let peer = PeerID(number)
    clients[peer] = client
    order.append(peer)
    let program = client.program
    send(
      .peerOpened(
        peer,
        Peer(
          door: client.door, process: program.key.process, executable: program.executable,
          sandboxed: program.sandboxed)))
    return peer
  }

  func greet(_ peer: PeerID) {
    guard let name = clients[peer]?.program.name else { return }
    ask(peer, .hello(.init(hostIdentifier: name)))
  }

  func close(_ peer: PeerID) {
    clients[peer] = nil
    order.removeAll { $0 == peer }
    send(.peerClosed(peer))
  }

  /// A process ends: all that it has is closed.
  func die(_ process: Int32) {
    let birth = births[process, default: 1]
    births[process] = birth + 1
    for peer in order where clients[peer]?.program.process == process { close(peer) }
    for (id, life) in lives where life.host.process == ProcessIdentity(processID: process, startTime: birth) {
      endLease(id, hostLives: false)
      lives[id]?.hostLetGo = true
    }
  }

  func block(_ peer: PeerID) {
    guard let client = clients[peer] else { return }
    clients[peer]?.isBlocked = !client.isBlocked
    send(client.isBlocked ? .peerDrained(peer) : .peerBlocked(peer))
  }

  // MARK: Calls

  private func begin(_ peer: PeerID, isBounded: Bool, asked: String?) -> RequestID {
    number += 1
    let request = RequestID(peer: peer, serial: number)
    clients[peer]?.call = Client.Call(
      request: request, since: now.monotonic, isBounded: isBounded, asked: asked)
    return request
  }

  func ask(
    _ peer: PeerID, _ call: BrokerInterface.Call, isBounded: Bool = false, more: Bool = false,
    asked: String? = nil
  ) {
    let request = begin(peer, isBounded: isBounded, asked: asked)
    let run = run
    send(.hostCall(request, call, more: more))
    if !isBounded, run == self.run, broker.isReady, clients[peer]?.stream == nil,
      clients[peer]?.call?.request == request
    {
      fault("\(call) is not answered at once")
    }
  }

  func subscribe(_ peer: PeerID, _ points: Set<String>) {
    // The books are open before the first reply comes.
    clients[peer]?.stream = Client.Stream(points: points, openedAt: count + 1)
    ask(peer, .subscribe(.init(extensionPoints: points.sorted())), more: true)
  }

  func hostCall() {
    let idle = order.filter { clients[$0]?.door == .host && clients[$0]?.call == nil }
    guard let peer = pick(idle), let client = clients[peer] else { return }
    guard client.isGreeted else { return greet(peer) }
    // To be refused is soon tested.
    if client.program.sandboxed, !client.verified, chance(80) { return }
    let name = pick(Disk.names) ?? ""
    let own = lives.filter { $0.value.host == client.program.key }.keys
    // Also those that belong to somebody else.
    let known = pick((chance(80) ? Array(own) : Array(lives.keys)).sorted()) ?? "none"
    switch Int.random(in: 0..<11, using: &random) {
    case 0..<6:
      let scene = chance(30) ? (chance(80) ? "a" : "b") : nil
      let (connects, isShown) = (chance(50), chance(50))
      ask(
        peer,
        .activate(
          .init(extension: name, scene: scene, connect: connects, display: connects && isShown)
        ), isBounded: true, asked: name)
    case 6: ask(peer, .connect(.init(activation: known, display: chance(50))), isBounded: true)
    case 7: ask(peer, .getActivation(.init(activation: known)))
    case 8: ask(peer, .discover(.init(extensionPoints: [pick(Disk.points) ?? ""])))
    default:
      // A stream takes its connection for itself.
      guard order.count(where: { clients[$0]?.stream != nil }) < 5 else { return }
      subscribe(peer, chance(50) ? Set(Disk.points) : [pick(Disk.points) ?? ""])
    }
  }

  func adminCall() {
    let idle = order.filter { clients[$0]?.door == .admin && clients[$0]?.call == nil }
    guard let peer = pick(idle) else { return }
    let paths = disk.keys.sorted()
    let name = chance(70) ? pick(Disk.names + Disk.hosts) ?? "" : pick(paths) ?? ""
    let facts = disk[name] ?? pick(paths.compactMap { disk[$0] }.filter { $0.identifier == name })
    let digest = chance(85) ? facts?.digest ?? "" : "\(name)-0"
    let calls: [AdminInterface.Call] = [
      .approve(.init(extension: name, digest: digest, entitlements: facts.map(asked) ?? [])),
      .approve(
        .init(
          extension: name, digest: digest, entitlements: facts.map(asked) ?? [], publisher: facts?.publisher)),
      chance(50)
        ? .revokePublisher(.init(fingerprint: pick(Disk.publishers) ?? ""))
        : .reset(.init(extension: pick(Disk.publishers) ?? "")),
      .approve(.init(extension: name, digest: digest, entitlements: [])),
      .reset(.init(extension: name)), .disable(.init(extension: name)), .stop(.init(target: name)),
      .explain(.init(extension: name)), .list(.init()), .listActivations(.init()), .status(.init()),
      .rescan(.init(wait: true)), .watch(.init()), .logs(.init(extension: name)), .history(.init()),
      .listInstances(.init()), .listHosts(.init()), .listExtensionPoints(.init()),
      .develop(.init(path: Disk.tool, wait: chance(50))), .develop(.init(path: Disk.tool)),
    ]
    let call = calls[Int.random(in: calls.indices, using: &random)]
    let request = begin(peer, isBounded: false, asked: name)
    var isStream = false
    if case .watch = call { isStream = chance(50) }
    if case .logs = call { isStream = chance(50) }
    if case .develop = call { isStream = chance(90) }
    send(.adminCall(request, call, more: isStream))
  }
}
