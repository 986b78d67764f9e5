import LinuxSystem

// certification client|server SOCKET: the exchange org.varlink.certification, with this package's client or server.

Signals.ignoreBrokenPipe()
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  CurrentProcess.printError("usage: certification client|server SOCKET")
  CurrentProcess.exit(64)
}
do {
  if arguments[1] == "server" {
    try CertificationServer(path: arguments[2]).run()
  } else {
    try CertificationClient.run(path: arguments[2])
  }
} catch {
  CurrentProcess.printError("certification: \(error)")
  CurrentProcess.exit(1)
}
