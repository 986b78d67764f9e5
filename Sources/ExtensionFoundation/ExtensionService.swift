internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// What `AppExtension.main()` does: serves io.extensiond.Extension on descriptor 3, on the main thread.
@MainActor
final class ExtensionService {
  /// What the broker reads at most, as one message.
  private static let messageLimit = 32 << 10

  private let program: any AppExtension
  private let configuration: any AppExtensionConfiguration
  private let stream: MessageStream
  private let loop: EventLoop
  /// The one that this one is in.
  private let mainLoop: (any ExtensionMainLoop)?
  /// WAYLAND_SOCKET was set.
  private var hasDisplay = false

  /// `make` is called only where the broker has started this program.
  static func run(_ make: () -> any AppExtension) -> Never {
    guard let socket = inheritedSocket() else {
      fail(
        64,
        "this program is an extension and is started by extensiond; put its bundle into a root, "
          + "see 'extctl help install'")
    }
    CurrentProcess.printLinesAtOnce()
    do throws(Errno) {
      let loop = try EventLoop()
      let service = try ExtensionService(make(), socket, loop)
      let queue = try loop.watch(ExtensionMainQueue.descriptor, for: .readable) { _ in
        MainActor.assumeIsolated { ExtensionMainQueue.drain() }
      }
      try service.serve()
      withExtendedLifetime(queue) {}
      CurrentProcess.exit(0)
    } catch {
      fail(71, "the extension cannot serve its socket: \(error)")
    }
  }

  /// Returns when the broker has said stop, or is gone.
  private func serve() throws(Errno) {
    guard let mainLoop else { return try loop.run() }
    mainLoop.watch(loop.descriptor) { [loop] in
      do throws(Errno) { repeat { try loop.turn(limit: .zero) } while loop.isDue } catch {
        Self.fail(71, "the extension cannot serve its socket: \(error)")
      }
    }
    mainLoop.run()
  }

  private func endLoop() {
    if let mainLoop { mainLoop.stop() } else { loop.stop() }
  }

  /// sd_listen_fds(3): one connected socket, meant for this process. The variables are for nobody else.
  private static func inheritedSocket() -> FileDescriptor? {
    let count = CurrentProcess.environment("LISTEN_FDS")
    let process = CurrentProcess.environment("LISTEN_PID")
    for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] { CurrentProcess.removeEnvironment(name) }
    guard count == "1", process == String(CurrentProcess.processID) else { return nil }
    return FileDescriptor.inherited(3)
  }

  private static func fail(_ status: CInt, _ message: String) -> Never {
    CurrentProcess.printError(message)
    CurrentProcess.exit(status)
  }

  private init(
    _ program: any AppExtension, _ socket: consuming FileDescriptor, _ loop: EventLoop
  ) throws(Errno) {
    self.program = program
    configuration = program.configuration
    self.loop = loop
    mainLoop = program.mainLoop
    stream = try MessageStream(
      socket, on: loop, limits: .init(messageBytes: Self.messageLimit, descriptors: 4))
    stream.onMessage = { [unowned self] message, descriptors in
      MainActor.assumeIsolated { self.take(Array(message), descriptors) }
    }
    stream.onEnd = { [unowned self] end in MainActor.assumeIsolated { self.finish(end) } }
  }

  /// The socket's end is the order to end.
  private func finish(_ end: MessageStream.End) {
    switch end {
    case .peerClosed, .closed, .failed:
      program.extensionWillTerminate()
      endLoop()
    case .messageTooLong, .unexpectedDescriptors, .tooSlow:
      Self.fail(76, "the broker's socket cannot be used any more: \(end)")
    }
  }

  private func take(_ message: [UInt8], _ descriptors: [SharedDescriptor]) {
    do throws(VarlinkProtocolError) {
      reply(try answer(to: VarlinkCall(decoding: message), descriptors))
    } catch {
      Self.fail(76, "the broker sent what is no Varlink call: \(error)")
    }
  }

  private func reply(_ reply: VarlinkReply) { stream.send(reply.encoded()) }

  private func answer(to call: VarlinkCall, _ descriptors: [SharedDescriptor]) -> VarlinkReply {
    do throws(VarlinkDecodingError) {
      switch try ExtensionInterface.Call(call) {
      case .start(let start): return self.start(start)
      case .acceptConnection(let accept): return self.accept(accept, descriptors)
      case .memoryPressure(let pressure):
        program.didReceiveMemoryPressure(used: pressure.used, limit: pressure.limit)
        return ExtensionInterface.MemoryPressure.Reply(answers: pressure.call).reply
      case .stop(let stop):
        program.extensionWillTerminate()
        endLoop()
        return ExtensionInterface.Stop.Reply(answers: stop.call).reply
      case nil: return ServiceInterface.MethodNotFound(method: call.method).reply
      }
    } catch {
      return ServiceInterface.InvalidParameter(parameter: error.path).reply
    }
  }

  /// A program that is another extension than its Info.plist says must not run as that one.
  private func start(_ start: ExtensionInterface.Start) -> VarlinkReply {
    let bound = program.boundAppExtensionPoint.id
    guard bound.isEmpty || start.extensionPoint == bound else {
      refuse(
        start,
        "Info.plist binds this extension to \(start.extensionPoint), its code to \(bound); make them the same"
      )
    }
    let reply = ExtensionInterface.Start.Reply(
      answers: start.call, scenes: configuration.scenes, memoryPressure: true
    ).reply
    guard reply.encoded().count <= Self.messageLimit else {
      refuse(start, "the names of the scenes are longer than 32 KiB together; offer fewer, or scenes = nil")
    }
    return reply
  }

  private func refuse(_ start: ExtensionInterface.Start, _ message: String) -> Never {
    reply(ExtensionInterface.ConnectionRejected(answers: start.call, message: message).reply)
    Self.fail(65, message)
  }

  private func accept(
    _ accept: ExtensionInterface.AcceptConnection, _ descriptors: [SharedDescriptor]
  ) -> VarlinkReply {
    if let index = accept.displayFileDescriptor {
      guard descriptors.indices.contains(index) else {
        return reject(accept, "no display came with its number")
      }
      adoptDisplay(descriptors[index])
    }
    if let scene = accept.scene, let scenes = configuration.scenes, !scenes.contains(scene) {
      return ExtensionInterface.SceneNotFound(answers: accept.call, scene: scene).reply
    }
    guard descriptors.indices.contains(accept.connectionFileDescriptor) else {
      return reject(accept, "no socket came with the connection")
    }
    let connection = AppExtensionConnection(
      descriptors[accept.connectionFileDescriptor], activationID: accept.activation, sceneID: accept.scene,
      isAccepted: true, hasDisplay: hasDisplay)
    switch configuration.decide(on: connection) {
    case .accept: return ExtensionInterface.AcceptConnection.Reply(answers: accept.call).reply
    case .reject(let reason): return reject(accept, reason)
    }
  }

  /// The display is the process's, whatever becomes of the connection that brought it. WAYLAND_SOCKET is set here, on the
  /// main thread, before the author's code hears of the connection: setenv(3) is not for a moment in which another thread
  /// looks for a variable, so the SDK's own threads look for none. The number stays close-on-exec: only a toolkit in this
  /// process is meant.
  private func adoptDisplay(_ display: SharedDescriptor) {
    guard !hasDisplay, let number = try? display.descriptor.duplicate().take() else { return }
    hasDisplay = true
    CurrentProcess.setEnvironment("WAYLAND_SOCKET", "\(number)")
  }

  private func reject(_ accept: ExtensionInterface.AcceptConnection, _ reason: String) -> VarlinkReply {
    // Whatever the author writes, the message stays far below its limit.
    let message = String(String.UnicodeScalarView(reason.unicodeScalars.prefix(1000)))
    return ExtensionInterface.ConnectionRejected(answers: accept.call, message: message).reply
  }
}
