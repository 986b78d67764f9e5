import Testing
import Varlink

@Suite("Messages") struct MessageTests {
  static func call(_ text: String) throws -> VarlinkCall { try VarlinkCall(decoding: Array(text.utf8)) }
  static func reply(_ text: String) throws -> VarlinkReply { try VarlinkReply(decoding: Array(text.utf8)) }

  @Test(arguments: [
    (#"{"method":"a.b.C"}"#, VarlinkCall(method: "a.b.C")),
    (#"{"method":"a.b.C","parameters":null}"#, VarlinkCall(method: "a.b.C")),
    (#"{"method":"a.b.C","parameters":{}}"#, VarlinkCall(method: "a.b.C")),
    (#"{"parameters":{"x":[1]},"method":"a.b.C"}"#, VarlinkCall(method: "a.b.C", parameters: ["x": [1]])),
    (#" { "method" : "a.b.C" , "more" : true } "#, VarlinkCall(method: "a.b.C", mode: .more)),
    (#"{"method":"a.b.C","oneway":true,"more":false}"#, VarlinkCall(method: "a.b.C", mode: .oneway)),
    (#"{"method":"a.b.C","upgrade":true,"more":null}"#, VarlinkCall(method: "a.b.C", mode: .upgrade)),
    (#"{"method":"a.b.C","org.example":{"x":1}}"#, VarlinkCall(method: "a.b.C")),
  ])
  func `a valid call is read`(text: String, call: VarlinkCall) throws {
    #expect(try Self.call(text) == call)
  }

  @Test(arguments: [
    "", "{", "null", "[]", "\"x\"", "{}", #"{"method":null}"#, #"{"method":1}"#,
    #"{"method":"a.b.C","parameters":[]}"#, #"{"method":"a.b.C","parameters":"{}"}"#,
    #"{"method":"a.b.C","more":1}"#, #"{"method":"a.b.C","oneway":"true"}"#,
    #"{"method":"a.b.C","upgrade":{}}"#, #"{"method":"a.b.C","more":true,"oneway":true}"#,
    #"{"method":"a.b.C","more":true,"upgrade":true}"#, #"{"method":"a.b.C","other":{}}"#,
    #"{"method":"a.b.C","continues":true}"#, #"{"method":"a.b.C","X-other":{}}"#,
    #"{"method":"a.b.C","org.example":1}"#, #"{"method":"a.b.C","org.example":null}"#,
    #"{"method":"a.b.C","method":"a.b.D"}"#, "{\"method\":\"a.b.C\"}\0",
  ])
  func `a call that breaks the protocol is refused`(text: String) {
    #expect(throws: VarlinkProtocolError.self) { try Self.call(text) }
  }

  @Test(arguments: [
    ("{}", VarlinkReply()),
    (#"{"parameters":{"x":1},"continues":true}"#, VarlinkReply(parameters: ["x": 1], continues: true)),
    (#"{"error":"a.b.E","parameters":null,"continues":false}"#, VarlinkReply(error: "a.b.E")),
    (#"{"error":null,"org.example":{}}"#, VarlinkReply()),
  ])
  func `a valid reply is read`(text: String, reply: VarlinkReply) throws {
    #expect(try Self.reply(text) == reply)
  }

  @Test(arguments: [
    "[]", #"{"error":1}"#, #"{"continues":1}"#, #"{"parameters":1}"#, #"{"error":"a.b.E","continues":true}"#,
    #"{"method":"a.b.C"}"#, #"{"org.example":[]}"#,
  ])
  func `a reply that breaks the protocol is refused`(text: String) {
    #expect(throws: VarlinkProtocolError.self) { try Self.reply(text) }
  }

  @Test(arguments: [
    (VarlinkCall(method: "a.b.C"), #"{"method":"a.b.C"}"#),
    (
      VarlinkCall(method: "a.b.C", parameters: ["x": 1], mode: .more),
      #"{"method":"a.b.C","parameters":{"x":1},"more":true}"#
    ),
    (VarlinkCall(method: "a.b.C", mode: .oneway), #"{"method":"a.b.C","oneway":true}"#),
    (ServiceInterface.GetInfo().call(), #"{"method":"org.varlink.service.GetInfo"}"#),
    (
      ServiceInterface.GetInterfaceDescription(interface: "a.b").call(more: true),
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"},"more":true}"#
    ),
  ])
  func `a call is written without what is empty, and ends with NUL`(call: VarlinkCall, text: String) throws {
    #expect(call.encoded() == Array(text.utf8) + [0])
    #expect(try Self.call(text) == call)
  }

  @Test(arguments: [
    (VarlinkReply(), "{}"),
    (VarlinkReply(parameters: ["x": 1], continues: true), #"{"parameters":{"x":1},"continues":true}"#),
    (ServiceInterface.PermissionDenied().reply, #"{"error":"org.varlink.service.PermissionDenied"}"#),
    (
      ServiceInterface.InvalidParameter(parameter: "a.b").reply,
      #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"a.b"}}"#
    ),
    (
      ServiceInterface.GetInterfaceDescription.Reply(description: "x").reply(continues: true),
      #"{"parameters":{"description":"x"},"continues":true}"#
    ),
  ])
  func `a reply is written without what is empty, and ends with NUL`(reply: VarlinkReply, text: String) throws
  {
    #expect(reply.encoded() == Array(text.utf8) + [0])
    #expect(try Self.reply(text) == reply)
  }

  @Test func `the interface of a call is what comes before the last dot`() {
    #expect(VarlinkCall(method: "a.b.C").interface == "a.b")
    #expect(VarlinkCall(method: "C").interface == "")
  }
}
