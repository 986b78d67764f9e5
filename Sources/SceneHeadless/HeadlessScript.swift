internal import LinuxSystem
public import SceneCompositor

/// What a host without a screen does, a line a step. Empty lines and what begins with `#` are nothing.
///
///     wait shown              until the scene has pixels
///     wait ended              until the extension's connection has ended
///     wait text TEXT          until the extension has printed a line with this text
///     wait popup, no-popup    until a popup is there, or none
///     wait popup-in X Y W H   until the corner of the topmost popup is in this rectangle
///     wait colour X Y RRGGBB  until the pixel there has about this colour
///     wait size W H           until the window has this size
///     wait clipboard TEXT     until this was copied in the extension; primary: until it was marked
///     ask                     for what was copied in the extension, without a wait for it
///     clipboard TEXT          what was copied elsewhere; primary: what was marked
///     wait text-input TEXT    until an entry has the keyboard, with this text in it; no-text-input: until none has
///     compose TEXT | enter TEXT | delete BEFORE AFTER    what an input method does, in bytes
///     wait cursor X Y W H     until the entry's cursor is in this part of the scene
///     wait pixels W H         until the window's buffer has this size
///     wait attention N        until the extension has wished so often to be brought to the front
///     ping                    asks whether it still answers, within a second
///     wait unresponsive, responsive
///     scale NUMBER            of the screen, from now on
///     hold NUMBER | release NUMBER    a key that stays down
///     move X Y | click [popup] X Y [left|right|middle] | scroll X Y DOWN
///     focus | unfocus | type TEXT | key NUMBER
///     resize W H | snapshot FILE | close
///     tint RRGGBB             the host's colour for the scene
///     focus-in forward|backward    the focus comes by Tab
///     wait focus-out forward|backward    until it has left the scene by Tab
///     wait scene-ended        until the extension has ended this scene
///     end                     the scene alone, and waits until the extension has ended it
///     scene N                 the next steps are for the Nth of several
///     repeat N STEP           the same step so often
public struct HeadlessScript {
  /// Why a script has failed, for people.
  public struct Failure: Error, CustomStringConvertible {
    /// One sentence.
    public let description: String
  }

  private let lines: [(number: Int, words: [String])]
  /// How long a step may wait.
  public var limit: Duration = .seconds(20)

  /// Takes a script apart. What a step is called is looked at when it is its turn.
  public init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap {
      let words = $1.split(separator: " ").map(String.init)
      return words.isEmpty || words[0].hasPrefix("#") ? nil : ($0 + 1, words)
    }
  }

  /// Does all steps.
  /// - Parameters:
  ///   - scenes: at least one; the first steps are for the first.
  ///   - output: what the extension has printed so far.
  public func run(_ host: HeadlessHost, _ scenes: [Scene], output: @escaping () -> String) throws {
    var scene = scenes[0]
    for (number, words) in lines {
      do {
        if words[0] == "scene" {
          guard let number = Int(words.last ?? ""), scenes.indices.contains(number - 1) else {
            throw Failure(description: "there are \(scenes.count) scenes")
          }
          scene = scenes[number - 1]
          continue
        }
        try run(words, host, scene, output)
      } catch {
        throw Failure(description: "line \(number), '\(words.joined(separator: " "))': \(error)")
      }
    }
  }

  private func run(_ words: [String], _ host: HeadlessHost, _ scene: Scene, _ output: @escaping () -> String)
    throws
  {
    let rest = words.dropFirst().joined(separator: " ")
    let numbers = words.dropFirst().compactMap { Double($0) }
    func number(_ index: Int) throws -> Double {
      guard numbers.indices.contains(index), abs(numbers[index]) <= 1e6 else {
        throw Failure(description: "a number is missing, or too large")
      }
      return numbers[index]
    }
    let now = HeadlessHost.now
    var next = MonotonicTime.now
    switch words.first {
    case "repeat":
      for _ in 0..<max(0, Int(try number(0))) { try run(Array(words.dropFirst(2)), host, scene, output) }
    case "wait": try wait(Array(words.dropFirst()), host, scene, output)
    case "move": try scene.pointerMoved(x: number(0), y: number(1), milliseconds: now)
    case "click":
      let corner = words[1...].first == "popup" ? scene.overlays.last?.place : nil
      let (left, top) = (Double(corner?.x ?? 0), Double(corner?.y ?? 0))
      let buttons: [String: UInt32] = ["left": 0x110, "right": 0x111, "middle": 0x112]
      let button = buttons[words.last ?? ""] ?? 0x110
      try scene.pointerMoved(x: left + number(0), y: top + number(1), milliseconds: now)
      scene.pointerButton(button, isDown: true, milliseconds: now)
      scene.pointerButton(button, isDown: false, milliseconds: now + 10)
    case "scroll":
      try scene.pointerMoved(x: number(0), y: number(1), milliseconds: now)
      try scene.pointerScrolled(
        x: 0, y: number(2), stepsY: number(2) < 0 ? -1 : 1, milliseconds: now)
    case "focus": scene.hasKeyboard = true
    case "unfocus": scene.hasKeyboard = false
    case "type": try type(rest, scene)
    case "key":
      let key = UInt32(max(0, try number(0)))
      scene.key(key, isDown: true, milliseconds: now)
      scene.key(key, isDown: false, milliseconds: now + 10)
    case "hold": try scene.key(UInt32(max(0, number(0))), isDown: true, milliseconds: now)
    case "release": try scene.key(UInt32(max(0, number(0))), isDown: false, milliseconds: now)
    case "compose":
      scene.enterText(composition: Scene.Composition(rest, cursor: rest.utf8.count..<rest.utf8.count))
    case "enter": scene.enterText(rest)
    case "delete": try scene.enterText(deleting: (Int(number(0)), Int(number(1))))
    case "tint": scene.tint = UInt32(rest, radix: 16)
    case "focus-in": scene.takeFocus(rest == "backward" ? .backward : .forward)
    case "end":
      scene.end()
      let isGone = try host.run(until: .now + limit) { host.endedTokens.contains(scene.token ?? "") }
      guard isGone, !scene.isShown else { throw Failure(description: "it has not ended in \(limit)") }
    case "ask": _ = host.text(of: \.clipboard)
    case "ping": host.compositor.ping(within: .seconds(1))
    case "scale": try host.compositor.scale = number(0)
    case "clipboard": host.compositor.clipboard.offer(rest)
    case "primary": host.compositor.primarySelection.offer(rest)
    case "resize": try scene.resize(width: Int(number(0)), height: Int(number(1)))
    case "snapshot":
      guard let picture = scene.picture(scale: Int(host.compositor.scale.rounded(.up))) else {
        throw Failure(description: "the scene shows nothing")
      }
      try picture.writePNG(to: rest)
    case "close":
      // As a window manager's person would: again, until it is gone.
      let isGone = try host.run(until: .now + limit) {
        guard scene.isShown, host.end == nil else { return true }
        if MonotonicTime.now >= next {
          scene.close()
          next = .now + .milliseconds(200)
        }
        return false
      }
      guard isGone else { throw Failure(description: "it is still there after \(limit)") }
    default: throw Failure(description: "there is no such step")
    }
    host.compositor.flush()
  }

  private func type(_ text: String, _ scene: Scene) throws {
    guard let keys = scene.keys(for: text) else {
      throw Failure(description: "the keyboard has no key for one of these characters")
    }
    let shift: UInt32 = 42
    for (key, needsShift) in keys {
      let now = HeadlessHost.now
      if needsShift { scene.key(shift, isDown: true, milliseconds: now) }
      scene.key(key, isDown: true, milliseconds: now)
      scene.key(key, isDown: false, milliseconds: now)
      if needsShift { scene.key(shift, isDown: false, milliseconds: now) }
    }
  }

  private func wait(
    _ words: [String], _ host: HeadlessHost, _ scene: Scene, _ output: @escaping () -> String
  ) throws {
    let numbers = words.compactMap { Int($0) }
    let text = words.dropFirst().joined(separator: " ")
    let condition: () -> Bool
    switch words.first {
    case "shown": condition = { scene.isShown }
    case "hidden": condition = { !scene.isShown }
    case "ended": condition = { host.end != nil }
    case "scene-ended": condition = { host.endedTokens.contains(scene.token ?? "") }
    case "focus-out": condition = { host.departures.last == (text == "backward" ? .backward : .forward) }
    case "text":
      condition = { output().split(separator: "\n").contains { $0.contains(text) } }
    case "text-input":
      condition = { scene.textInput.map { text.isEmpty || $0.surroundingText == text } ?? false }
    case "no-text-input": condition = { scene.textInput == nil }
    case "cursor" where numbers.count == 4:
      condition = {
        guard let cursor = scene.textInput?.cursorRectangle else { return false }
        return cursor.x >= numbers[0] && cursor.x + cursor.width <= numbers[0] + numbers[2]
          && cursor.y >= numbers[1] && cursor.y + cursor.height <= numbers[1] + numbers[3]
      }
    case "pixels" where numbers.count == 2:
      condition = {
        let pixels = scene.layers.first?.pixels
        return pixels?.width == numbers[0] && pixels?.height == numbers[1]
      }
    case "attention": condition = { host.wishes == numbers.first }
    case "unresponsive": condition = { host.compositor.isUnresponsive }
    case "responsive": condition = { !host.compositor.isUnresponsive && !host.compositor.isWaitingForAnswer }
    case "clipboard": condition = { host.text(of: \.clipboard) == text }
    case "primary": condition = { host.text(of: \.primarySelection) == text }
    case "popup": condition = { !scene.overlays.isEmpty }
    case "no-popup": condition = { scene.overlays.isEmpty }
    case "popup-in" where numbers.count == 4:
      condition = {
        guard let place = scene.overlays.last?.place else { return false }
        return (numbers[0]..<numbers[0] + numbers[2]).contains(place.x)
          && (numbers[1]..<numbers[1] + numbers[3]).contains(place.y)
      }
    case "colour" where words.count == 4 && numbers.count >= 2:
      let colour = UInt32(words[3], radix: 16) ?? 0
      let scale = Int(host.compositor.scale.rounded(.up))
      condition = {
        let pixel = scene.picture(scale: scale)?[numbers[0] * scale, numbers[1] * scale] ?? 0
        return [0, 8, 16].allSatisfy { (shift: UInt32) in
          abs(Int(pixel >> shift & 255) - Int(colour >> shift & 255)) <= 24
        }
      }
    case "size" where numbers.count == 2:
      condition = { scene.shownSize == (numbers[0], numbers[1]) }
    default: throw Failure(description: "there is nothing of that name to wait for")
    }
    let isDone = try host.run(until: .now + limit) { condition() || host.end != nil && words != ["ended"] }
    guard isDone, condition() else {
      if let end = host.end {
        throw Failure(description: "the extension's connection has ended\(end.map { ": " + $0 } ?? "")")
      }
      let popups = scene.overlays.map(\.place).map { "\($0.width)x\($0.height) at \($0.x) \($0.y)" }
      throw Failure(
        description: "this has not happened in \(limit)"
          + (popups.isEmpty ? "" : "; popups are \(popups.joined(separator: ", "))"))
    }
  }
}
