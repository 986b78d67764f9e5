import LinuxSystem

func look() throws {
  // error: 'connect' is inaccessible due to 'package' protection level
  _ = try Socket.connect(to: "/run/service")
  // error: cannot find 'CurrentProcess' in scope
  CurrentProcess.exit(1)
}
