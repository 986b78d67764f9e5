import ExtensionInterfaces
import Testing
import Varlink

@testable import BrokerCore

// What tests look at.

extension TestWorld {
  /// The error that a request got, as the last of its answers.
  func error<Failure: VarlinkErrorReply>(_ request: RequestID, as _: Failure.Type = Failure.self) throws
    -> Failure
  {
    guard case .error(let error)? = answers[request]?.last else { throw Missing() }
    return try #require(error as? Failure)
  }

  func reply<Reply: VarlinkStructure>(_ request: RequestID, as _: Reply.Type = Reply.self) throws -> Reply {
    guard case .reply(let value, _, _)? = answers[request]?.last else { throw Missing() }
    return try #require(value as? Reply)
  }

  func descriptors(_ request: RequestID) -> [DescriptorSource] {
    guard case .reply(_, let descriptors, _)? = answers[request]?.last else { return [] }
    return descriptors
  }

  func answerCount(_ request: RequestID) -> Int { answers[request]?.count ?? 0 }

  func stream(_ request: RequestID) -> [BrokerInterface.Subscribe.Reply] {
    (answers[request] ?? []).compactMap {
      if case .reply(let value, _, _) = $0 { value as? BrokerInterface.Subscribe.Reply } else { nil }
    }
  }

  /// The activation events of a stream, as "state" or "state(reason)".
  func life(_ request: RequestID) -> [String] {
    stream(request).compactMap(\.activation).map {
      "\($0.state.rawValue)" + ($0.reason.map { "(\($0.kind.rawValue))" } ?? "")
    }
  }

  var launches: [LaunchOrder] {
    effects.compactMap { if case .launch(let order) = $0 { order } else { nil } }
  }

  /// What was done to instances, by name.
  var steps: [String] {
    effects.compactMap { effect in
      switch effect {
      case .checkBundle: "check"
      case .launch: "launch"
      case .start: "start"
      case .keepLease: "lease"
      case .accept: "accept"
      case .stop: "stop"
      case .terminate: "terminate"
      case .kill: "kill"
      case .forget: "forget"
      case .endLease: "endLease"
      case .dropLease: "dropLease"
      case .dropConnection: "dropConnection"
      case .dropDisplay: "dropDisplay"
      default: nil
      }
    }
  }

  func count(_ step: String) -> Int { steps.count { $0 == step } }

  var instance: String {
    get throws { try #require(launches.last).instance }
  }

  func activation(_ request: RequestID) throws -> String {
    try reply(request, as: BrokerInterface.Activate.Reply.self).activation
  }

  /// The launcher's last word about the newest instance.
  func endInstance(_ end: InstanceEnd = InstanceEnd(executed: true, exitStatus: 0)) throws {
    let order = try #require(launches.last)
    send(.ended(instance: order.instance, note: note(order.instance), end))
  }

  /// The note that the launcher has for an instance or an activation.
  func note(_ subject: String) -> String {
    var text = ""
    for effect in effects {
      switch effect {
      case .launch(let order) where order.instance == subject: text = order.note
      case .setNote(subject, let note): text = note
      case .keepLease(subject, _, let note): text = note
      default: break
      }
    }
    return text
  }

  /// The one call that waits for the extension.
  func pendingCall() throws -> String {
    for effect in effects.reversed() {
      switch effect {
      case .accept(_, let call, _, _, _, _), .start(_, let call, _, _), .stop(_, let call): return call
      default: break
      }
    }
    throw Missing()
  }

  struct Missing: Error {}
}
