extension Scene {
  /// The way in which Tab goes.
  public enum Direction: UInt32, Sendable {
    /// Tab.
    case forward
    /// Shift and Tab.
    case backward
  }

  /// Asks the extension to end the scene. One that uses the SDK's contents destroys its windows, dialogs too, and `.ended`
  /// comes; others are asked to `close()`. Whatever has not ended in time is for `withdraw()`.
  public func end() {
    let controls = controls
    guard !controls.isEmpty else { return close() }
    for control in controls { control.tellToEnd() }
    compositor?.flush()
  }

  /// Gives it the keyboard, as Tab does: its first entry is next, or backward its last one. Extensions that know nothing of
  /// scenes keep the entry that they had.
  public func takeFocus(_ direction: Direction) {
    hasKeyboard = true
    for control in controls { control.tell(focus: direction) }
    compositor?.flush()
  }

  // MARK: For the compositor

  var controls: [SceneControl] { (compositor?.controls ?? []).filter { $0.isOf(self) } }

  func tintChanged() {
    for control in controls { control.tell(tint: tint) }
    compositor?.flush()
  }

  func focusLeaves(_ direction: Direction) {
    // An extension cannot move the focus by itself: the next key would be for what the person does not expect.
    if hasKeyboard, compositor?.seat.takeTab() == true { onEvent?(.focusLeaves(direction)) }
  }

  func hasEnded() {
    if !isWithdrawn { onEvent?(.ended) }
  }
}
