internal import SceneCompositor
internal import Testing
internal import WireClient

/// What host and extension say about a scene beside its windows.
struct ControlTests {
  private func begin(_ token: String, _ client: WireClient) -> UInt32 {
    let manager = client.bind("extk_scene_manager_v1", 2)
    return client.make(manager, 2, .text(token))
  }

  @Test func `A scene is told to end once, and its host hears that it has`() throws {
    let client = try WireClient(.byToken)
    let one = client.compositor.makeScene(token: "one", size: (100, 80))
    let two = client.compositor.makeScene(token: "two", size: (100, 80))
    var events: [Scene.Event] = []
    one.onEvent = { events.append($0) }
    two.onEvent = { _ in Issue.record("the other scene was told something") }
    let (control, other) = (begin("one", client), begin("two", client))
    let window = client.makeWindow(title: "one")
    try client.show(window)
    one.end()
    one.end()
    #expect(client.events(of: control, 2) == [[]])
    #expect(client.events(of: window.role, 1).isEmpty && client.events(of: other, 2).isEmpty)
    events = []
    client.destroy(window)
    client.request(control, 0)
    #expect(events == [.hidden, .ended])
    two.onEvent = nil
  }

  @Test func `What is withdrawn is told to end, and says nothing any more`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let control = begin("one", client)
    scene.withdraw()
    scene.onEvent = { _ in Issue.record("a withdrawn scene says something") }
    #expect(client.events(of: control, 2) == [[]])
    client.request(control, 1, 0)
    client.request(control, 0)
    #expect(client.ends.isEmpty)
  }

  @Test func `Who knows nothing of it is asked to close`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let window = client.makeWindow(title: "one")
    try client.show(window)
    scene.end()
    #expect(client.events(of: window.role, 1) == [[]])
  }

  @Test func `The tint is told at the beginning and when it changes`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let early = begin("one", client)
    #expect(client.events(of: early, 0).isEmpty)
    scene.tint = 0x00ff_8000
    scene.tint = 0x00ff_8000
    let late = begin("one", client)
    scene.tint = nil
    let colour = Int(Int32(bitPattern: 0xffff_8000))
    #expect(client.events(of: early, 0) == [[colour], [0]] && client.events(of: late, 0) == [[colour], [0]])
  }

  @Test func `The focus comes by Tab, and leaves once for each Tab that the person presses`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let control = begin("one", client)
    try client.show(client.makeWindow(title: "one"))
    var events: [Scene.Event] = []
    scene.onEvent = { events.append($0) }
    let (tab, enter, shift): (UInt32, UInt32, UInt32) = (15, 28, 42)
    func press(_ keys: UInt32...) {
      for key in keys { scene.key(key, isDown: true, milliseconds: 0) }
      for key in keys.reversed() { scene.key(key, isDown: false, milliseconds: 0) }
    }
    press(tab)
    client.request(control, 1, 0)
    scene.takeFocus(.backward)
    #expect(scene.hasKeyboard && client.events(of: control, 1) == [[1]])
    client.request(control, 1, 0)
    press(tab, enter)
    client.request(control, 1, 0)
    press(shift, tab)
    // There is no such direction.
    client.request(control, 1, 7)
    #expect(events.isEmpty)
    client.request(control, 1, 1)
    client.request(control, 1, 1)
    #expect(events == [.focusLeaves(.backward)])
  }

  @Test func `A key that is down when the keyboard goes is not down when it comes back`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let keyboard = client.make(client.seat, 1)
    try client.show(client.makeWindow(title: "one"))
    scene.hasKeyboard = true
    scene.key(15, isDown: true, milliseconds: 0)
    // Its release is for what is beside the scene.
    scene.hasKeyboard = false
    scene.takeFocus(.backward)
    #expect(client.events(of: keyboard, 1).last?.last == 0)
    scene.key(15, isDown: true, milliseconds: 1)
    #expect(client.events(of: keyboard, 3).map { $0[3] } == [1, 1])
  }

  @Test func `Scenes of one client are bounded`() throws {
    var limits = SceneCompositor.Limits()
    limits.bindings = 10
    let client = try WireClient(.byToken, limits: limits)
    let manager = client.bind("extk_scene_manager_v1", 2)
    for _ in 0..<10 where client.ends.isEmpty { _ = client.make(manager, 2, .text("one")) }
    client.serve()
    #expect(client.ends == ["more than 10 globals and devices"])
  }
}
