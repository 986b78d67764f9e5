internal import Distributed
internal import LinuxSystem
internal import Testing

@testable internal import ExtensionDistributed
@testable internal import ExtensionFoundation

@Resolvable
protocol Workshop: DistributedActor where ActorSystem: DistributedActorSystem<any Codable & Sendable> {
  distributed func echo(_ item: Item) async throws -> Item
  distributed func scalars(
    _ bool: Bool, _ small: Int8, _ large: UInt64, _ double: Double, _ float: Float, _ text: String
  ) async throws -> String
  distributed func collections(_ lists: [[Int]], _ byName: [String: Int?], _ set: Set<String>) async throws
    -> [String: [Int]]
  distributed func maybe(_ value: Int?) async throws -> Int?
  distributed func bytes(_ bytes: [UInt8]) async throws -> [UInt8]
  distributed func note(_ text: String) async throws
  distributed func notes() async throws -> [String]
  distributed func fail(_ how: String) async throws -> Int
  distributed func slow() async throws
  distributed func askBack(_ name: String) async throws -> String
  distributed func unlisted(_ value: Unlisted) async throws
  distributed func giveUnlisted() async throws -> Unlisted
  distributed func pick<Value: Codable & Sendable>(_ value: Value, _ others: [[Value]]) async throws -> Value
}

/// To which nobody here conforms but `Stranger`.
@Resolvable
protocol Secret: DistributedActor where ActorSystem: DistributedActorSystem<any Codable & Sendable> {
  distributed func tell(_ word: String) async throws -> String
}

struct Item: Codable, Hashable {
  enum Kind: String, Codable { case saw, hammer }
  enum State: Codable, Hashable { case new, worn(percent: Int), lent(to: String?) }

  var kind: Kind
  var states: [State]
  var parts: [Item] = []
  var price: Double?
  var label: [UInt8] = []
}

struct Unlisted: Codable { var text = "" }

enum Misfortune: Error, Codable, Equatable { case broken(tool: String), lost }
struct Mishap: Error, Codable, CustomStringConvertible { var description: String { "a mishap" } }

distributed actor Shop: Workshop {
  typealias ActorSystem = AppExtensionActorSystem

  private var written: [String] = []
  private var isSlow = false
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private let cancellations = AsyncStream.makeStream(of: Void.self)

  distributed func echo(_ item: Item) -> Item { item }

  distributed func scalars(
    _ bool: Bool, _ small: Int8, _ large: UInt64, _ double: Double, _ float: Float, _ text: String
  ) -> String { "\(bool) \(small) \(large) \(double) \(float) \(text)" }

  distributed func collections(_ lists: [[Int]], _ byName: [String: Int?], _ set: Set<String>) -> [String:
    [Int]]
  {
    var all = byName.mapValues { $0.map { [$0] } ?? [] }
    for name in set { all[name] = lists.flatMap(\.self) }
    return all
  }

  distributed func maybe(_ value: Int?) -> Int? { value }
  distributed func bytes(_ bytes: [UInt8]) -> [UInt8] { bytes.reversed() }
  distributed func note(_ text: String) { written.append(text) }
  distributed func notes() -> [String] { written }

  distributed func fail(_ how: String) throws -> Int {
    switch how {
    case "allowed": throw Misfortune.broken(tool: "saw")
    case "not allowed": throw Mishap()
    default: return 1
    }
  }

  /// Lasts until it is cancelled.
  distributed func slow() async throws {
    isSlow = true
    for waiter in waiters { waiter.resume() }
    waiters = []
    defer { cancellations.continuation.yield() }
    try await Task.sleep(for: .seconds(3600))
  }

  distributed func askBack(_ name: String) async throws -> String {
    try await $Workshop.resolve(id: name, using: actorSystem).scalars(true, -1, 2, 0.5, 0.25, "back")
  }

  distributed func unlisted(_ value: Unlisted) {}
  distributed func giveUnlisted() -> Unlisted { Unlisted() }

  distributed func pick<Value: Codable & Sendable>(_ value: Value, _ others: [[Value]]) -> Value { value }

  func untilSlow() async {
    if !isSlow { await withCheckedContinuation { waiters.append($0) } }
  }

  func untilCancelled() async { for await _ in cancellations.stream { return } }
}

distributed actor Stranger: Secret {
  typealias ActorSystem = AppExtensionActorSystem
  distributed func tell(_ word: String) -> String { word }
}

/// Two ends over a socket, each with a system.
struct Pair {
  let host: AppExtensionActorSystem
  let service: AppExtensionActorSystem

  init() throws {
    let (first, second) = try Socket.pair()
    host = AppExtensionActorSystem(Self.connection(first))
    service = AppExtensionActorSystem(Self.connection(second))
    for system in [host, service] {
      system.allow(Item.self)
      system.allow(Misfortune.self)
    }
  }

  func resume() {
    service.connection.resume()
    host.connection.resume()
  }

  func invalidate() {
    host.connection.invalidate()
    service.connection.invalidate()
  }

  /// With a shop on one end, and what the other one has of it.
  static func talking() throws -> (pair: Pair, shop: Shop, remote: $Workshop<AppExtensionActorSystem>) {
    let pair = try Pair()
    let shop = Shop(actorSystem: pair.service)
    pair.service.export(shop, as: "shop", answering: $Workshop.self)
    pair.resume()
    return (pair, shop, try $Workshop.resolve(id: "shop", using: pair.host))
  }

  static func connection(_ socket: SharedDescriptor) -> AppExtensionConnection {
    AppExtensionConnection(socket, activationID: "a", sceneID: nil)
  }
}

func error(_ work: () async throws -> Void) async -> AppExtensionError? {
  do {
    try await work()
    return nil
  } catch {
    return error as? AppExtensionError
  }
}
