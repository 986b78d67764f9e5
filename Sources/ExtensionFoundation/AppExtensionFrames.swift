public import LinuxSystem

/// Bytes in bulk between the two ends of a connection, in frames, beside its calls: images, samples, buffers.
///
/// Made by `AppExtensionConnection.openFrames()` on one side and given to the `framesHandler` of the other. Any thread may
/// use it; one task at a time reads. Nothing is read ahead of the reader, so that a slow one slows the sender down.
/// Letting go of it closes it.
public final class AppExtensionFrames: AsyncSequence, Sendable {
  /// The payload of a frame may be so long, in bytes. What is larger goes as a descriptor.
  public static let payloadLimit = 16 << 20
  /// So many descriptors may come with a frame.
  public static let descriptorLimit = 16

  /// One frame. What `kind` and `id` mean is between the two sides.
  public struct Frame: Sendable {
    /// What sort of frame it is; 0 unless given.
    public var kind: UInt32
    /// Which one it is; 0 unless given.
    public var id: UInt64
    /// The payload, at most `payloadLimit` bytes.
    public var bytes: [UInt8]
    /// What goes along, at most `descriptorLimit`. The receiver gets descriptors of its own.
    public var descriptors: [SharedDescriptor]

    /// A frame to be sent. `send(_:)` checks the limits.
    public init(kind: UInt32 = 0, id: UInt64 = 0, bytes: [UInt8], descriptors: [SharedDescriptor] = []) {
      self.kind = kind
      self.id = id
      self.bytes = bytes
      self.descriptors = descriptors
    }
  }

  private let channel: FrameChannel

  package init(_ socket: SharedDescriptor) { channel = FrameChannel(socket) }

  deinit { close() }

  /// Sends a frame after those before it. Returns when all of it is on its way.
  /// - Throws: `AppExtensionError` where the other side is gone, or the frame is beyond a limit; `CancellationError`, of
  ///   which a frame has gone nothing.
  public func send(_ frame: Frame) async throws { try await channel.send(frame) }

  /// No frame goes or comes any more. The other side reads the end after what was sent.
  public func close() {
    let channel = channel
    Task(executorPreference: Session.thread.tasks) { await channel.close() }
  }

  /// Begins to read. Each frame goes to one reader alone.
  public func makeAsyncIterator() -> Iterator { Iterator(frames: self) }

  /// Reads the frames, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let frames: AppExtensionFrames

    /// The next frame; nil when the other side has closed.
    /// - Throws: `AppExtensionError` where it ended in the middle of a frame, or sent one beyond a limit;
    ///   `CancellationError`, after which reading may go on.
    public mutating func next() async throws -> Frame? { try await frames.channel.next() }
  }
}

extension AppExtensionConnection {
  /// Opens a way for frames to the peer, which must have a `framesHandler`.
  /// - Throws: `AppExtensionError`; `notImplemented` where the peer has no use for frames.
  public func openFrames() async throws -> AppExtensionFrames {
    let session = try session(for: "openFrames()")
    let (own, its): (SharedDescriptor, SharedDescriptor)
    do throws(Errno) { (own, its) = try Socket.pair() } catch {
      throw AppExtensionError(.failed, "no socket can be made for frames: \(error)")
    }
    try await session.openFrames(its)
    return AppExtensionFrames(own)
  }
}
