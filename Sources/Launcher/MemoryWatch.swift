internal import LinuxSystem

/// Notices when the processes of a control group have nearly used up the memory that they may have.
///
/// memory.high would slow them down from there on, for minutes where they can let go of nothing. So it is only the
/// bell: when it has rung it is taken away, and it is put back when less is used again.
final class MemoryWatch {
  /// How often to look whether less is used again. No event tells of that.
  private static let interval: Duration = .milliseconds(500)

  private let group: ControlGroup
  private let limit: Int
  private let loop: EventLoop
  private let pause: Duration
  private let onPressure: () -> Void
  private let events: SharedDescriptor
  private var watch: EventLoop.Watch?
  private var timer: EventLoop.Timer?
  private var rest: EventLoop.Timer?
  private(set) var pressure: (used: Int, limit: Int)?

  /// `limit`: memory.max of the group. `pause`: changes that come sooner after another one are looked at together.
  /// What is kept of files fills all the room there is, and the kernel tells of that a hundred times a second.
  init(
    _ group: ControlGroup, limit: Int, loop: EventLoop, pause: Duration = .seconds(1),
    onPressure: @escaping () -> Void
  ) throws(Errno) {
    self.group = group
    self.limit = limit
    self.loop = loop
    self.pause = pause
    self.onPressure = onPressure
    events = SharedDescriptor(try File.open("memory.events", .readOnly, in: group.directory.rawValue))
    try group.write("\(limit / 10 * 9)", to: "memory.high")
    try listen()
    look()
  }

  /// A change is told as an error, which is always reported; the file can be read at any time.
  private func listen() throws(Errno) {
    watch = try loop.watch(events.rawValue, for: []) { [unowned self] _ in self.changed() }
  }

  func cancel() {
    watch?.cancel()
    watch = nil
    timer?.cancel()
    rest?.cancel()
  }

  private func changed() {
    look()
    guard watch != nil else { return }
    watch?.cancel()
    watch = nil
    // What changes meanwhile is told then.
    listenLater()
  }

  private func listenLater() {
    rest = loop.schedule(after: pause) { [unowned self] in
      do throws(Errno) { try self.listen() } catch { self.listenLater() }
    }
  }

  private func look() {
    do throws(Errno) {
      // The kernel tells of the next change to whoever has read this one.
      try events.descriptor.rewind()
      _ = try events.descriptor.read(upTo: 4096)
    } catch {
      // The group is gone.
      return cancel()
    }
    guard pressure == nil, let used, used > limit / 20 * 17 else { return }
    pressure = (used, limit)
    try? group.write("max", to: "memory.high")
    onPressure()
    waitForRoom()
  }

  private func waitForRoom() {
    timer = loop.schedule(after: Self.interval) { [unowned self] in
      guard let used = self.used, used < self.limit / 5 * 4 else { return self.waitForRoom() }
      self.pressure = nil
      try? self.group.write("\(self.limit / 10 * 9)", to: "memory.high")
    }
  }

  /// Bytes, without what the kernel only keeps of files and lets go of by itself.
  private var used: Int? {
    guard let current = group.read("memory.current").flatMap({ Int($0) }),
      let statistics = group.read("memory.stat").map(GroupValues.init)
    else { return nil }
    return current - (statistics["inactive_file"] ?? 0) - (statistics["active_file"] ?? 0)
  }
}
