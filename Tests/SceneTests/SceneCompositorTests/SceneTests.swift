internal import SceneCompositor
internal import Testing
internal import WireClient

/// Which window is which scene, and how scenes end.
struct SceneTests {
  @Test func `A window is the scene that it names, by its surface or its title`() throws {
    let client = try WireClient(.byToken)
    let one = client.compositor.makeScene(token: "one", size: (100, 80))
    let two = client.compositor.makeScene(token: "two", size: (100, 80))
    let untagged = client.makeWindow(title: "a splash")
    try client.show(untagged)
    try client.show(client.makeWindow(title: "two"), 100, 80, 0xffff_0000)
    let window = client.makeWindow(title: "any")
    client.request(client.bind("extk_scene_manager_v1"), 1, .object(window.surface), .text("one"))
    try client.show(window, 100, 80, 0xff00_00ff)
    #expect(one.picture()?[0, 0] == 0xff00_00ff && one.title == "any")
    #expect(two.picture()?[0, 0] == 0xffff_0000)
    #expect(client.notes.count == 1)
  }

  @Test func `A scene may be wanted later than its window is there`() throws {
    let client = try WireClient(.byToken)
    let window = client.makeWindow(title: "one")
    try client.show(window)
    let scene = client.compositor.makeScene(token: "one", size: (300, 200))
    #expect(scene.isShown)
    #expect(client.events(of: window.role, 0).last?.prefix(2) == [300, 200])
  }

  @Test func `A window that is hidden and shown again says again whose it is`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let window = client.makeWindow(title: "one")
    try client.show(window)
    client.hide(window)
    #expect(!scene.isShown)
    try client.show(window)
    #expect(scene.isShown && client.events(of: window.role, 0).last?.prefix(2) == [100, 80])
  }

  @Test func `A dialog stays with its scene when its parent is gone, and comes back with it`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let window = client.makeWindow(title: "one")
    try client.show(window)
    let dialog = client.makeWindow(parent: window)
    try client.show(dialog, 20, 20)
    #expect(scene.layers.count == 2)
    client.destroy(window)
    #expect(!scene.isShown)
    try client.show(client.makeWindow(title: "one"))
    #expect(scene.layers.count == 2)
  }

  @Test func `A dialog that was shown first follows its parent`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let window = client.makeWindow(title: "one")
    try client.show(client.makeWindow(parent: window), 20, 20)
    try client.show(window)
    #expect(scene.layers.count == 2)
  }

  @Test func `Of a program that knows nothing of scenes the oldest window counts, then the next`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    let windows = (0..<3).map { _ in client.makeWindow() }
    for (window, width) in zip(windows, [31, 32, 33]) { try client.show(window, width, 20) }
    #expect(scene.shownSize.width == 31)
    client.destroy(windows[0])
    #expect(scene.shownSize.width == 32)
    client.destroy(windows[1])
    #expect(scene.shownSize.width == 33)
    client.destroy(windows[2])
    #expect(!scene.isShown)
  }

  @Test(arguments: [true, false]) func `A withdrawn scene's windows are nobody's`(byToken: Bool) throws {
    let client = try WireClient(byToken ? .byToken : .oneScene)
    let token = byToken ? "one" : nil
    var scene: Scene? = client.compositor.makeScene(token: token, size: (100, 80))
    var events: [Scene.Event] = []
    scene?.onEvent = { events.append($0) }
    let window = client.makeWindow(title: "one")
    try client.show(window)
    let dialog = client.makeWindow(parent: window)
    scene?.withdraw()
    #expect(events.last == .hidden)
    events = []
    try client.show(dialog)
    client.hide(window)
    try client.show(window)
    #expect(events == [] && scene?.isShown == false && scene?.layers.isEmpty == true)
    scene = nil
    let other = client.compositor.makeScene(token: token, size: (100, 80))
    #expect(!other.isShown)
  }

  @Test func `Closing goes from the top: popups, dialogs, the window`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    let window = client.makeWindow()
    try client.show(window)
    let dialog = client.makeWindow(parent: window)
    try client.show(dialog)
    let popups = [try client.makePopup(of: dialog), try client.makePopup(of: window)]
    func told() -> [Int] {
      popups.map { client.events(of: $0.role, 1).count }
        + [dialog, window].map { client.events(of: $0.role, 1).count }
    }
    scene.close()
    #expect(told() == [1, 1, 0, 0])
    // It does not matter whether the program takes them away.
    scene.close()
    #expect(told() == [1, 1, 1, 0])
    client.destroy(dialog)
    scene.close()
    #expect(told() == [1, 1, 1, 1])
  }

  @Test func `The keyboard is for what is on top`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    let keyboard = client.make(client.seat, 1)
    let window = client.makeWindow()
    try client.show(window)
    scene.hasKeyboard = true
    func focus() -> Int? { client.events(of: keyboard, 1).last?[1] }
    #expect(focus() == Int(window.surface))
    let dialog = client.makeWindow(parent: window)
    try client.show(dialog)
    #expect(focus() == Int(dialog.surface))
    let popup = try client.makePopup(of: dialog, grabs: true)
    #expect(focus() == Int(popup.surface))
    // A click elsewhere ends its grab, once.
    scene.pointerMoved(x: 1, y: 1, milliseconds: 0)
    for isDown in [true, false] { scene.pointerButton(0x110, isDown: isDown, milliseconds: 0) }
    #expect(focus() == Int(dialog.surface) && client.events(of: popup.role, 1).count == 1)
    client.destroy(dialog)
    #expect(focus() == Int(window.surface))
  }

  @Test func `Nothing is told of a surface that is gone`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    let keyboard = client.make(client.seat, 1)
    let window = client.makeWindow()
    try client.show(window)
    scene.hasKeyboard = true
    #expect(client.events(of: keyboard, 1).count == 1)
    client.request(window.surface, 0)
    #expect(client.events(of: keyboard, 1).count == 1 && client.events(of: keyboard, 2).isEmpty)
  }

  @Test func `The host may disconnect from within an event`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    scene.onEvent = { [compositor = client.compositor] in if $0 == .shown { compositor.disconnect() } }
    try client.show(client.makeWindow())
    client.serve()
    #expect(client.ends == [nil] && !scene.isShown)
  }

  @Test func `A client that does not listen is ended once, whatever the host does of it`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: (100, 80))
    // As hosts do: nearly each call sends what waits.
    scene.onEvent = { [compositor = client.compositor, unowned scene] event in
      if event == .shown { scene.hasKeyboard = true }
      compositor.flush()
    }
    let window = client.makeWindow()
    try client.prepare(window)
    client.stopListening()
    client.commit(window.surface)
    client.serve()
    #expect(client.ends == [nil] && !scene.isShown)
  }

  @Test func `A scene's window stays its own, whatever parent it names`() throws {
    let client = try WireClient(.byToken)
    let scene = client.compositor.makeScene(token: "one", size: (100, 80))
    let (window, other) = (client.makeWindow(title: "one"), client.makeWindow(title: "nobody's"))
    try client.show(window)
    try client.show(other)
    client.request(window.role, 1, .object(other.role))
    #expect(scene.isShown)
    client.destroy(window)
    #expect(!scene.isShown)
    try client.show(client.makeWindow(title: "one"))
    #expect(scene.isShown)
  }

  @Test func `No picture is made that is larger than the pixels that a client may have`() throws {
    let client = try WireClient()
    let scene = client.compositor.makeScene(token: nil, size: nil)
    let window = client.makeWindow()
    try client.prepare(window)
    let viewport = client.make(client.bind("wp_viewporter"), 1, .object(window.surface))
    client.request(viewport, 2, .number(Int(Int32.max)), .number(Int(Int32.max)))
    client.commit(window.surface)
    #expect(scene.isShown && scene.picture() == nil)
  }

  @Test func `The end has the library's own reason`() throws {
    let client = try WireClient()
    client.request(77, 0)
    client.serve()
    #expect(client.ends == ["invalid object 77"])
  }

  @Test func `A new scale is told`() throws {
    let client = try WireClient()
    let output = client.bind("wl_output", 2)
    let scale = client.make(client.bind("wp_fractional_scale_manager_v1"), 1, .object(client.makeSurface()))
    client.compositor.scale = 1.5
    client.compositor.flush()
    #expect(client.events(of: scale, 0) == [[120], [180]] && client.events(of: output, 3).last == [2])
  }
}
