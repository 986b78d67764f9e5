import ExtensionInterfaces
import Testing
import Varlink

@Suite("Generated types") struct GeneratedTypeTests {
  static let everything = EverythingInterface.Everything(
    bool: true, int: .min, float: 0.1, string: "a\"é", object: ["z": [nil, 1]], any: ["x"], enum: .two,
    struct: .init(first: 1, second: .init(third: "3")), array: ["a", ""], dictionary: ["k": "v"],
    points: ["p": .init(x: 1, y: -1)], set: ["b", "a"], nullableArray: [], arrayOfNullable: [1, nil],
    colour: .`self`, named: .init(text: "t"), empty: .init(), init: 1, Type: 2, extension: "e")

  func roundTrip<Value: VarlinkValue & Equatable>(_ value: Value) throws -> Value {
    var writer = JSONWriter()
    value.write(to: &writer)
    return try Value(json: try JSON(parsing: writer.bytes), unknownMembers: .refused)
  }

  @Test func `every type is written as the specification says`() {
    var writer = JSONWriter()
    Self.everything.write(to: &writer)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"bool":true,"int":-9223372036854775808,"float":0.1,"string":"a\"é","object":{"z":[null,1]},"#
        + #""any":["x"],"enum":"two","struct":{"first":1,"second":{"third":"3"}},"array":["a",""],"#
        + #""dictionary":{"k":"v"},"points":{"p":{"x":1.0,"y":-1.0}},"set":{"a":{},"b":{}},"nullableArray":[],"#
        + #""arrayOfNullable":[1,null],"colour":"self","named":{"text":"t"},"empty":{},"init":1,"Type":2,"#
        + #""extension":"e"}"#)
  }

  @Test func `every type reads back`() throws {
    #expect(try roundTrip(Self.everything) == Self.everything)
  }

  @Test(
    arguments: [
      (["everything": ["struct": ["second": ["third": 3]]]], "everything.struct.second.third"),
      (["everything": ["array": ["a", 1]]], "everything.array[1]"),
      (["everything": ["points": ["q": ["x": 1]]]], "everything.points.q.y"),
      (["everything": ["points": ["p": ["x": 1, "y": 2, "z": 3]]]], "everything.points.p.z"),
      (["everything": ["set": ["a": ["b": 1]]]], "everything.set.a.b"),
      (
        ["everything": ["nullableArray": [["first": 1, "second": nil]]]], "everything.nullableArray[0].second"
      ),
      (["everything": ["any": nil]], "everything.any"), (["everything": ["enum": "four"]], "everything.enum"),
      (["everything": ["int": 1.0]], "everything.int"), (["everything": ["int": "1"]], "everything.int"),
      (["everything": ["int": .unsigned(.max)]], "everything.int"),
      (["everything": ["empty": ["x": 1]]], "everything.empty.x"), (["everything": []], "everything"),
      (["everything": ["other": nil]], "everything.other"), (["call": nil], "call"), (["other": 1], "other"),
    ] as [(JSONObject, String)])
  func `a wrong or unknown member of a call is refused by its path`(change: JSONObject, path: String) throws {
    let exchange = EverythingInterface.Exchange(everything: Self.everything, call: "c")
    let parameters = merge(exchange.call().parameters, change)
    let error = #expect(throws: VarlinkDecodingError.self) {
      try EverythingInterface.Call(
        VarlinkCall(method: EverythingInterface.Exchange.name, parameters: parameters))
    }
    #expect(error?.path == path)
  }

  @Test func `a reply may have members that are not known, at any depth`() throws {
    let reply = EverythingInterface.Exchange.Reply(everything: Self.everything)
    let parameters = merge(
      reply.reply.parameters, ["new": 1, "everything": ["struct": ["new": 2], "set": ["a": ["new": 3]]]])
    #expect(try EverythingInterface.Exchange.Reply(object: parameters, unknownMembers: .ignored) == reply)
    #expect(throws: VarlinkDecodingError.self) {
      try EverythingInterface.Exchange.Reply(object: parameters, unknownMembers: .refused)
    }
  }

  @Test func `a field that is called like a function of the protocol is no obstacle`() throws {
    let exchange = EverythingInterface.Exchange(everything: Self.everything, call: "c", reply: "r", writer: 1)
    let call = try VarlinkCall(decoding: exchange.call(more: true).encoded().dropLast().map { $0 })
    #expect(call.more)
    #expect(try EverythingInterface.Call(call) == .exchange(exchange))
  }

  @Test func `a method of another interface is nobody's call`() throws {
    #expect(try EverythingInterface.Call(VarlinkCall(method: "org.example.Everything.Nothing")) == nil)
    #expect(try EverythingInterface.Call(EverythingInterface.URLFor().call()) == .urlFor(.init()))
  }

  @Test func `an error is told from the others`() throws {
    let refused = EverythingInterface.Refused(colour: .red, reason: .tooRed)
    #expect(try EverythingInterface.Failure(refused.reply) == .refused(refused))
    #expect(try EverythingInterface.Failure(EverythingInterface.Empty().reply) == .empty(.init()))
    #expect(try EverythingInterface.Failure(VarlinkReply(error: "org.example.Other")) == nil)
    #expect(try EverythingInterface.Failure(VarlinkReply()) == nil)
    #expect(throws: VarlinkDecodingError.self) {
      try EverythingInterface.Failure(VarlinkReply(error: EverythingInterface.Refused.name))
    }
  }

  @Test func `the description is the file's text`() throws {
    #expect(EverythingInterface.description == (try Files.read(Files.everything)))
    #expect(BrokerInterface.description == (try Files.read(Files.interfaces[1])))
  }

  @Test func `the types of the daemon's interfaces read back`() throws {
    let reason: BrokerInterface.Reason = AdminInterface.Reason(kind: .crashed, signal: 11)
    #expect(try roundTrip(reason) == reason)
    let event = BrokerInterface.ActivationEvent(
      activation: "a", extension: "e", state: .deactivated, reason: reason)
    #expect(try roundTrip(event) == event)
    let point = AdminInterface.ExtensionPoint(
      identifier: "p", path: "/p", userInterface: false, scope: .none, instancePolicy: .shared, extensions: 1)
    #expect(try roundTrip(point) == point)
    let start = ExtensionInterface.Start(call: "1", extension: "e", extensionPoint: "p", context: ["x": nil])
    #expect(try ExtensionInterface.Call(start.call()) == .start(start))
    let failed = BrokerInterface.ActivationFailed(reason: reason, message: "m", standardError: ["l"])
    #expect(try BrokerInterface.Failure(failed.reply) == .activationFailed(failed))
  }

  /// The object with the members of the other, at any depth.
  private func merge(_ object: JSONObject, _ changes: JSONObject) -> JSONObject {
    var object = object
    for change in changes.members {
      if case .object(let inner)? = object[change.name], case .object(let changes) = change.value {
        object[change.name] = .object(merge(inner, changes))
      } else {
        object[change.name] = change.value
      }
    }
    return object
  }
}
