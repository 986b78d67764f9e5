internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

/// The connection to the broker: one message a packet.
final class BrokerConnection {
  /// What may wait for a broker that does not read. One that lets more wait has hung: it takes the table when it is back.
  private static let queueLimit = 4 << 20

  typealias Packet = (bytes: [UInt8], descriptors: [SharedDescriptor])

  private let socket: SharedDescriptor
  private let onCall: (VarlinkCall, [SharedDescriptor]) -> Void
  private let onClose: () -> Void
  private var watch: EventLoop.Watch?
  private var queue: [Packet] = []
  private var queuedBytes = 0
  private var buffer = [UInt8](repeating: 0, count: LauncherPacket.limit)
  /// The broker has named itself.
  var isGreeted = false

  init(
    socket: SharedDescriptor, loop: EventLoop, onCall: @escaping (VarlinkCall, [SharedDescriptor]) -> Void,
    onClose: @escaping () -> Void
  ) throws(Errno) {
    self.socket = socket
    self.onCall = onCall
    self.onClose = onClose
    watch = try loop.watch(socket.rawValue, for: .readable) { [unowned self] in self.ready($0) }
  }

  deinit { watch?.cancel() }

  /// Sends in order, at once or when there is room.
  func send(_ message: [UInt8], descriptors: [SharedDescriptor] = []) {
    guard watch != nil else { return }
    // A packet has its own end, so the NUL stays away.
    queue.append((message.dropLast(), descriptors))
    queuedBytes += message.count
    flush()
    if queuedBytes > Self.queueLimit { close() }
  }

  /// Sends only if there is room now.
  func sendIfIdle(_ message: [UInt8]) -> Bool {
    guard watch != nil, queue.isEmpty else { return false }
    return (try? Socket.send(message.dropLast(), to: socket.rawValue)) != nil
  }

  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    queue = []
    onClose()
  }

  private func flush() {
    var sent = 0
    send: while sent < queue.count {
      do throws(Errno) {
        _ = try Socket.send(queue[sent].bytes[...], descriptors: queue[sent].descriptors, to: socket.rawValue)
        queuedBytes -= queue[sent].bytes.count + 1
        sent += 1
      } catch .again {
        break send
      } catch {
        return close()
      }
    }
    queue.removeFirst(sent)
    watch?.setInterest(queue.isEmpty ? .readable : [.readable, .writable])
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    // A few a turn: a broker that asks without end does not keep the loop from instances.
    for _ in 0..<32 where watch != nil {
      do throws(Errno) {
        let got = try Socket.receive(
          into: &buffer, from: socket.rawValue, maximumDescriptors: LauncherPacket.descriptors)
        guard got.count > 0, !got.truncated, !got.descriptorsLost else { return close() }
        guard let call = try? VarlinkCall(decoding: Array(buffer[..<got.count])) else { return close() }
        onCall(call, got.descriptors)
      } catch .again {
        return
      } catch {
        return close()
      }
    }
  }
}
