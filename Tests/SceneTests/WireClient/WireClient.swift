package import LinuxSystem
package import SceneCompositor

/// A client of a compositor in the same thread: it writes requests as they are on the wire, and lets them be served at
/// once. Objects are their numbers; requests and events have the numbers of the protocols.
package final class WireClient {
  package enum Argument: ExpressibleByIntegerLiteral {
    case number(Int)
    case object(UInt32)
    case text(String)

    package init(integerLiteral value: Int) { self = .number(value) }
  }

  package struct Event: Equatable {
    package let object: UInt32
    package let number: Int
    package let arguments: [Int]
  }

  package let compositor: SceneCompositor
  private let socket: SharedDescriptor
  private var next: UInt32 = 2
  private var unread: [UInt8] = []
  package private(set) var events: [Event] = []
  /// What the host was told of the connection's end, each time.
  package private(set) var ends: [String?] = []
  package private(set) var notes: [String] = []
  private var globals: [String: Int] = [:]

  package init(
    _ naming: SceneCompositor.Naming = .oneScene, scale: Double = 1,
    limits: SceneCompositor.Limits = .init()
  ) throws {
    let (own, its) = try Socket.pair()
    socket = own
    compositor = try SceneCompositor(naming: naming, scale: scale, limits: limits)
    try compositor.attach(its.descriptor.duplicate())
    compositor.onEnd = { [unowned self] in ends.append($0) }
    compositor.onNote = { [unowned self] in notes.append($0) }
    let registry = make(1, 1)
    for event in events where event.object == registry { read(event) }
    self.registry = registry
  }

  private var registry: UInt32 = 0

  private func read(_ event: Event) {
    let bytes = event.arguments.dropFirst(2).flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    globals[String(decoding: bytes.prefix(event.arguments[1] - 1), as: UTF8.self)] = event.arguments[0]
  }

  package func bind(_ type: String, _ version: Int = 1) -> UInt32 {
    let id = newID()
    request(registry, 0, .number(globals[type] ?? 0), .text(type), .number(version), .object(id))
    return id
  }

  package func newID() -> UInt32 {
    defer { next += 1 }
    return next
  }

  package func request(
    _ object: UInt32, _ number: Int, _ arguments: Argument..., file: SharedDescriptor? = nil
  ) {
    send(object, number, arguments, file)
  }

  /// A request that makes an object, whose number comes first.
  package func make(_ object: UInt32, _ number: Int, _ arguments: Argument..., file: SharedDescriptor? = nil)
    -> UInt32
  {
    let id = newID()
    send(object, number, [.object(id)] + arguments, file)
    return id
  }

  private func send(_ object: UInt32, _ number: Int, _ arguments: [Argument], _ file: SharedDescriptor?) {
    var words: [UInt32] = [object, 0]
    for argument in arguments {
      switch argument {
      case .number(let value): words.append(UInt32(truncatingIfNeeded: value))
      case .object(let id): words.append(id)
      case .text(let text):
        var bytes = Array(text.utf8) + [0]
        words.append(UInt32(bytes.count))
        while bytes.count % 4 != 0 { bytes.append(0) }
        for start in stride(from: 0, to: bytes.count, by: 4) {
          words.append((0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32($1 * 8) })
        }
      }
    }
    words[1] = UInt32(words.count * 4) << 16 | UInt32(number)
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) } }
    if isHolding { return held += bytes }
    _ = try? Socket.send(bytes[...], descriptors: file.map { [$0] } ?? [], to: socket.rawValue)
    serve()
  }

  private var isHolding = false
  private var held: [UInt8] = []

  /// Writes all requests of `body` at once. They are served when `serve()` is called, or the compositor dispatches.
  package func hold(_ body: () -> Void) {
    isHolding = true
    body()
    isHolding = false
    _ = try? Socket.send(held[...], descriptors: [], to: socket.rawValue)
    held = []
  }

  /// Whatever is sent to it is an error of the sender from now on.
  package func stopListening() { Socket.shutdownReads(socket.descriptor) }

  /// Lets the compositor do what there is to do, and reads what it says.
  package func serve() {
    compositor.dispatch()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while let got = try? Socket.receive(into: &buffer, from: socket.rawValue, maximumDescriptors: 4),
      got.count > 0
    {
      unread += buffer[..<got.count]
    }
    func word(_ index: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(unread[index * 4 + $1]) << ($1 * 8) }
    }
    while unread.count >= 8, unread.count >= word(1) >> 16 {
      let length = word(1) >> 16
      events.append(
        Event(
          object: UInt32(word(0)), number: word(1) & 0xffff,
          arguments: (2..<length / 4).map { Int(Int32(truncatingIfNeeded: word($0))) }))
      unread.removeFirst(length)
    }
  }

  /// The arguments of an object's events of a kind, oldest first.
  package func events(of object: UInt32, _ number: Int) -> [[Int]] {
    serve()
    return events.filter { $0.object == object && $0.number == number }.map(\.arguments)
  }

  // MARK: What each test needs

  package private(set) lazy var surfaces = bind("wl_compositor", 4)
  package private(set) lazy var children = bind("wl_subcompositor")
  package private(set) lazy var memory = bind("wl_shm")
  package private(set) lazy var base = bind("xdg_wm_base", 3)
  package private(set) lazy var seat = bind("wl_seat", 5)

  package func makeSurface() -> UInt32 { make(surfaces, 0) }

  /// A buffer of one colour.
  package func makeBuffer(_ width: Int, _ height: Int, _ colour: UInt32 = 0xff00_ff00) throws -> UInt32 {
    // Tests run at the same time, each with clients of its own.
    let path = "/dev/shm/wire-client-\(CurrentProcess.processID)-\(ObjectIdentifier(self).hashValue)"
    let file = SharedDescriptor(try File.open(path, [.readWrite, .create, .exclusive]))
    try File.remove(path)
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: colour >> UInt32($0 * 8)) }
    try file.descriptor.write(all: (0..<width * height).flatMap { _ in bytes })
    let pool = make(memory, 0, .number(width * height * 4), file: file)
    let buffer = make(pool, 0, 0, .number(width), .number(height), .number(width * 4), 0)
    request(pool, 1)
    return buffer
  }

  package func draw(_ surface: UInt32, _ width: Int, _ height: Int, _ colour: UInt32 = 0xff00_ff00) throws {
    request(surface, 1, .object(try makeBuffer(width, height, colour)), 0, 0)
    request(surface, 2, 0, 0, .number(width), .number(height))
  }

  package func commit(_ surface: UInt32) { request(surface, 6) }

  package struct Window {
    package let surface: UInt32, shell: UInt32, role: UInt32
  }

  package func makeWindow(parent: Window? = nil, title: String? = nil) -> Window {
    let surface = makeSurface()
    let shell = make(base, 2, .object(surface))
    let window = Window(surface: surface, shell: shell, role: make(shell, 1))
    if let parent { request(window.role, 1, .object(parent.role)) }
    if let title { request(window.role, 2, .text(title)) }
    return window
  }

  /// As clients do it: a first commit, the answer to how large it is to be, a picture.
  package func show(_ window: Window, _ width: Int = 100, _ height: Int = 80, _ colour: UInt32 = 0xff00_ff00)
    throws
  {
    try prepare(window, width, height, colour)
    commit(window.surface)
  }

  /// All of that but for the last commit.
  package func prepare(
    _ window: Window, _ width: Int = 100, _ height: Int = 80, _ colour: UInt32 = 0xff00_ff00
  )
    throws
  {
    commit(window.surface)
    if let serial = events(of: window.shell, 0).last?[0] { request(window.shell, 4, .number(serial)) }
    try draw(window.surface, width, height, colour)
  }

  package func hide(_ window: Window) {
    request(window.surface, 1, 0, 0, 0)
    commit(window.surface)
  }

  package func destroy(_ window: Window) {
    request(window.role, 0)
    request(window.shell, 0)
    request(window.surface, 0)
  }

  package struct Rule {
    package var size: (Int, Int)
    package var anchor: (Int, Int, Int, Int)
    package var edge: Int
    package var gravity: Int
    package var adjustment: Int
    package var offset: (Int, Int)

    package init(
      size: (Int, Int) = (20, 10), anchor: (Int, Int, Int, Int) = (100, 80, 30, 20), edge: Int = 0,
      gravity: Int = 0, adjustment: Int = 0, offset: (Int, Int) = (0, 0)
    ) {
      self.size = size
      self.anchor = anchor
      self.edge = edge
      self.gravity = gravity
      self.adjustment = adjustment
      self.offset = offset
    }
  }

  package func makePopup(of parent: Window, _ rule: Rule = Rule(), grabs: Bool = false) throws -> Window {
    let positioner = make(base, 1)
    request(positioner, 1, .number(rule.size.0), .number(rule.size.1))
    let (x, y, width, height) = rule.anchor
    request(positioner, 2, .number(x), .number(y), .number(width), .number(height))
    request(positioner, 3, .number(rule.edge))
    request(positioner, 4, .number(rule.gravity))
    request(positioner, 5, .number(rule.adjustment))
    request(positioner, 6, .number(rule.offset.0), .number(rule.offset.1))
    let surface = makeSurface()
    let shell = make(base, 2, .object(surface))
    let popup = Window(
      surface: surface, shell: shell, role: make(shell, 2, .object(parent.shell), .object(positioner)))
    if grabs { request(popup.role, 1, .object(seat), 0) }
    try show(popup, rule.size.0, rule.size.1, 0xff00_00ff)
    return popup
  }
}
