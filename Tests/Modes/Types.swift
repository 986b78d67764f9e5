// A user's code around what varlink-generate makes for the module Varlink alone, where no actor is. Compiled by
// run-mode-tests, in each language mode.
internal import Varlink

nonisolated func names() -> [String] {
  [
    EverythingInterface.name, EverythingInterface.description, EverythingInterface.Exchange.name,
    EverythingInterface.Refused.name,
  ]
}

nonisolated func describe(_ interface: any VarlinkInterface.Type) -> String { interface.description }

nonisolated func answer(_ call: VarlinkCall) throws -> VarlinkReply? {
  switch try EverythingInterface.Call(call) {
  case .exchange(let it): EverythingInterface.Exchange.Reply(everything: it.everything).reply
  case .urlFor: EverythingInterface.Refused(colour: .red, reason: .tooRed).reply
  case nil: nil
  }
}

nonisolated func read(_ reply: VarlinkReply) throws -> Set<EverythingInterface.Point> {
  if let failure = try EverythingInterface.Failure(reply) { throw failure }
  let exchange = try EverythingInterface.Exchange.Reply(object: reply.parameters, unknownMembers: .ignored)
  return Set(exchange.everything?.points.values.map { $0 } ?? [])
}

nonisolated func use() throws -> [String] {
  try [describe(EverythingInterface.self)] + names() + EverythingInterface.Colour.allCases.map(\.rawValue)
    + [answer(EverythingInterface.URLFor().call())?.error ?? ""]
}
