// A user's service on the module Varlink alone, and descriptors from elsewhere: all that LinuxSystem has for those outside
// of this package. Compiled by run-mode-tests, in each language mode.
internal import LinuxSystem
internal import Varlink

nonisolated final class Service {
  private let loop: EventLoop
  private let listener: FileDescriptor
  private var connections: [ObjectIdentifier: ServiceConnection] = [:]

  init(path: String) throws(Errno) {
    loop = try EventLoop()
    listener = try Socket.listen(at: path)
    try listener.setNonBlocking()
  }

  func run(for time: Duration) throws {
    let watch = try loop.watch(listener.rawValue, for: .readable) { [unowned self] _ in
      while let socket = try? Socket.accept(listener) { try? add(socket) }
    }
    let timer = loop.schedule(at: .now + time) { [unowned self] in loop.stop() }
    try loop.run()
    timer.cancel()
    watch.cancel()
  }

  private func add(_ socket: consuming FileDescriptor) throws(Errno) {
    let connection = try ServiceConnection(
      socket, on: loop, limits: .init(),
      description: ServiceDescription(
        vendor: "Example", product: "Service", version: "1", url: "https://example.org",
        interfaces: [EverythingInterface.self]))
    connections[ObjectIdentifier(connection)] = connection
    connection.onCall = { [unowned connection] call in
      if let reply = try? answer(call) { connection.reply(reply) } else { connection.close() }
    }
    connection.onEnd = { [unowned self, unowned connection] _ in
      connections[ObjectIdentifier(connection)] = nil
    }
  }
}

nonisolated func copy(_ number: CInt, to other: SharedDescriptor) throws -> CInt {
  let shared = SharedDescriptor(FileDescriptor(owning: number))
  try other.descriptor.write(all: shared.descriptor.readToEnd(limit: 4096))
  do throws(Errno) { return try shared.descriptor.duplicate().take() } catch .tooManyDescriptors { return -1 }
}
