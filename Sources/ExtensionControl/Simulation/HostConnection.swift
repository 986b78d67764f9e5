internal import LinuxSystem
internal import Varlink

/// A connection of the simulated host to the extension. Both sides call over it, or speak lines.
final class HostConnection {
  /// A call of the host's that has been sent.
  final class PendingCall {
    let method: String
    let mode: VarlinkCall.Mode
    /// Among the calls of this side, as io.extensiond.Connection.Cancel counts them.
    let number: Int
    /// The last one that came.
    var reply: VarlinkReply?
    /// Nothing comes any more.
    var isOver = false
    /// Who called it shows the reply in another way.
    let isShown: Bool

    init(_ call: VarlinkCall, number: Int, isShown: Bool) {
      method = call.method
      mode = call.mode
      self.number = number
      self.isShown = isShown
    }
  }

  enum Arrival {
    case message(VarlinkMessage)
    case line(String)
    case notVarlink(VarlinkProtocolError)
    case end
  }

  let number: Int
  /// nil: global to the extension.
  let scene: String?
  let activation: String
  let socket: SharedDescriptor
  /// Those that have not had their last reply, in the order of their replies.
  var calls: [PendingCall] = []
  var speaksLines = false
  private var callCount = 0
  private var incoming: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 65536)
  private static let limit = 16 << 20

  init(number: Int, use: Use, socket: SharedDescriptor) {
    self.number = number
    scene = use.scene
    activation = use.activation
    self.socket = socket
  }

  var label: String { "connection \(number)" + (scene.map { " (\($0))" } ?? "") }

  /// Remembers a call that is about to be sent.
  func expect(_ call: VarlinkCall, isShown: Bool) -> PendingCall {
    callCount += 1
    let pending = PendingCall(call, number: callCount, isShown: isShown)
    if call.oneway { pending.isOver = true } else { calls.append(pending) }
    return pending
  }

  /// What has come by now. Descriptors are closed.
  func arrived() -> [Arrival] {
    do throws(Errno) {
      let got = try Socket.receive(into: &buffer, from: socket.rawValue, maximumDescriptors: 16)
      if got.count == 0 { return rest() + [.end] }
      incoming += buffer[..<got.count]
    } catch .again {
      return []
    } catch {
      return rest() + [.end]
    }
    var arrivals: [Arrival] = []
    var start = 0
    while start < incoming.count {
      // A message is an object and ends with NUL.
      let isMessage = !speaksLines && incoming[start] == UInt8(ascii: "{")
      let end = incoming[start...].firstIndex { $0 == 0 || (!isMessage && $0 == UInt8(ascii: "\n")) }
      guard let end else { break }
      arrivals.append(isMessage ? Self.message(incoming[start..<end]) : Self.line(incoming[start..<end]))
      start = end + 1
    }
    incoming.removeFirst(start)
    if incoming.count > Self.limit {
      arrivals += [.notVarlink(VarlinkProtocolError("It is longer than \(Self.limit) bytes.")), .end]
    }
    return arrivals
  }

  private func rest() -> [Arrival] {
    defer { incoming = [] }
    return incoming.isEmpty ? [] : [Self.line(incoming[...])]
  }

  private static func message(_ bytes: ArraySlice<UInt8>) -> Arrival {
    do throws(VarlinkProtocolError) {
      return .message(try VarlinkMessage(decoding: bytes))
    } catch {
      return .notVarlink(error)
    }
  }

  private static func line(_ bytes: ArraySlice<UInt8>) -> Arrival {
    .line(String(decoding: bytes, as: UTF8.self))
  }
}
