import LinuxSystem

// Where the peers run: a dbus-daemon, a session under a user manager, or nothing between. Each has its own.

extension Bench {
  /// On a dbus-daemon that starts the extension as a service.
  func onDaemon(_ peer: [String]) throws -> PeerProcess {
    let run = "/usr/bin/dbus-run-session"
    guard File.exists(run) else { throw Failure(description: "dbus-daemon is not installed") }
    let directory = try peerPrograms([])
    let name = "io.extensiond.bench.Activated"
    try File.makeDirectories(directory + "/services")
    try write(
      "[D-BUS Service]\nName=\(name)\nExec=\(directory)/bench-extension \(name)\n",
      to: directory + "/services/\(name).service")
    try write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:dir=\(directory)</listen>
        <servicedir>\(directory)/services</servicedir>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
        <limit name="max_connections_per_user">100000</limit>
        <limit name="max_completed_connections">100000</limit>
        <limit name="max_incomplete_connections">10000</limit>
      </busconfig>

      """, to: directory + "/bus.conf")
    return try PeerProcess(
      [run, "--config-file=\(directory)/bus.conf", "--", directory + "/bench-peers"] + peer, environment: [],
      log: directory + "/log")
  }

  /// On a dbus-broker, or with a socket at which systemd listens, under a user manager.
  func inSession(_ kind: String, _ peer: [String]) throws -> PeerProcess {
    let support = try source("Tests/Support")
    let directory = try peerPrograms([support + "/bench-session"])
    return try PeerProcess(
      [
        support + "/user-manager", directory + "/bench-session", kind, directory + "/bench-extension",
        directory + "/bench-peers",
      ] + peer, environment: ["EXTENSIOND_UNPACKED=\(try source(".build"))/unpacked"], log: directory + "/log"
    )
  }

  /// GIO's GDBus, from one process to another.
  func withGDBus() throws -> PeerProcess {
    let program = programs + "/bench-gdbus"
    guard File.exists(program) else {
      throw Failure(description: "'make bench' compiles it, with cc and libglib2.0-dev")
    }
    return try PeerProcess([program], environment: [], log: peerDirectory() + "/log")
  }

  /// A Varlink service in Python.
  func withPython() throws -> PeerProcess {
    let python = try source(".build") + "/python/bin/python"
    guard File.exists(python) else {
      throw Failure(description: "'make bench' fetches varlink from PyPI, with python3-venv")
    }
    let directory = try peerDirectory()
    return try PeerProcess(
      [
        programs + "/bench-peers", "varlink", directory + "/socket", python,
        source("Sources/bench-peers/varlink-service"), directory + "/socket",
        source("Sources/extension-bench"),
      ], environment: [], log: directory + "/log")
  }

  /// A path in the package that this was built in, .build/<triple>/release.
  private func source(_ path: String) throws -> String {
    let package = programs.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    let found = (package + [path[...]]).joined(separator: "/")
    guard File.exists(found) else {
      throw Failure(description: "\(found) is missing: run the bench where it was built")
    }
    return found
  }

  private func peerDirectory() throws -> String {
    peerCount += 1
    let directory = place + "/peer\(peerCount)"
    try File.makeDirectory(directory, mode: 0o755)
    return directory
  }

  /// A directory with the programs of a peer, which another user can run.
  private func peerPrograms(_ more: [String]) throws -> String {
    let directory = try peerDirectory()
    for path in [programs + "/bench-peers", programs + "/bench-extension"] + more {
      let name = path.split(separator: "/").last ?? ""
      try File.open("\(directory)/\(name)", [.writeOnly, .create], mode: 0o755).write(
        all: File.read(path, limit: 64 << 20))
    }
    return directory
  }
}
