internal import LinuxSystem

/// Text on its way through a pipe, a part at a time: the other end is a client, which may be slow or do nothing. It has a
/// time limit, after which it ends as it is.
class Transfer {
  private(set) weak var compositor: SceneCompositor?
  let pipe: SharedDescriptor
  private var watch: LoopSource?
  private var timer: LoopSource?

  /// nil where there are too many already, or no descriptors.
  init?(_ pipe: SharedDescriptor, within limit: Duration, in compositor: SceneCompositor) {
    self.pipe = pipe
    self.compositor = compositor
    guard compositor.transfers.count < compositor.limits.transfers else { return nil }
    timer = LoopSource(after: limit, in: compositor) { [unowned self] in end(.timedOut) }
    guard timer != nil else { return nil }
    compositor.transfers.append(self)
  }

  /// From now on the pipe is waited for.
  final func begin(writing: Bool) {
    guard let compositor, timer != nil else { return }
    watch = LoopSource(pipe.descriptor.rawValue, writing: writing, in: compositor) { [unowned self] in step()
    }
    if watch == nil { end(.nothing) }
  }

  /// The pipe is ready.
  func step() {}

  /// Called once, with nil where all has gone well.
  func ended(_ failure: Selection.Failure?) {}

  final func end(_ failure: Selection.Failure?) {
    guard timer != nil else { return }
    (timer, watch) = (nil, nil)
    compositor?.transfers.removeAll { $0 === self }
    ended(failure)
  }
}

/// The host's text, to a client that has asked for it.
final class OutgoingText: Transfer {
  private var rest: ArraySlice<UInt8> = []

  /// - Parameter descriptor: what the client wants it written to. Only a pipe can be sure to make nobody wait.
  init?(_ descriptor: borrowing FileDescriptor, in compositor: SceneCompositor) {
    // A second opening has its own flags: the client could let the first one block again.
    guard (try? FileStatus(of: descriptor.rawValue))?.kind == .fifo,
      let own = try? File.open("/proc/self/fd/\(descriptor.rawValue)", [.writeOnly, .nonBlocking])
    else { return nil }
    super.init(SharedDescriptor(own), within: compositor.limits.textTime, in: compositor)
  }

  /// The host has found it; nil where it has none after all.
  func give(_ text: String?) {
    guard let text, rest.isEmpty else { return end(.nothing) }
    rest = Array(text.utf8)[...]
    if rest.isEmpty { end(nil) } else { begin(writing: true) }
  }

  override func step() {
    do throws(Errno) {
      rest.removeFirst(try pipe.descriptor.write(some: rest.prefix(65536)))
      if rest.isEmpty { end(nil) }
    } catch {
      if error != .again { end(.nothing) }
    }
  }
}

/// A client's text, for the host that has asked for it.
final class IncomingText: Transfer {
  private var bytes: [UInt8] = []
  private var handler: ((Result<String, Selection.Failure>) -> Void)?

  init?(
    _ pipe: SharedDescriptor, within limit: Duration, in compositor: SceneCompositor,
    handler: @escaping (Result<String, Selection.Failure>) -> Void
  ) {
    self.handler = handler
    super.init(pipe, within: limit, in: compositor)
    begin(writing: false)
  }

  override func step() {
    guard let limit = compositor?.limits.textBytes else { return }
    do throws(Errno) {
      let part = try pipe.descriptor.read(upTo: 65536)
      bytes += part
      if bytes.count > limit { end(.tooLong) } else if part.isEmpty { end(nil) }
    } catch {
      if error != .again { end(.nothing) }
    }
  }

  override func ended(_ failure: Selection.Failure?) {
    let handler = handler
    self.handler = nil
    if let failure {
      handler?(.failure(failure))
    } else if let text = String(validating: bytes, as: UTF8.self) {
      handler?(.success(text))
    } else {
      handler?(.failure(.notText))
    }
  }
}
