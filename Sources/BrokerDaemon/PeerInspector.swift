internal import BrokerCore
internal import LinuxSystem

/// What /proc and the socket say of a peer: proc_pid_stat(5), proc_pid_cgroup(5), unix(7). This is on the loop's thread, so
/// nothing here may ask a file system that the peer can have mounted.
enum PeerInspector {
  /// Facts about whoever connected. Throws where the process is gone already.
  static func inspect(_ socket: borrowing FileDescriptor, door: Peer.Door) throws(Errno) -> Peer {
    let credentials = try PeerCredentials(of: socket)
    guard credentials.userID == CurrentProcess.userID else { throw .permission }
    let process = credentials.processID
    guard let startTime = startTime(of: process) else { throw .noSuchProcess }
    let executable = try? File.readLink("/proc/\(process)/exe")
    var peer = Peer(
      door: door, process: ProcessIdentity(processID: process, startTime: startTime),
      executable: executable, controlGroup: controlGroup(of: process), sandboxed: isSandboxed(process),
      isExecutableHere: executable.map { leads($0, to: process) } ?? false)
    peer.userID = credentials.userID
    // Where the kernel can (6.5): the number still meant the same process after it was looked at.
    if let pidfd = try? PeerCredentials.processDescriptor(of: socket),
      (try? Poll.readable(pidfd.rawValue, deadline: .now)) == true
    {
      throw .noSuchProcess
    }
    return peer
  }

  /// nil for a process that is gone, or about to be: a dying host is known as one.
  static func startTime(of process: Int32) -> Int64? {
    guard let statistics = ProcessStatistics(of: process), !statistics.isEnding else { return nil }
    return statistics[22].map { Int64($0) }
  }

  static func lives(_ process: ProcessIdentity) -> Bool {
    startTime(of: process.processID) == process.startTime
  }

  /// Whether a path leads to the program that a process runs. Where that cannot be told without the file system, it does
  /// not: the peer may have mounted it.
  private static func leads(_ path: String, to process: Int32) -> Bool {
    guard let its = try? FileIdentity(programOf: process),
      let ours = try? FileIdentity(remembered: path)
    else { return false }
    return its == ours
  }

  private static func controlGroup(of process: Int32) -> String? {
    guard let bytes = try? File.read("/proc/\(process)/cgroup", limit: 16384) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("0::") }) else { return nil }
    return line.split(separator: "/").last.map(String.init)
  }

  /// The user name space of this process, which never changes it.
  private static let ownNameSpace = try? File.readLink("/proc/self/ns/user")

  /// It has a user name space of its own, as bubblewrap and Flatpak give.
  private static func isSandboxed(_ process: Int32) -> Bool {
    guard let own = ownNameSpace, let its = try? File.readLink("/proc/\(process)/ns/user")
    else {
      // Not allowed to look: it has raised privileges, or is in a name space that hides it.
      return true
    }
    return own != its
  }
}
