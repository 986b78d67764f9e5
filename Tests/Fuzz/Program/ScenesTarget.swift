import LinuxSystem
import SceneCompositor

extension FuzzTarget {
  /// Requests of a client of the compositor, and what a host does meanwhile. Each byte that says what is done is followed by
  /// those that say with what.
  static let scenes = FuzzTarget("scenes") { bytes in
    let client = must("making a compositor") { try SceneClient(bytes[...]) }
    client.run()
  }
}

/// A client that makes requests of bytes. Its objects are of the right kinds, alive or not.
private final class SceneClient {
  // One for all: it takes longer than an input.
  nonisolated(unsafe) private static let keymap = must("making a keymap") { try Keymap() }

  private let compositor: SceneCompositor
  private let scene: Scene
  private let socket: SharedDescriptor
  private var bytes: ArraySlice<UInt8>
  private var next: UInt32 = 3
  private var objects: [String: [UInt32]] = [:]
  private var serials: [UInt32] = []
  private var ends = 0

  init(_ bytes: ArraySlice<UInt8>) throws(Errno) {
    self.bytes = bytes
    let (own, its) = try Socket.pair()
    socket = own
    let keymap = unsafe Self.keymap
    compositor = try SceneCompositor(naming: bytes.count % 2 == 0 ? .oneScene : .byToken, keymap: keymap)
    try compositor.attach(its.descriptor.duplicate())
    scene = compositor.makeScene(token: "a", size: (64, 48))
    compositor.onEnd = { [unowned self] _ in ends += 1 }
    // The host looks at what it is told of.
    scene.onEvent = { [unowned scene] _ in _ = (scene.layers.count, scene.overlays.count, scene.preferredSize)
    }
    send([1, 12 << 16 | 1, 2], nil)
    var buffer = [UInt8](repeating: 0, count: 8192)
    let got = (try? Socket.receive(into: &buffer, from: socket.rawValue))?.count ?? 0
    bindAll(Array(buffer[..<got]))
  }

  private func bindAll(_ events: [UInt8]) {
    var start = 0
    func word(_ index: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(events[start + index * 4 + $1]) << ($1 * 8) }
    }
    while start + 16 <= events.count {
      let text = Array(events[start + 16..<start + 15 + Int(word(3))])
      let length = Int(word(1) >> 16)
      let version = (0..<4).reduce(0) { $0 | UInt32(events[start + length - 4 + $1]) << ($1 * 8) }
      let type = String(decoding: text, as: UTF8.self)
      objects[type] = [next]
      request(2, 0, [word(2)] + Self.words(type) + [version, next], nil)
      next += 1
      start += length
    }
  }

  private static func words(_ text: String) -> [UInt32] {
    var bytes = Array(text.utf8) + [0]
    let count = UInt32(bytes.count)
    while bytes.count % 4 != 0 { bytes.append(0) }
    return [count]
      + stride(from: 0, to: bytes.count, by: 4).map { start in
        (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32($1 * 8) }
      }
  }

  private func request(_ object: UInt32, _ number: UInt32, _ words: [UInt32], _ file: SharedDescriptor?) {
    send([object, UInt32(words.count + 2) << 18 | number] + words, file)
  }

  private func send(_ words: [UInt32], _ file: SharedDescriptor?) {
    let bytes = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32($0 * 8)) } }
    _ = try? Socket.send(bytes[...], descriptors: file.map { [$0] } ?? [], to: socket.rawValue)
    compositor.dispatch()
  }

  private func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private func number() -> UInt32 {
    let byte = byte()
    return switch byte {
    case 250...: [0x7fff_ffff, 0x8000_0000, 0xffff_ff00, 0x00ff_ff00, 0xffff_ffff, 1 << 16][Int(byte - 250)]
    case 200...: UInt32(bitPattern: Int32(200) - Int32(byte))
    default: UInt32(byte)
    }
  }

  /// What a request is: the kind of its object, its number, and its arguments: a new object, an old one, one or none, a
  /// number, a text, a file.
  private typealias Request = (kind: String, number: UInt32, arguments: String)
  private static let requests: [Request] = """
    wl_compositor 0 +wl_surface|wl_compositor 1 +wl_region|wl_surface 0|wl_surface 1 ?wl_buffer 0 0
    wl_surface 2 # # # #|wl_surface 3 +wl_callback|wl_surface 4 ?wl_region|wl_surface 5 ?wl_region|wl_surface 6
    wl_surface 7 #|wl_surface 8 #|wl_surface 9 # # # #|wl_region 0|wl_region 1 # # # #|wl_region 2 # # # #
    wl_subcompositor 1 +wl_subsurface wl_surface wl_surface|wl_subsurface 0|wl_subsurface 1 # #
    wl_subsurface 2 wl_surface|wl_subsurface 3 wl_surface|wl_subsurface 4|wl_subsurface 5
    wl_shm 0 +wl_shm_pool @ #|wl_shm_pool 0 +wl_buffer # # # # 0|wl_shm_pool 0 +wl_buffer 0 8 8 32 1
    wl_shm_pool 1|wl_shm_pool 2 #|wl_buffer 0|wp_viewporter 1 +wp_viewport wl_surface|wp_viewport 0
    wp_viewport 1 # # # #|wp_viewport 2 # #|xdg_wm_base 1 +xdg_positioner|xdg_wm_base 2 +xdg_surface wl_surface
    xdg_wm_base 3 #|xdg_positioner 0|xdg_positioner 1 # #|xdg_positioner 2 # # # #|xdg_positioner 3 #
    xdg_positioner 4 #|xdg_positioner 5 #|xdg_positioner 6 # #|xdg_positioner 7|xdg_surface 0
    xdg_surface 1 +xdg_toplevel|xdg_surface 2 +xdg_popup ?xdg_surface xdg_positioner|xdg_surface 3 # # # #
    xdg_surface 4 !|xdg_toplevel 0|xdg_toplevel 1 ?xdg_toplevel|xdg_toplevel 2 $|xdg_toplevel 8 # #
    xdg_toplevel 11 0|xdg_popup 0|xdg_popup 1 wl_seat #|xdg_popup 2 xdg_positioner #|wl_seat 0 +wl_pointer
    wl_seat 1 +wl_keyboard|wl_seat 2 +wl_touch|wl_pointer 0 # ?wl_surface # #|wl_pointer 1|wl_keyboard 0|wl_touch 0
    extk_scene_manager_v1 1 wl_surface $|zxdg_decoration_manager_v1 1 +zxdg_toplevel_decoration_v1 xdg_toplevel
    zxdg_toplevel_decoration_v1 0|zxdg_toplevel_decoration_v1 1 #|zxdg_toplevel_decoration_v1 2
    org_kde_kwin_server_decoration_manager 0 +org_kde_kwin_server_decoration wl_surface
    org_kde_kwin_server_decoration 0|org_kde_kwin_server_decoration 1 #
    wp_fractional_scale_manager_v1 1 +wp_fractional_scale_v1 wl_surface|wp_fractional_scale_v1 0
    wl_data_device_manager 0 +wl_data_source|wl_data_device_manager 1 +wl_data_device wl_seat
    wl_data_source 0 $|wl_data_source 1|wl_data_device 1 ?wl_data_source #|wl_data_device 2
    wl_data_device 0 ?wl_data_source wl_surface ?wl_surface #
    """.split { $0 == "|" || $0 == "\n" }.map { line in
      let words = line.split(separator: " ")
      return (String(words[0]), UInt32(words[1]) ?? 0, words.dropFirst(2).joined(separator: " "))
    }

  func run() {
    while !bytes.isEmpty, ends == 0 {
      let what = Int(byte())
      if what < Self.requests.count { make(Self.requests[what]) } else { play(what) }
      read()
    }
    expect(ends <= 1, "\(ends) ends")
    Socket.shutdown(socket.descriptor)
    for _ in 0..<4 { compositor.dispatch() }
    expect(ends == 1, "\(ends) ends")
    expect(!scene.isShown && scene.layers.isEmpty, "something is shown of nobody")
  }

  private func make(_ request: Request) {
    guard let all = objects[request.kind], !all.isEmpty else { return }
    let object = all[Int(byte()) % all.count]
    var words: [UInt32] = []
    var file: SharedDescriptor?
    var made: (String, UInt32)?
    for argument in request.arguments.split(separator: " ") {
      switch argument.first {
      case "+":
        made = (String(argument.dropFirst()), next)
        words.append(next)
      case "#": words.append(number())
      case "!": words.append(serials.isEmpty ? 0 : serials[serials.count - 1 - Int(byte()) % serials.count])
      case "$": words += Self.words(["a", "b", ""][Int(byte()) % 3])
      case "@": file = try? Self.makeFile()
      case "?": words.append(old(String(argument.dropFirst()), mayBeNone: true))
      default: words.append(UInt32(argument) ?? old(String(argument), mayBeNone: false))
      }
    }
    if let (kind, id) = made {
      objects[kind, default: []].append(id)
      next += 1
    }
    self.request(object, request.number, words, file)
  }

  private func old(_ kind: String, mayBeNone: Bool) -> UInt32 {
    let all = objects[kind] ?? []
    let choice = Int(byte())
    return all.isEmpty || mayBeNone && choice == 255 ? 0 : all[choice % all.count]
  }

  private static func makeFile() throws(Errno) -> SharedDescriptor {
    let path = "/dev/shm/extensiond-fuzz-\(CurrentProcess.processID)"
    let file = SharedDescriptor(try File.open(path, [.readWrite, .create, .exclusive]))
    try File.remove(path)
    try file.descriptor.write(all: [UInt8](repeating: 0x80, count: 300))
    return file
  }

  /// What a host does.
  private func play(_ what: Int) {
    let (x, y) = (Int32(bitPattern: number()), Int32(bitPattern: number()))
    switch what % 10 {
    case 0: scene.pointerMoved(x: Double(x), y: Double(y), milliseconds: 0)
    case 1: scene.pointerButton(0x110, isDown: x % 2 == 0, milliseconds: 0)
    case 2: scene.key(UInt32(x & 127), isDown: y % 2 == 0, milliseconds: 0)
    case 3: scene.hasKeyboard = x % 2 == 0
    case 4: scene.resize(width: Int(x & 255), height: Int(y & 255))
    case 5: scene.frameShown(milliseconds: 0)
    case 6: scene.close()
    case 7: scene.touchBegan(x & 3, x: Double(y), y: Double(y), milliseconds: 0)
    case 8: scene.touchEnded(x & 3, milliseconds: 0)
    default: _ = scene.picture()
    }
    if what == 255 { scene.withdraw() }
  }

  /// The serials of configure events are all that it needs of what it is told.
  private func read() {
    var buffer = [UInt8](repeating: 0, count: 8192)
    while let got = try? Socket.receive(into: &buffer, from: socket.rawValue, maximumDescriptors: 4),
      got.count > 0
    {
      var start = 0
      func word(_ index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(buffer[start + index * 4 + $1]) << ($1 * 8) }
      }
      while start + 12 <= got.count {
        let length = Int(word(1) >> 16)
        if word(1) == 12 << 16, objects["xdg_surface"]?.contains(word(0)) == true { serials.append(word(2)) }
        guard length >= 8 else { return }
        start += length
      }
    }
  }
}
