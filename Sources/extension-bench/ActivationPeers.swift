// What else starts the same program for a request, and waits for its first answer. By D-Bus it takes its name first.

extension Bench {
  func activationPeers(_ row: inout Row) -> Peers {
    let (daemon, broker, socket) = ("dbus-daemon", "dbus-broker with systemd", "systemd socket, Accept=no")
    row.goals += [.floor(1.15), .peer(daemon, 0.5), .peer(broker, 0.15), .peer(socket, 0.15)]
    var peers = Peers()
    peers.add(daemon, to: &row) { try onDaemon(["activation"]) }
    peers.add(broker, to: &row) { try inSession("dbus-broker", ["activation", "bench.service"]) }
    peers.add(socket, to: &row) { try inSession("socket", ["socket-activation", "bench.service"]) }
    // The first starts of a session are no measure.
    peers.measure(3, into: &row, keep: false)
    return peers
  }
}
