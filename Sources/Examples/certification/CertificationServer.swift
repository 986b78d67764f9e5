import LinuxSystem
import Varlink

/// The server's side: checks that each call brings what the reply before it held.
final class CertificationServer {
  typealias Exchange = CertificationInterface

  private let loop: EventLoop
  private let listener: SharedDescriptor
  private var connections: [ObjectIdentifier: ServiceConnection] = [:]
  private var next = 0

  private static let struct6 = Exchange.Test06.Reply.Struct(
    bool: false, int: 2, float: .pi, string: "a lot of string")
  private static let map = ["foo": "Foo", "bar": "Bar"]
  private static let set: Set = ["one", "two", "three"]
  private static let myType = Exchange.MyType(
    object: [
      "method": "org.varlink.certification.Test09", "parameters": ["map": ["foo": "Foo", "bar": "Bar"]],
    ],
    enum: .two, struct: .init(first: 1, second: "2"), array: ["one", "two", "three"], dictionary: map,
    stringset: set,
    interface: .init(
      foo: [nil, ["foo": .foo, "bar": .bar], nil, ["one": .foo, "two": .bar]],
      anon: .init(foo: true, bar: false)))

  init(path: String) throws {
    loop = try EventLoop()
    listener = SharedDescriptor(try Socket.listen(at: path))
    try listener.descriptor.setNonBlocking()
  }

  func run() throws {
    let watch = try loop.watch(listener.rawValue, for: .readable) { [unowned self] _ in
      while let socket = try? Socket.accept(listener.descriptor) { try? add(socket) }
    }
    try loop.run()
    watch.cancel()
  }

  private func add(_ socket: consuming FileDescriptor) throws {
    let connection = try ServiceConnection(
      socket, on: loop, limits: .init(),
      description: ServiceDescription(
        vendor: "extensiond", product: "Certification", version: "1", url: "https://varlink.org",
        interfaces: [Exchange.self]))
    let key = ObjectIdentifier(connection)
    connections[key] = connection
    connection.onCall = { [unowned self, unowned connection] call in
      do { try answer(call, connection) } catch {
        connection.reply(ServiceInterface.InvalidParameter(parameter: "\(error)").reply)
      }
    }
    connection.onEnd = { [unowned self] _ in connections[key] = nil }
  }

  private func answer(_ call: VarlinkCall, _ connection: ServiceConnection) throws {
    func check(_ isRight: Bool, _ reply: some VarlinkStructure) {
      let wrong = Exchange.CertificationError(wants: JSONObject(), got: call.parameters)
      connection.reply(isRight ? reply.reply : wrong.reply)
    }
    switch try Exchange.Call(call) {
    case .start:
      next += 1
      connection.reply(Exchange.Start.Reply(client_id: "client\(next)").reply)
    case .test01: check(true, Exchange.Test01.Reply(bool: true))
    case .test02(let test): check(test.bool, Exchange.Test02.Reply(int: 1))
    case .test03(let test): check(test.int == 1, Exchange.Test03.Reply(float: 1))
    case .test04(let test): check(test.float == 1, Exchange.Test04.Reply(string: "ping"))
    case .test05(let test):
      check(
        test.string == "ping",
        Exchange.Test05.Reply(bool: false, int: 2, float: .pi, string: "a lot of string"))
    case .test06(let test):
      check(!test.bool && test.int == 2 && test.float == .pi, Exchange.Test06.Reply(struct: Self.struct6))
    case .test07(let test):
      check(test.struct.int == 2 && test.struct.float == .pi, Exchange.Test07.Reply(map: Self.map))
    case .test08(let test): check(test.map == Self.map, Exchange.Test08.Reply(set: Self.set))
    case .test09(let test): check(test.set == Self.set, Exchange.Test09.Reply(mytype: Self.myType))
    case .test10(let test):
      guard test.mytype == Self.myType, call.more else {
        return check(false, Exchange.Test10.Reply(string: ""))
      }
      for number in 1...10 {
        connection.reply(
          Exchange.Test10.Reply(string: "Reply number \(number)").reply(continues: number < 10))
      }
    case .test11(let test):
      check(
        call.oneway && test.last_more_replies == (1...10).map { "Reply number \($0)" },
        Exchange.Test11.Reply())
    case .end: check(true, Exchange.End.Reply(all_ok: true))
    case nil: connection.reply(ServiceInterface.MethodNotFound(method: call.method).reply)
    }
  }
}
