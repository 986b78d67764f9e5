internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// The socket between broker and one instance: io.extensiond.Extension, with the broker as the caller.
///
/// Nothing may be lost when the broker dies at any instruction, so a message is sent in one piece or not at all, and
/// a reply is looked at first and taken out of the socket after it was acted upon. A broker that starts anew finds
/// each reply whole, perhaps for a second time; `answers` tells which call it belongs to.
final class ControlChannel {
  /// No message of the extension may be longer.
  static let replyLimit = 64 << 10

  enum Incoming {
    case reply(VarlinkReply)
    case malformed(String)
    /// A hint: the launcher's report says whether the instance has ended.
    case closed
  }

  private let socket: SharedDescriptor
  private var watch: EventLoop.Watch?
  private var waiting: [(bytes: [UInt8], descriptors: [SharedDescriptor])] = []
  private var buffer = [UInt8](repeating: 0, count: replyLimit)
  private let onIncoming: (Incoming) -> Void

  init(
    _ socket: SharedDescriptor, on loop: EventLoop, onIncoming: @escaping (Incoming) -> Void
  ) throws(Errno) {
    self.socket = socket
    self.onIncoming = onIncoming
    watch = try loop.watch(socket.rawValue, for: .readable) { [unowned self] readiness in
      self.ready(readiness)
    }
  }

  deinit { watch?.cancel() }

  func close() {
    watch?.cancel()
    watch = nil
  }

  func send(_ call: VarlinkCall, descriptors: [SharedDescriptor] = []) {
    waiting.append((call.encoded(), descriptors))
    flush()
  }

  private func flush() {
    while let next = waiting.first {
      do throws(Errno) {
        _ = try Socket.send(next.bytes[...], descriptors: next.descriptors, to: socket.rawValue)
        waiting.removeFirst()
      } catch .again {
        break
      } catch {
        // The peer is gone; the launcher will say how.
        waiting = []
      }
    }
    watch?.setInterest(waiting.isEmpty ? .readable : [.readable, .writable])
  }

  private func ready(_ readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    guard watch != nil, !readiness.isDisjoint(with: [.readable, .hangUp]) else { return }
    do throws(Errno) {
      let got = try Socket.receive(into: &buffer, from: socket.rawValue, peek: true)
      if got.count == 0 { return end(.closed) }
      guard let zero = buffer[..<got.count].firstIndex(of: 0) else {
        if got.count == buffer.count {
          end(.malformed("it sent a message of more than \(buffer.count) bytes"))
        }
        return
      }
      do throws(VarlinkProtocolError) {
        onIncoming(.reply(try VarlinkReply(decoding: Array(buffer[..<zero]))))
      } catch {
        return end(.malformed("it sent something that is not Varlink: \(error)"))
      }
      // Acted upon; now it may go.
      var taken = [UInt8](repeating: 0, count: zero + 1)
      _ = try Socket.receive(into: &taken, from: socket.rawValue)
    } catch .again {
      return
    } catch {
      end(.closed)
    }
  }

  private func end(_ incoming: Incoming) {
    close()
    onIncoming(incoming)
  }
}
