internal import Distributed
internal import LinuxSystem
internal import Testing
internal import Varlink

@testable internal import ExtensionDistributed
@testable internal import ExtensionFoundation

/// What a peer sends that it should not.
@Suite(.timeLimit(.minutes(10))) struct RefusalTests {
  private static let module = "s25ExtensionDistributedTests"
  /// As the compiler names them: what the calls of the tests beside this one carry.
  private static let maybe = "$\(module)9$WorkshopC5maybeySiSgAEYaKFTE"

  /// The raw call, and what comes back.
  private static func invoke(
    _ pair: Pair, _ actor: String, _ target: String, _ arguments: [JSON?]
  ) async throws -> VarlinkReply {
    let call = DistributedInterface.Invoke(actor: actor, target: target, arguments: arguments).call()
    return try await pair.host.connection.session(for: "").call(call).reply
  }

  @Test func `The raw call that is allowed is answered`() async throws {
    let (pair, _, _) = try Pair.talking()
    defer { pair.invalidate() }
    let reply = try await Self.invoke(pair, "shop", Self.maybe, [7])
    #expect(reply.error == nil)
    #expect(reply.parameters == ["result": 7])
  }

  @Test func `An actor that is not exported here has no name`() async throws {
    let (pair, shop, _) = try Pair.talking()
    defer { pair.invalidate() }
    for name in ["", "Shop", "office", shop.id] {
      let reply = try await Self.invoke(pair, name, Self.maybe, [7])
      #expect(reply.error == "io.extensiond.Distributed.ActorNotFound")
    }
    let nobody = try $Workshop.resolve(id: "nobody", using: pair.host)
    let failure = await error { try await nobody.note("") }
    #expect(failure?.code == .notImplemented)
    #expect(failure?.message == "the peer exports no actor 'nobody'")
  }

  @Test(
    arguments: [
      // No name at all, and those that the demangler would take for pointers.
      "", "maybe", "$s", "\u{1}aaaa", "$\(module)9$WorkshopC\u{1}aaaaYaKFTE",
      // A method of the actor itself, which is another memory layout where the actor is another.
      "$\(module)4ShopC5maybeySiSgAEYaKFTE",
      // Of another interface, to which the actor does not conform; and of one to which it does not, disguised.
      "$\(module)7$SecretC4tellyS2SYaKFTE",
      // No such method; other types than it has; more after its end; its end twice.
      "$\(module)9$WorkshopC5nopeySiSgAEYaKFTE", "$\(module)9$WorkshopC5maybeySSSgAEYaKFTE",
      "\(maybe)x", "\(maybe)\0", "\(maybe)YaKFTE",
      // A generic method, of which the substitutions would be the peer's.
      "$\(module)9$WorkshopC4pickyqd__qd___SaySayqd__GGtYaKSeRd__SERd__lFTE",
      String(repeating: "S", count: 100_000),
    ])
  func `A method that the interface does not have is not looked for`(target: String) async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    let reply = try await Self.invoke(pair, "shop", target, [7])
    #expect(reply.error == "io.extensiond.Distributed.NotAllowed")
    // Not the runtime's answer, which would have looked.
    #expect(reply.parameters == ["message": .string("the interface of 'shop' has no method \(target)")])
    #expect(try await remote.maybe(1) == 1)
  }

  @Test func `An interface to which the actor does not conform fails, and nothing breaks`() async throws {
    let (pair, shop, remote) = try Pair.talking()
    defer { pair.invalidate() }
    pair.service.export(shop, as: "wrong", answering: $Secret.self)
    let stranger = Stranger(actorSystem: pair.service)
    pair.service.export(stranger, as: "right", answering: $Secret.self)
    let failure = await error { _ = try await $Secret.resolve(id: "wrong", using: pair.host).tell("x") }
    #expect(failure?.code == .notImplemented)
    #expect(try await $Secret.resolve(id: "right", using: pair.host).tell("x") == "x")
    #expect(try await remote.maybe(1) == 1)
  }

  @Test func `A type that is not allowed neither goes nor comes`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    let going = await error { try await remote.unlisted(Unlisted()) }
    #expect(going?.code == .invalidParameter)
    #expect(going?.message.contains("allow(Unlisted.self)") == true)
    #expect(await error { _ = try await remote.giveUnlisted() }?.code == .invalidParameter)
    // As a peer sends it that does not care.
    pair.host.allow(Unlisted.self)
    let coming = await error { try await remote.unlisted(Unlisted()) }
    #expect(coming?.code == .notImplemented)
    #expect(coming?.message == "the peer does not allow it: values of the type Unlisted")
    #expect(await error { _ = try await remote.giveUnlisted() }?.code == .notImplemented)
    pair.service.allow(Unlisted.self)
    try await remote.unlisted(Unlisted())
    #expect(try await remote.giveUnlisted().text == "")
  }

  @Test func `An error of a type that one side does not allow is what it says`() async throws {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    let fail = "$\(Self.module)9$WorkshopC4failySiSSYaKFTE"
    let whole = try await Self.invoke(pair, "shop", fail, ["not allowed"])
    #expect(whole.error == "io.extensiond.Connection.Failed")
    #expect(whole.parameters == ["message": "a mishap"])
    pair.service.allow(Mishap.self)
    let failure = await error { _ = try await remote.fail("not allowed") }
    #expect(failure?.code == .remoteError)
    #expect(failure?.message == "a mishap")
    pair.host.allow(Mishap.self)
    await #expect(throws: Mishap.self) { try await remote.fail("not allowed") }
  }

  @Test func `Arguments that are not what the method takes are named`() async throws {
    let (pair, _, _) = try Pair.talking()
    defer { pair.invalidate() }
    for (arguments, path) in [
      ([], "arguments[0]"), (["seven"], "arguments[0]"), ([1.5], "arguments[0]"),
      ([.unsigned(.max)], "arguments[0]"),
    ] as [([JSON?], String)] {
      let reply = try await Self.invoke(pair, "shop", Self.maybe, arguments)
      #expect(reply.error == "org.varlink.service.InvalidParameter")
      #expect(reply.parameters == ["parameter": .string(path)])
    }
    let echo = "$\(Self.module)9$WorkshopC4echoyAA4ItemVAFYaKFTE"
    let item: JSON = ["kind": "saw", "states": [], "parts": [["kind": "axe"]], "label": ""]
    let reply = try await Self.invoke(pair, "shop", echo, [item])
    #expect(reply.parameters == ["parameter": "arguments[0].parts[0].kind"])
  }

  @Test func `A result that is not what the method gives ends its call alone`() async throws {
    let pair = try Pair()
    defer { pair.invalidate() }
    struct Liar: DistributedInterface.Service {
      func invoke(actor: String, target: String, arguments: [JSON?]) async throws -> JSON? {
        if actor == "thrower" {
          throw DistributedInterface.Thrown(type: "Si", value: 7, message: "seven")
        }
        return ["no": "int"]
      }
    }
    let (first, second) = try Socket.pair()
    let system = AppExtensionActorSystem(Pair.connection(first))
    let peer = Pair.connection(second)
    peer.export(Liar(), as: DistributedInterface.self)
    peer.resume()
    system.connection.resume()
    let liar = try $Workshop.resolve(id: "liar", using: system)
    #expect(await error { _ = try await liar.maybe(1) }?.code == .malformedMessage)
    let thrower = try $Workshop.resolve(id: "thrower", using: system)
    let failure = await error { _ = try await thrower.maybe(1) }
    #expect(failure?.code == .remoteError)
    #expect(failure?.message == "seven")
    peer.invalidate()
  }

  @Test func `An actor's own type cannot be resolved, and a method with generic parameters cannot be called`()
    async throws
  {
    let (pair, _, remote) = try Pair.talking()
    defer { pair.invalidate() }
    #expect(await error { _ = try Shop.resolve(id: "shop", using: pair.host) }?.code == .notImplemented)
    #expect(await error { _ = try await remote.pick(1, [[2]]) }?.code == .notImplemented)
  }
}
