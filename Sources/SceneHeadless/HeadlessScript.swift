internal import LinuxSystem
public import SceneCompositor

/// What a host without a screen does, a line a step. Empty lines and what begins with `#` are nothing.
///
///     wait shown              until the scene has pixels
///     wait ended              until the extension's connection has ended
///     wait text TEXT          until the extension has printed a line with this text
///     wait popup, no-popup    until a popup is there, or none
///     wait size W H           until the window has this size
///     move X Y | click X Y [left|right|middle] | scroll X Y DOWN
///     focus | unfocus | type TEXT | key NUMBER
///     resize W H | snapshot FILE | close
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
  /// - Parameter output: what the extension has printed so far.
  public func run(_ host: HeadlessHost, _ scene: Scene, output: @escaping () -> String) throws {
    for (number, words) in lines {
      do { try run(words, host, scene, output) } catch {
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
      guard numbers.indices.contains(index) else { throw Failure(description: "a number is missing") }
      return numbers[index]
    }
    let now = HeadlessHost.now
    var next = MonotonicTime.now
    switch words[0] {
    case "wait": try wait(Array(words.dropFirst()), host, scene, output)
    case "move": try scene.pointerMoved(x: number(0), y: number(1), milliseconds: now)
    case "click":
      let buttons: [String: UInt32] = ["left": 0x110, "right": 0x111, "middle": 0x112]
      let button = buttons[words.last ?? ""] ?? 0x110
      try scene.pointerMoved(x: number(0), y: number(1), milliseconds: now)
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
      let key = UInt32(try number(0))
      scene.key(key, isDown: true, milliseconds: now)
      scene.key(key, isDown: false, milliseconds: now + 10)
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
    let condition: () -> Bool
    switch words.first {
    case "shown": condition = { scene.isShown }
    case "hidden": condition = { !scene.isShown }
    case "ended": condition = { host.end != nil }
    case "text":
      let text = words.dropFirst().joined(separator: " ")
      condition = { output().split(separator: "\n").contains { $0.contains(text) } }
    case "popup": condition = { !scene.overlays.isEmpty }
    case "no-popup": condition = { scene.overlays.isEmpty }
    case "size" where numbers.count == 2:
      condition = { scene.shownSize == (numbers[0], numbers[1]) }
    default: throw Failure(description: "there is nothing of that name to wait for")
    }
    let isDone = try host.run(until: .now + limit) { condition() || host.end != nil && words != ["ended"] }
    guard isDone, condition() else {
      if let end = host.end {
        throw Failure(description: "the extension's connection has ended\(end.map { ": " + $0 } ?? "")")
      }
      throw Failure(description: "this has not happened in \(limit)")
    }
  }
}
