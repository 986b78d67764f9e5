import LinuxSystem
import SceneCompositor
import WireClient

// What it costs a host to have what an extension draws. The client is in the same thread, and only the compositor's part is
// measured: from its socket to the pixels that a view draws.

extension Bench {
  private static let (width, height) = (1280, 720)

  /// A whole frame, beside one copy of its bytes.
  func sceneFrame() throws -> Row {
    var row = try Self.frames("scene.frame", damage: (Self.width, Self.height))
    row.goals = [.floor(1.2)]
    return row
  }

  /// 64 by 64 pixels of it, beside the same copy.
  func sceneDamage() throws -> Row {
    var row = try Self.frames("scene.damage", damage: (64, 64))
    row.goals = [.floor(0.05)]
    return row
  }

  /// Sixteen scenes, each with 60 frames in a second: the time of the processor that a second takes.
  func sceneSixteen() throws -> Row {
    var row = Row(id: "scene.sixteen", unit: "ms")
    row.goals = [.value(500)]
    row.note = "processor's time of 16 x 60 frames with 64 x 64 pixels of damage"
    let painters = try (0..<16).map { _ in try Painter(width: Self.width, height: Self.height) }
    for _ in 0..<5 {
      var time = 0.0
      for _ in 0..<60 { for painter in painters { time += painter.frame(damage: (64, 64)) } }
      row.samples.append(time / 1000)
    }
    return row
  }

  private static func frames(_ id: String, damage: (width: Int, height: Int)) throws -> Row {
    var row = Row(id: id)
    row.note = "1280 x 720"
    let painter = try Painter(width: width, height: height)
    let copier = Copier(bytes: width * height * 4)
    for _ in 0..<200 {
      row.samples.append(painter.frame(damage: damage))
      row.floor.append(copier.copy())
    }
    return row
  }
}

/// A client with one window and two buffers.
private final class Painter {
  private let client: WireClient
  private let scene: Scene
  private let window: WireClient.Window
  private let buffers: [UInt32]
  private var count = 0

  init(width: Int, height: Int) throws {
    client = try WireClient()
    scene = client.compositor.makeScene(token: nil, size: (width, height))
    window = client.makeWindow()
    try client.show(window, width, height)
    buffers = try [client.makeBuffer(width, height), client.makeBuffer(width, height)]
    guard scene.isShown else { throw Bench.Failure(description: "the scene is not shown") }
  }

  /// Microseconds in which the compositor has taken a frame, and has told the client that it was shown.
  func frame(damage: (width: Int, height: Int)) -> Double {
    count += 1
    client.hold {
      client.request(window.surface, 1, .object(buffers[count % 2]), 0, 0)
      client.request(window.surface, 2, 0, 0, .number(damage.width), .number(damage.height))
      _ = client.make(window.surface, 3)
      client.commit(window.surface)
    }
    let time = Bench.time {
      client.compositor.dispatch()
      for layer in scene.layers { _ = layer.takeDamage() }
      scene.frameShown(milliseconds: UInt32(count * 16))
    }
    client.serve()
    return time
  }
}

/// The least that somebody has to do who keeps pixels that others may change: one copy.
@safe private final class Copier {
  private let source: UnsafeMutableRawBufferPointer
  private let target: UnsafeMutableRawBufferPointer

  init(bytes: Int) {
    unsafe source = .allocate(byteCount: bytes, alignment: 64)
    unsafe target = .allocate(byteCount: bytes, alignment: 64)
    unsafe source.initializeMemory(as: UInt8.self, repeating: 1)
    unsafe target.initializeMemory(as: UInt8.self, repeating: 2)
  }

  deinit {
    unsafe source.deallocate()
    unsafe target.deallocate()
  }

  func copy() -> Double { Bench.time { unsafe target.copyMemory(from: UnsafeRawBufferPointer(source)) } }
}
