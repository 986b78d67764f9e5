public import Distributed

/// What two programs of the tests ask each other.
@Resolvable
public protocol Neighbour: DistributedActor
where ActorSystem: DistributedActorSystem<any Codable & Sendable> {
  /// The number of the process.
  distributed func process() async throws -> Int32
  /// Asks its caller's neighbour for a parcel, and passes it on.
  distributed func fetch(_ name: String) async throws -> Parcel
  /// Gives a parcel; of none it throws `NoParcel`.
  distributed func give(_ name: String) async throws -> Parcel
  /// Lasts until it is cancelled. Before, it tells its caller's neighbour.
  distributed func wait() async throws
  distributed func isWaiting() async throws
}

public struct Parcel: Codable, Hashable, Sendable {
  public var name: String
  public var bytes: [UInt8]

  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

public enum NoParcel: Error, Codable, Hashable, Sendable { case called(String) }
