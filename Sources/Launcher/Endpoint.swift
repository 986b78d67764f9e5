internal import LinuxSystem

/// The launcher's socket, and the lock that says that there is one launcher.
struct Endpoint {
  private let lock: SharedDescriptor
  let listener: SharedDescriptor

  init(settings: Settings) throws(StartFailure) {
    lock = SharedDescriptor(try Self.lock(settings.directory))
    // The lock is held, so a socket that is there was left by a launcher that is dead.
    try? File.remove(settings.socketPath)
    listener = SharedDescriptor(try Self.listen(settings.socketPath))
  }

  private static func lock(_ directory: String) throws(StartFailure) -> FileDescriptor {
    do throws(Errno) {
      try File.makeDirectories(directory, mode: 0o700)
      let file = try File.open("\(directory)/lock", [.readWrite, .create, .noFollow])
      if try File.tryLock(file) { return file }
    } catch {
      throw StartFailure(.configuration, "cannot use \(directory): \(error)")
    }
    throw StartFailure(.otherLauncher, "another launcher uses \(directory)")
  }

  private static func listen(_ path: String) throws(StartFailure) -> FileDescriptor {
    do throws(Errno) {
      let socket = try Socket.listen(at: path, .packets)
      try socket.setNonBlocking()
      return socket
    } catch {
      throw StartFailure(.system, "cannot listen at \(path): \(error)")
    }
  }
}
