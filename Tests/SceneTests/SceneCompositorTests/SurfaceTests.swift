internal import SceneCompositor
internal import Testing
internal import WireClient

/// What is seen of surfaces.
struct SurfaceTests {
  let client: WireClient
  let scene: Scene
  let window: WireClient.Window
  private let green: UInt32 = 0xff00_ff00
  private let red: UInt32 = 0xffff_0000

  init() throws {
    client = try WireClient()
    scene = client.compositor.makeScene(token: nil, size: (100, 80))
    window = client.makeWindow()
    try client.show(window)
  }

  private func pixel(_ x: Int, _ y: Int) -> UInt32? { scene.picture()?[x, y] }

  private func makeChild(_ colour: UInt32 = 0xffff_0000) throws -> (surface: UInt32, role: UInt32) {
    let surface = client.makeSurface()
    let role = client.make(client.children, 1, .object(surface), .object(window.surface))
    try client.draw(surface, 10, 10, colour)
    client.commit(surface)
    return (surface, role)
  }

  @Test func `Only what is damaged is drawn anew`() throws {
    var areas: [SceneRectangle] = []
    scene.onEvent = { if case .changed(let area) = $0 { areas.append(area) } }
    let buffer = try client.makeBuffer(100, 80, red)
    _ = scene.layers.first?.takeDamage()
    client.request(window.surface, 1, .object(buffer), 0, 0)
    client.request(window.surface, 2, 10, 20, 30, 5)
    client.commit(window.surface)
    #expect(pixel(10, 20) == red && pixel(39, 24) == red)
    #expect(pixel(9, 20) == green && pixel(40, 24) == green && pixel(10, 25) == green)
    #expect(scene.layers.first?.takeDamage() == SceneRectangle(x: 10, y: 20, width: 30, height: 5))
    #expect(scene.layers.first?.takeDamage().isEmpty == true)
    #expect(!areas.isEmpty)
    // It has been copied, so the client may use it again.
    #expect(client.events(of: buffer, 0).count == 1)
  }

  @Test func `A buffer that was never committed is not given back`() throws {
    let first = try client.makeBuffer(100, 80)
    let second = try client.makeBuffer(100, 80)
    client.request(window.surface, 1, .object(first), 0, 0)
    client.request(window.surface, 1, .object(second), 0, 0)
    client.commit(window.surface)
    #expect(client.events(of: first, 0).isEmpty)
    #expect(client.events(of: second, 0).count == 1)
  }

  @Test func `A scale and a viewport make another size`() throws {
    client.request(window.surface, 8, 2)
    try client.draw(window.surface, 200, 120)
    client.commit(window.surface)
    #expect(scene.shownSize == (100, 60))
    let viewport = client.make(client.bind("wp_viewporter"), 1, .object(window.surface))
    client.request(viewport, 2, 50, 40)
    client.commit(window.surface)
    #expect(scene.shownSize == (50, 40))
    // In 256ths.
    client.request(viewport, 1, 2560, 0, 5120, 5120)
    client.request(viewport, 2, -1, -1)
    client.commit(window.surface)
    #expect(scene.shownSize == (20, 20))
    #expect(scene.layers.first?.source == SceneRectangle(x: 20, y: 0, width: 40, height: 40))
    #expect(client.ends.isEmpty)
    client.request(viewport, 1, 2560, 0, 128, 5120)
    client.commit(window.surface)
    #expect(client.ends == ["a size that is no whole number"])
  }

  @Test func `A child is seen with its parent's commit, and so is where it stands`() throws {
    let child = try makeChild()
    #expect(pixel(0, 0) == green)
    client.commit(window.surface)
    #expect(pixel(0, 0) == red)
    client.request(child.role, 1, 30, 40)
    client.commit(child.surface)
    #expect(pixel(0, 0) == red && pixel(30, 40) == green)
    client.commit(window.surface)
    #expect(pixel(0, 0) == green && pixel(30, 40) == red)
  }

  @Test func `A child of its own time does not wait`() throws {
    let child = try makeChild()
    client.commit(window.surface)
    try client.draw(child.surface, 10, 10, 0xff00_00ff)
    client.commit(child.surface)
    #expect(pixel(0, 0) == red)
    // What has waited is shown at once.
    client.request(child.role, 5)
    #expect(pixel(0, 0) == 0xff00_00ff)
    try client.draw(child.surface, 10, 10, red)
    client.commit(child.surface)
    #expect(pixel(0, 0) == red)
  }

  @Test func `Children are stacked with their parent's commit`() throws {
    let lower = try makeChild(red)
    let upper = try makeChild(0xff00_00ff)
    client.commit(window.surface)
    #expect(pixel(0, 0) == 0xff00_00ff)
    client.request(lower.role, 2, .object(upper.surface))
    #expect(pixel(0, 0) == 0xff00_00ff)
    client.commit(window.surface)
    #expect(pixel(0, 0) == red)
    client.request(lower.role, 3, .object(window.surface))
    client.request(upper.role, 3, .object(window.surface))
    client.commit(window.surface)
    #expect(pixel(0, 0) == green)
  }

  @Test func `The pointer is where a surface takes it`() throws {
    let pointer = client.make(client.seat, 0)
    let region = client.make(client.surfaces, 1)
    client.request(region, 1, 0, 0, 50, 80)
    client.request(region, 2, 10, 10, 10, 10)
    client.request(window.surface, 5, .object(region))
    client.commit(window.surface)
    for (x, y, isIn) in [(5, 5, true), (60, 5, false), (12, 12, false), (30, 30, true)] {
      scene.pointerMoved(x: Double(x), y: Double(y), milliseconds: 0)
      client.serve()
      let last = client.events.last { $0.object == pointer && $0.number < 2 }
      #expect(last?.number == (isIn ? 0 : 1), "at \(x) \(y)")
    }
  }

  @Test func `A pointer that is asked for late is told where it is`() throws {
    _ = client.make(client.seat, 0)
    scene.pointerMoved(x: 5, y: 6, milliseconds: 0)
    let late = client.make(client.seat, 0)
    // The first is a serial.
    let entered = try #require(client.events(of: late, 0).first)
    #expect(entered[1...] == [Int(window.surface), 1280, 1536])
  }

  @Test func `Frame callbacks go with their surface`() throws {
    let surface = client.makeSurface()
    let callback = client.make(surface, 3)
    client.request(surface, 0)
    // wl_display.delete_id, which the library sends with the next event that is one.
    _ = client.make(1, 0)
    #expect(client.events(of: 1, 1).contains([Int(callback)]))
  }

  @Test func `A turn copies so much, and the rest when it is time`() throws {
    var limits = SceneCompositor.Limits()
    limits.turnBytes = 100 * 80 * 4
    let client = try WireClient(limits: limits)
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    let window = client.makeWindow()
    try client.show(window)
    for colour in [red, 0xff00_00ff] {
      try client.draw(window.surface, 100, 80, colour)
      client.commit(window.surface)
      client.serve()
      #expect(scene.picture()?[50, 50] == colour)
    }
  }
}
