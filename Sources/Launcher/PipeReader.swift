internal import LinuxSystem

/// Reads what a child writes into a pipe, as it comes.
final class PipeReader {
  private static let chunk = 64 << 10

  private let pipe: SharedDescriptor
  private let handler: ([UInt8]) -> Void
  private var watch: EventLoop.Watch?
  private var isOpen = true

  /// `loop`: nil where nobody waits for what is written; `readOnce` and `finish` get it.
  init(_ pipe: SharedDescriptor, loop: EventLoop?, handler: @escaping ([UInt8]) -> Void) throws(Errno) {
    self.pipe = pipe
    self.handler = handler
    try pipe.descriptor.setNonBlocking()
    if let loop { try wait(on: loop) }
  }

  func wait(on loop: EventLoop) throws(Errno) {
    guard isOpen, watch == nil else { return }
    // One piece a turn: a child that writes without end does not keep the loop from the others.
    watch = try loop.watch(pipe.rawValue, for: .readable) { [unowned self] _ in self.readOnce() }
  }

  deinit { watch?.cancel() }

  /// Reads one piece of what is there. false: there is nothing more now, or never.
  @discardableResult
  func readOnce() -> Bool {
    guard isOpen else { return false }
    do throws(Errno) {
      let bytes = try pipe.descriptor.read(upTo: Self.chunk)
      if bytes.isEmpty {
        close()
        return false
      }
      handler(bytes)
      return true
    } catch .again {
      return false
    } catch {
      close()
      return false
    }
  }

  /// Reads what is still in the pipe, and no more than it can hold.
  func finish() {
    var left = 64
    while left > 0, readOnce() { left -= 1 }
    close()
  }

  func close() {
    isOpen = false
    watch?.cancel()
    watch = nil
  }
}
