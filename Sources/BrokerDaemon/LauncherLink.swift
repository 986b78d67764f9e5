internal import BrokerCore
internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// The broker's connection to the launcher: one packet a message, io.extensiond.Launcher.
///
/// It connects again by itself when the launcher comes back. By hand it also starts one.
final class LauncherLink {
  typealias Answer = (VarlinkReply, [SharedDescriptor])

  enum Incoming {
    case connected(LauncherFacts)
    case event(LauncherEventsInterface.Call, [SharedDescriptor])
    /// The table is complete.
    case restored
    /// There is no launcher, or it has ended, and all instances with it.
    case gone
    /// The launcher lives, and does not speak with this broker any more.
    case unusable(String)
    /// The launcher lives, and speaks another language; why, and what to do.
    case refused(String)
  }

  /// How long another broker may be connected still, or a launcher take to end after it closed the connection.
  private static let patience: Duration = .seconds(5)

  private let path: String
  private let generation: String
  private let loop: EventLoop
  private let starter: LauncherStarter?
  private let onIncoming: (Incoming) -> Void

  private var socket: SharedDescriptor?
  private var watch: EventLoop.Watch?
  private var outgoing: [(bytes: [UInt8], descriptors: [SharedDescriptor])] = []
  private var pending: [String: (Answer?) -> Void] = [:]
  private var number = 0
  /// Not filled with anything: memory is only taken for the packets that come, which are short.
  private var buffer = [UInt8].uninitialized(count: LauncherPacket.limit)
  private var retry: Duration = .milliseconds(20)
  private var nextTry: EventLoop.Timer?
  private var isClosed = false
  /// The launcher's process, once it has said Hello.
  private var process: SharedProcess?
  private var processWatch: EventLoop.Watch?
  private var firstRefusal: MonotonicTime?

  init(
    path: String, generation: String, loop: EventLoop, starter: LauncherStarter?,
    onIncoming: @escaping (Incoming) -> Void
  ) {
    self.path = path
    self.generation = generation
    self.loop = loop
    self.starter = starter
    self.onIncoming = onIncoming
  }

  /// Connects, or says that there is nobody and goes on trying.
  func connect() {
    guard !isClosed, socket == nil else { return }
    do throws(Errno) {
      let connected = SharedDescriptor(try Socket.connect(to: path, .packets))
      watch = try loop.watch(connected.rawValue, for: .readable) { [unowned self] in self.ready($0) }
      socket = connected
      greet()
    } catch .noEntry {
      isAbsent()
    } catch .connectionRefused {
      isAbsent()
    } catch {
      isRefused()
    }
  }

  private func isAbsent() {
    firstRefusal = nil
    // By hand it does not wait long for a broker: the next try may be too late.
    starter?.start { [weak self] in self?.connect() }
    onIncoming(.gone)
    tryLater()
  }

  /// Somebody is there and does not talk to us. After a broker's death that is a launcher that has not seen it yet.
  private func isRefused() {
    let now = MonotonicTime.now
    let first = firstRefusal ?? now
    firstRefusal = first
    if first + Self.patience < now { onIncoming(.gone) }
    tryLater()
  }

  private func tryLater() {
    nextTry?.cancel()
    nextTry = loop.schedule(after: retry) { [weak self] in self?.connect() }
    retry = min(retry * 2, .seconds(1))
  }

  private func greet() {
    call {
      LauncherInterface.Hello(request: $0, protocol: LauncherPacket.version, generation: self.generation)
    } answered: { [unowned self] answer in
      guard let (reply, _) = answer, reply.error == nil,
        let hello = try? LauncherInterface.Hello.Reply(object: reply.parameters, unknownMembers: .ignored)
      else { return self.disconnect() }
      self.retry = .milliseconds(20)
      self.firstRefusal = nil
      self.process = try? SharedProcess(processID: Int32(clamping: hello.pid))
      if let misfit = LauncherPacket.misfit(of: hello.protocol, process: hello.pid) {
        return self.refuse(misfit)
      }
      self.onIncoming(
        .connected(
          LauncherFacts(
            processID: Int32(clamping: hello.pid), controlGroups: hello.controlGroups,
            unsettledStarts: hello.unsettledStarts, controllers: Set(hello.controllers),
            limitsProcesses: CurrentProcess.limitsProcessesOfSandboxes,
            sandboxFault: hello.sandboxFault)))
      self.call {
        LauncherInterface.Table(request: $0)
      } answered: { [unowned self] answer in
        if answer != nil { self.onIncoming(.restored) }
      }
    }
  }

  /// Sends a request. `answered` gets its reply, or nil when the launcher is gone before it.
  func call(
    descriptors: [SharedDescriptor] = [], _ make: (String) -> some VarlinkMethod,
    answered: @escaping (Answer?) -> Void = { _ in }
  ) {
    guard socket != nil else { return answered(nil) }
    number += 1
    let request = "\(generation).\(number)"
    pending[request] = answered
    // A packet has its own end, so the NUL stays away.
    outgoing.append((make(request).call().encoded().dropLast(), descriptors))
    flush()
  }

  private func flush() {
    guard let socket else { return }
    while let next = outgoing.first {
      do throws(Errno) {
        _ = try Socket.send(next.bytes[...], descriptors: next.descriptors, to: socket.rawValue)
        outgoing.removeFirst()
      } catch .again {
        break
      } catch {
        // The read side sees the end too, after what the launcher said before it.
        outgoing = []
      }
    }
    watch?.setInterest(outgoing.isEmpty ? .readable : [.readable, .writable])
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    while let socket, !isClosed {
      do throws(Errno) {
        let got = try Socket.receive(
          into: &buffer, from: socket.rawValue, maximumDescriptors: LauncherPacket.descriptors)
        guard got.count > 0, !got.truncated, !got.descriptorsLost else { return disconnect() }
        take(Array(buffer[..<got.count]), got.descriptors)
      } catch .again {
        return
      } catch {
        return disconnect()
      }
    }
  }

  /// Replies name what they answer; everything else is an event.
  private func take(_ packet: [UInt8], _ descriptors: [SharedDescriptor]) {
    if let reply = try? VarlinkReply(decoding: packet) {
      if case .string(let request)? = reply.parameters["answers"] {
        pending.removeValue(forKey: request)?((reply, descriptors))
      } else if reply.error != nil {
        disconnect()
      }
      return
    }
    guard let call = try? VarlinkCall(decoding: packet), let event = try? LauncherEventsInterface.Call(call)
    else {
      return disconnect()
    }
    onIncoming(.event(event, descriptors))
  }

  private func disconnect() {
    guard socket != nil else { return }
    hangUp()
    guard !isClosed else { return }
    if let process { waitForEnd(of: process) } else { isRefused() }
  }

  private func hangUp() {
    watch?.cancel()
    watch = nil
    socket = nil
    outgoing = []
    let waiting = pending
    pending = [:]
    for answered in waiting.values { answered(nil) }
  }

  /// What this launcher keeps goes on without us. Its end is waited for, not asked about again and again: by hand a
  /// launcher ends by itself, unless brokers keep coming.
  private func refuse(_ cause: String) {
    hangUp()
    onIncoming(.refused(cause))
    guard let process else { return tryLater() }
    self.process = nil
    afterEnd(of: process) { [unowned self] in self.tryLater() }
  }

  /// The connection's end is a hint; the process's end is certain. One that lives on has closed it for a cause, and what
  /// it keeps may have changed meanwhile.
  private func waitForEnd(of process: SharedProcess) {
    self.process = nil
    let timer = loop.schedule(after: Self.patience) { [unowned self] in
      self.processWatch?.cancel()
      self.onIncoming(.unusable("the launcher closed the connection and lives on"))
    }
    afterEnd(of: process) { [unowned self] in
      timer.cancel()
      self.onIncoming(.gone)
      self.tryLater()
    }
  }

  private func afterEnd(of process: SharedProcess, _ then: @escaping () -> Void) {
    processWatch = try? loop.watch(process.rawValue, for: .readable) { [unowned self] _ in
      self.processWatch?.cancel()
      self.processWatch = nil
      withExtendedLifetime(process) {}
      then()
    }
  }

  /// For the end of the broker, which is no crash. With `stop` the launcher is told to end as well; a service manager
  /// decides about that by itself.
  func close(stop: Bool, then: @escaping () -> Void) {
    let answered: (Answer?) -> Void = { [unowned self] _ in
      self.isClosed = true
      then()
    }
    if stop {
      // One that takes no connections yet would wait for another broker.
      if socket == nil { starter?.end() }
      call({ LauncherInterface.Stop(request: $0) }, answered: answered)
    } else {
      call({ LauncherInterface.Settled(request: $0) }, answered: answered)
    }
  }
}
