internal import LinuxSystem

extension Command {
  static let connect = Command(
    name: "connect", arguments: ["ID"],
    summary: "connect to an extension; standard input and output are the connection",
    details:
      "The end of standard input is passed on, and what still comes is printed until the extension ends its side. With "
      + "--json only a failure is JSON; the rest belongs to the extension.",
    options: Use.options
  ) { invocation in
    let use = try Use(invocation, connect: true)
    guard let connection = use.connection else {
      throw ControlError(.internalError, "the broker sent no connection with the activation")
    }
    try connection.descriptor.setNonBlocking(false)
    // A thread for each direction: neither waits for the other, whatever the extension reads first.
    try startThread { sendInput(to: connection) }
    let output = try FileDescriptor.standardOutput()
    while true {
      guard let bytes = try? connection.descriptor.read(upTo: 65536), !bytes.isEmpty else { break }
      try output.write(all: bytes)
    }
    withExtendedLifetime(use) {}
    return .success
  }

  private static func sendInput(to connection: SharedDescriptor) {
    while let bytes = try? FileDescriptor.readStandardInput(upTo: 65536), !bytes.isEmpty {
      var rest = bytes[...]
      while !rest.isEmpty {
        // It does not read any more; what it writes is printed all the same.
        guard let sent = try? Socket.send(rest, to: connection.rawValue, nonBlocking: false) else { return }
        rest = rest.dropFirst(sent)
      }
    }
    Socket.shutdownWrites(connection.descriptor)
  }
}
