import CBench
import ExtensionInterfaces
import LinuxSystem
import Varlink

// One change, told to all who watch.

extension Bench {
  private static let monitors: Int32 = 1000

  func fanout() throws -> Row {
    var row = Row(id: "fanout.1000")
    row.goals = [.floor(1.25), .peer("dbus-daemon", 0.4), .peer("dbus-broker", 0.5)]
    _ = CurrentProcess.raiseDescriptorLimit()
    // What the person decided is stored before anybody is told. In memory, since the disk is not what is measured.
    let memory = "/dev/shm/extensiond-bench.\(CurrentProcess.processID)"
    try File.makeDirectory(memory)
    defer { try? File.removeTree(memory) }
    let other = try Bench("fanout", environment: ["XDG_STATE_HOME=\(memory)", "EXTENSIOND_CONNECTIONS=2000"])
    defer { other.end() }
    try other.startBroker()
    try other.approve()
    let admin = try other.admin()
    let hello = Self.message(BrokerInterface.Hello(hostIdentifier: "io.extensiond.bench.host"))
    let subscribe = Self.message(BrokerInterface.Subscribe(extensionPoints: [Self.point]), more: true)
    let socket = other.socket("broker/io.extensiond.Broker")
    guard let ours = unsafe cbench_listeners_start(Self.monitors, socket, hello, subscribe) else {
      throw Failure(description: "the monitors could not be set up; see \(other.place)/log")
    }
    let listeners = cbench_process(0)
    guard let floor = unsafe cbench_listeners_start(Self.monitors, nil, nil, nil) else {
      throw Failure(description: "the floor's listeners could not be set up")
    }
    keepApart(from: [other.brokerID, cbench_process(0)], with: [listeners])
    defer { letRun() }
    var (first, firsts, bytes) = (UInt64(0), [Double](), Int32(0))
    func change(_ work: () throws -> Void) throws -> (all: Double, first: Double) {
      let start = UInt64(MonotonicTime.now.nanoseconds)
      try work()
      let last = unsafe cbench_listeners_wait(ours, &first, &bytes)
      guard last > start else { throw Failure(description: "a monitor was not told") }
      return (Self.microseconds(last - start), Self.microseconds(first - start))
    }
    let disable = AdminInterface.Disable(extension: Self.identifier)
    _ = try change { _ = try admin.call(disable, timeout: .seconds(20)) }
    var peers = Peers()
    let peer = ["fanout", "\(Self.monitors)", "\(bytes)"]
    peers.add("dbus-daemon", to: &row) { try onDaemon(peer) }
    peers.add("dbus-broker", to: &row) { try inSession("dbus-broker", peer) }
    for batch in 0..<60 {
      _ = try change { try other.approve() }
      let time = try change { _ = try admin.call(disable, timeout: .seconds(20)) }
      let floorTime = unsafe Self.microseconds(cbench_listeners_tell(floor, bytes))
      peers.measure(1, into: &row, keep: batch >= 5)
      guard batch >= 5 else { continue }
      row.samples.append(time.all)
      firsts.append(time.first)
      row.floor.append(floorTime)
    }
    row.note =
      "from the person's Disable, with decisions in memory, until the last has \(bytes) bytes; "
      + "the first has them after \(Int(Row.percentile(firsts, 0.5))) us"
    return row
  }

  /// A call as C sends it: without the NUL at its end.
  static func message(_ method: some VarlinkMethod, more: Bool = false) -> String {
    String(decoding: method.call(more: more).encoded().dropLast(), as: UTF8.self)
  }
}
