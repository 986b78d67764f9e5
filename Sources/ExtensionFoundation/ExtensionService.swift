internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// What `AppExtension.main()` does: serves io.extensiond.Extension on descriptor 3.
@MainActor
final class ExtensionService {
  private let configuration: any AppExtensionConfiguration
  private let point: AppExtensionPoint
  private let stream: MessageStream
  private let loop: EventLoop

  static func run(configuration: any AppExtensionConfiguration, point: AppExtensionPoint) -> Never {
    guard let socket = inheritedSocket() else {
      CurrentProcess.printError(
        "this program is an extension and is started by extensiond; put its bundle into a root, see 'extctl help install'")
      CurrentProcess.exit(64)
    }
    do throws(Errno) {
      let loop = try EventLoop()
      let service = try ExtensionService(configuration, point, socket, loop)
      let queue = try loop.watch(ExtensionMainQueue.descriptor, for: .readable) { _ in
        MainActor.assumeIsolated { ExtensionMainQueue.drain() }
      }
      try loop.run()
      withExtendedLifetime((service, queue)) {}
      CurrentProcess.exit(0)
    } catch {
      CurrentProcess.printError("the extension cannot serve its socket: \(error)")
      CurrentProcess.exit(71)
    }
  }

  /// sd_listen_fds(3): one connected socket, meant for this process. The variables are for nobody else.
  private static func inheritedSocket() -> FileDescriptor? {
    let count = CurrentProcess.environment("LISTEN_FDS")
    let process = CurrentProcess.environment("LISTEN_PID")
    for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] { CurrentProcess.removeEnvironment(name) }
    guard count == "1", process == String(CurrentProcess.processID) else { return nil }
    return FileDescriptor.inherited(3)
  }

  private init(
    _ configuration: any AppExtensionConfiguration, _ point: AppExtensionPoint,
    _ socket: consuming FileDescriptor, _ loop: EventLoop
  ) throws(Errno) {
    self.configuration = configuration
    self.point = point
    self.loop = loop
    stream = try MessageStream(socket, on: loop, limits: .init(messageBytes: 64 << 10, descriptors: 4))
    stream.onMessage = { [unowned self] message, descriptors in
      MainActor.assumeIsolated { self.take(Array(message), descriptors) }
    }
    stream.onEnd = { _ in loop.stop() }
  }

  private func take(_ message: [UInt8], _ descriptors: [SharedDescriptor]) {
    do {
      let call = try VarlinkCall(decoding: message)
      guard let typed = try ExtensionInterface.Call(call) else {
        return stream.send(ServiceInterface.MethodNotFound(method: call.method).reply.encoded())
      }
      switch typed {
      case .start(let start): self.start(start)
      case .acceptConnection(let accept): self.accept(accept, descriptors)
      case .stop(let stop):
        stream.send(ExtensionInterface.Stop.Reply(answers: stop.call).reply.encoded())
        loop.stop()
      }
    } catch {
      CurrentProcess.printError("the broker sent something that cannot be understood: \(error)")
      CurrentProcess.exit(76)
    }
  }

  private func start(_ start: ExtensionInterface.Start) {
    guard start.extensionPoint == point.id else {
      let message =
        "Info.plist binds this extension to \(start.extensionPoint), its code to \(point.id); make them the same"
      stream.send(ExtensionInterface.ConnectionRejected(answers: start.call, message: message).reply.encoded())
      CurrentProcess.printError(message)
      CurrentProcess.exit(65)
    }
    stream.send(
      ExtensionInterface.Start.Reply(answers: start.call, scenes: configuration.scenes).reply.encoded())
  }

  private func accept(_ accept: ExtensionInterface.AcceptConnection, _ descriptors: [SharedDescriptor]) {
    guard descriptors.indices.contains(accept.connectionFileDescriptor) else {
      return reject(accept, "no descriptor came with the connection")
    }
    if let scene = accept.scene, let scenes = configuration.scenes, !scenes.contains(scene) {
      return stream.send(ExtensionInterface.SceneNotFound(answers: accept.call, scene: scene).reply.encoded())
    }
    let socket = descriptors[accept.connectionFileDescriptor]
    switch configuration.decide(on: AppExtensionConnection(socket, activationID: accept.activation, sceneID: accept.scene)) {
    case .accept:
      stream.send(ExtensionInterface.AcceptConnection.Reply(answers: accept.call).reply.encoded())
    case .reject(let reason): reject(accept, reason)
    }
  }

  private func reject(_ accept: ExtensionInterface.AcceptConnection, _ reason: String) {
    stream.send(
      ExtensionInterface.ConnectionRejected(answers: accept.call, message: reason).reply.encoded())
  }
}
