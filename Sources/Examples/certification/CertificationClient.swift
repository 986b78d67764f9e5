import LinuxSystem
import Varlink

/// The client's side of the exchange.
enum CertificationClient {
  typealias Exchange = CertificationInterface

  static func run(path: String) throws {
    let client = try VarlinkClient(path: path)
    func call<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
      let answer: VarlinkClient.Answer<Method.Reply> = try client.call(method, timeout: .seconds(10))
      return answer.reply
    }
    let id = try call(Exchange.Start()).client_id
    let one = try call(Exchange.Test01(client_id: id))
    let two = try call(Exchange.Test02(client_id: id, bool: one.bool))
    let three = try call(Exchange.Test03(client_id: id, int: two.int))
    let four = try call(Exchange.Test04(client_id: id, float: three.float))
    let five = try call(Exchange.Test05(client_id: id, string: four.string))
    let six = try call(
      Exchange.Test06(client_id: id, bool: five.bool, int: five.int, float: five.float, string: five.string))
    let seven = try call(
      Exchange.Test07(
        client_id: id,
        struct: .init(
          bool: six.struct.bool, int: six.struct.int, float: six.struct.float, string: six.struct.string)))
    let eight = try call(Exchange.Test08(client_id: id, map: seven.map))
    let nine = try call(Exchange.Test09(client_id: id, set: eight.set))
    var replies: [String] = []
    var answer = try client.call(
      Exchange.Test10(client_id: id, mytype: nine.mytype), more: true, timeout: .seconds(10))
    replies.append(answer.reply.string)
    while answer.continues {
      answer = try client.next(Exchange.Test10.self, timeout: .seconds(10))
      replies.append(answer.reply.string)
    }
    try client.send(Exchange.Test11(client_id: id, last_more_replies: replies).call(oneway: true))
    let end = try call(Exchange.End(client_id: id))
    print(end.all_ok ? "Certification passed" : "Certification failed")
  }
}
