import LauncherProtocol
import Varlink

extension FuzzTarget {
  /// A packet, as the launcher and the broker read it. What either accepts is the same after it was written and read.
  static let launcher = FuzzTarget("launcher") { packet in
    if let reply = try? VarlinkReply(decoding: packet) {
      _ = try? LauncherInterface.Failure(reply)
      for type in replies { roundTrip(type, reply.parameters, .ignored) }
    }
    guard let call = try? VarlinkCall(decoding: packet) else { return }
    for type in methods where type.name == call.method { roundTrip(type, call.parameters, .refused) }
    _ = try? LauncherInterface.Call(call)
    _ = try? LauncherEventsInterface.Call(call)
  }

  private static let methods: [any VarlinkMethod.Type] = [
    LauncherInterface.Hello.self, LauncherInterface.Table.self, LauncherInterface.Launch.self,
    LauncherInterface.Lease.self, LauncherInterface.EndLease.self, LauncherInterface.SetNote.self,
    LauncherInterface.Terminate.self, LauncherInterface.Kill.self, LauncherInterface.Forget.self,
    LauncherInterface.Settled.self, LauncherInterface.Stop.self,
    LauncherEventsInterface.InstanceRow.self, LauncherEventsInterface.LeaseRow.self,
    LauncherEventsInterface.Executed.self, LauncherEventsInterface.Stopped.self,
    LauncherEventsInterface.Ended.self, LauncherEventsInterface.LeaseEnded.self,
    LauncherEventsInterface.Output.self,
  ]
  private static let replies: [any VarlinkStructure.Type] = [
    LauncherInterface.Hello.Reply.self, LauncherInterface.Table.Reply.self,
    LauncherInterface.Launch.Reply.self,
  ]

  private static func roundTrip<Structure: VarlinkStructure>(
    _ type: Structure.Type, _ parameters: JSONObject, _ unknownMembers: UnknownMembers
  ) {
    guard let value = try? Structure(object: parameters, unknownMembers: unknownMembers) else { return }
    let again = must("reading what was written") {
      try Structure(object: value.reply.parameters, unknownMembers: .refused)
    }
    expect(again == value, "\(type) was written as \(JSON.object(value.reply.parameters).text)")
  }
}
