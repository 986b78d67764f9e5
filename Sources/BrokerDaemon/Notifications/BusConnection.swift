internal import CSystemd
internal import LinuxSystem

/// A connection to the bus of the person's session. Nothing here waits: what the bus does not do in time fails.
@safe final class BusConnection {
  struct Address {
    let destination: String
    let path: String
    let interface: String
  }

  /// Messages that are dealt with before others get a turn.
  private static let messagesPerTurn = 32
  /// Calls without an answer. With more, something is wrong there.
  private static let callLimit = 32
  /// A server that has to be started first takes its time.
  private static let patience: Duration = .seconds(25)

  private let bus: OpaquePointer
  private let loop: EventLoop
  private let descriptor: SharedDescriptor
  private var watch: EventLoop.Watch?
  private var timer: EventLoop.Timer?
  private var calls: [UInt64: (answered: (BusMessage?) -> Void, timer: EventLoop.Timer)] = [:]
  private var isProcessing = false
  private var isEnded = false

  /// A signal of `listen` has come.
  var onSignal: (BusMessage) -> Void = { _ in }
  /// The bus is gone, or nothing can be said to it. Comes once, after all calls have failed.
  var onEnd: () -> Void = {}

  /// nil: there is none.
  init?(loop: EventLoop) {
    var bus: OpaquePointer?
    guard unsafe sd_bus_open_user(&bus) >= 0, let bus = unsafe bus else { return nil }
    unsafe self.bus = bus
    self.loop = loop
    do throws(Errno) {
      // sd-bus closes its own when the bus ends, whoever watches it.
      let own = FileDescriptor(owning: unsafe sd_bus_get_fd(bus))
      let copy = Result { () throws(Errno) in SharedDescriptor(try own.duplicate()) }
      _ = own.take()
      let descriptor = try copy.get()
      self.descriptor = descriptor
      watch = try loop.watch(descriptor.rawValue, for: .readable) { [unowned self] _ in self.process() }
    } catch {
      unsafe sd_bus_close(bus)
      unsafe sd_bus_unref(bus)
      return nil
    }
    rearm()
  }

  deinit {
    watch?.cancel()
    timer?.cancel()
    for call in calls.values { call.timer.cancel() }
    // Not flushed: that would wait.
    unsafe sd_bus_close(bus)
    unsafe sd_bus_unref(bus)
  }

  // MARK: Calls and signals

  /// Calls a method. `answered` comes once: with the reply or the error, or with nil where none came.
  func call(
    _ member: String, of address: Address, _ write: (BusMessage) -> Void = { _ in },
    answered: @escaping (BusMessage?) -> Void
  ) {
    var message: OpaquePointer?
    guard !isEnded, calls.count < Self.callLimit,
      unsafe sd_bus_message_new_method_call(
        bus, &message, address.destination, address.path, address.interface, member) >= 0,
      let message = unsafe message
    else { return answered(nil) }
    defer { unsafe sd_bus_message_unref(message) }
    write(unsafe BusMessage(pointer: message))
    var cookie: UInt64 = 0
    // Its own deadline does not run before the bus has greeted us, so that ours counts.
    let sent = unsafe sd_bus_call_async(
      bus, nil, message,
      { message, context, _ in unsafe BusConnection.receive(message, context) { $0.answer($1) } },
      Unmanaged.passUnretained(self).toOpaque(), UInt64.max)
    guard sent >= 0, unsafe sd_bus_message_get_cookie(message, &cookie) >= 0 else { return answered(nil) }
    let timer = loop.schedule(after: Self.patience) { [unowned self] in self.end() }
    calls[cookie] = (answered, timer)
    rearm()
  }

  /// Asks for all signals of an interface.
  func listen(to address: Address) {
    _ = unsafe sd_bus_match_signal_async(
      bus, nil, address.destination, address.path, address.interface, nil,
      { message, context, _ in unsafe BusConnection.receive(message, context) { $0.onSignal($1) } }, nil,
      Unmanaged.passUnretained(self).toOpaque())
    rearm()
  }

  private static func receive(
    _ message: OpaquePointer?, _ context: UnsafeMutableRawPointer?,
    _ take: (BusConnection, BusMessage) -> Void
  ) -> CInt {
    guard let message = unsafe message, let context = unsafe context else { return 0 }
    let bus = unsafe Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue()
    take(bus, unsafe BusMessage(pointer: message))
    return 0
  }

  private func answer(_ message: BusMessage) {
    var cookie: UInt64 = 0
    guard unsafe sd_bus_message_get_reply_cookie(message.pointer, &cookie) >= 0,
      let call = calls.removeValue(forKey: cookie)
    else { return }
    call.timer.cancel()
    call.answered(message)
  }

  // MARK: The loop

  private func process() {
    guard !isEnded, !isProcessing else { return }
    isProcessing = true
    var turns = 0
    var result: CInt = 1
    while result > 0, turns < Self.messagesPerTurn, !isEnded {
      result = unsafe sd_bus_process(bus, nil)
      turns += 1
    }
    isProcessing = false
    let isOpen = unsafe sd_bus_is_open(bus) > 0
    if result < 0 || !isOpen { return end() }
    rearm()
    if result > 0 { loop.schedule(after: .zero) { [weak self] in self?.process() } }
  }

  private func rearm() {
    guard !isEnded, !isProcessing else { return }
    let events = unsafe sd_bus_get_events(bus)
    if events < 0 {
      // Not from within a call, whose caller still waits for it.
      loop.schedule(after: .zero) { [weak self] in self?.end() }
      return
    }
    var interest: Readiness = []
    if events & 1 != 0 { interest.insert(.readable) }
    if events & 4 != 0 { interest.insert(.writable) }
    watch?.setInterest(interest)
    timer?.cancel()
    timer = nil
    var time = UInt64.max
    guard unsafe sd_bus_get_timeout(bus, &time) >= 0, time < UInt64(Int64.max / 1000) else { return }
    timer = loop.schedule(at: MonotonicTime(nanoseconds: Int64(time) * 1000)) { [unowned self] in
      self.process()
    }
  }

  private func end() {
    guard !isEnded else { return }
    isEnded = true
    watch?.cancel()
    timer?.cancel()
    let open = calls.values
    calls = [:]
    for call in open {
      call.timer.cancel()
      call.answered(nil)
    }
    onEnd()
  }
}
