internal import CWayland

/// An entry of the client, for the host's input method (`zwp_text_input_v3`).
final class TextInputObject: WaylandObject {
  struct State: Equatable {
    var isEnabled = false
    var text: String?
    var cursor = 0
    var anchor = 0
    var isInputMethodsChange = true
    var hint: UInt32 = 0
    var purpose: UInt32 = 0
    /// In the surface's coordinates.
    var rectangle: SceneRectangle?
  }

  private(set) var state = State()
  private var pending = State()
  /// How often it was committed, which is the serial of what it is told.
  private var commits: UInt32 = 0
  private(set) weak var surface: Surface?
  private weak var scene: Scene?

  func begin() {
    seat.textInputs.append(self)
    if let focus = seat.keyboardFocus { enter(focus, seat.keyboardScene) }
  }

  func enter(_ surface: Surface, _ scene: Scene?) {
    guard let resource, let target = surface.resource else { return }
    self.surface = surface
    self.scene = scene
    (state, pending) = (State(), State())
    unsafe zwp_text_input_v3_send_enter(resource, target)
  }

  /// The keyboard goes elsewhere: whatever was entered is disabled.
  func leave() {
    if let resource, let target = surface?.resource { unsafe zwp_text_input_v3_send_leave(resource, target) }
    forget()
  }

  private func forget() {
    let wasEnabled = state.isEnabled
    surface = nil
    (state, pending) = (State(), State())
    if wasEnabled { scene?.textInputChanged() }
  }

  override func destroyed() {
    seat.textInputs.removeAll { $0 === self }
    forget()
  }

  private func commit() {
    commits &+= 1
    // Without the keyboard nothing that it says counts.
    guard surface != nil else { return pending = State() }
    let old = state
    state = pending
    pending.isInputMethodsChange = true
    if state != old { scene?.textInputChanged() }
  }

  /// What the input method does, at once: deletes, then inserts, then shows what is not finished.
  func send(_ text: String, _ composition: Scene.Composition?, deleting: (before: Int, after: Int)) {
    guard let resource, state.isEnabled, surface != nil else { return }
    if deleting.before > 0 || deleting.after > 0 {
      unsafe zwp_text_input_v3_send_delete_surrounding_text(
        resource, UInt32(clamping: deleting.before), UInt32(clamping: deleting.after))
    }
    // A message has at most 4096 bytes.
    let parts = text.parts(of: 4000)
    for (index, part) in parts.enumerated() {
      unsafe zwp_text_input_v3_send_commit_string(resource, part)
      if index < parts.count - 1 { unsafe zwp_text_input_v3_send_done(resource, commits) }
    }
    if let composition, let shown = composition.text.parts(of: 4000).first {
      let cursor = composition.cursor
      unsafe zwp_text_input_v3_send_preedit_string(
        resource, shown, Int32(clamping: cursor?.lowerBound ?? -1), Int32(clamping: cursor?.upperBound ?? -1))
    }
    unsafe zwp_text_input_v3_send_done(resource, commits)
  }

  private func change(_ body: (inout State) -> Void) { body(&pending) }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    zwp_text_input_v3_requests(
      destroy: endResource,
      enable: { _, input in unsafe TextInputObject.of(input).change { $0 = State(isEnabled: true) } },
      disable: { _, input in unsafe TextInputObject.of(input).change { $0 = State() } },
      set_surrounding_text: { _, input, text, cursor, anchor in
        guard let text = unsafe text else { return }
        let string = unsafe String(cString: text)
        let range = 0...string.utf8.count
        unsafe TextInputObject.of(input).change {
          $0.text = string
          $0.cursor = min(max(Int(cursor), range.lowerBound), range.upperBound)
          $0.anchor = min(max(Int(anchor), range.lowerBound), range.upperBound)
        }
      },
      set_text_change_cause: { _, input, cause in
        unsafe TextInputObject.of(input).change {
          $0.isInputMethodsChange = cause == ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_INPUT_METHOD.rawValue
        }
      },
      set_content_type: { _, input, hint, purpose in
        unsafe TextInputObject.of(input).change { ($0.hint, $0.purpose) = (hint, purpose) }
      },
      set_cursor_rectangle: { _, input, x, y, width, height in
        unsafe TextInputObject.of(input).change {
          $0.rectangle = SceneRectangle(
            x: Int(x), y: Int(y), width: max(0, Int(width)), height: max(0, Int(height)))
        }
      },
      commit: { _, input in unsafe TextInputObject.of(input).commit() }))
}

/// The global that makes them (`zwp_text_input_manager_v3`).
final class TextInputManager: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    zwp_text_input_manager_v3_requests(
      destroy: endResource,
      get_text_input: { _, manager, id, _ in
        let input = unsafe TextInputObject(TextInputManager.of(manager).compositor)
        unsafe input.appear(for: manager, as: zwp_text_input_v3_type(), id: id, TextInputObject.requests)
        input.countBinding()
        input.begin()
      }))
}

extension String {
  /// Itself in parts of at most so many bytes, cut between characters of Unicode; at least one part where it is not empty.
  func parts(of most: Int) -> [String] {
    var parts: [String] = []
    var part = String.UnicodeScalarView()
    var size = 0
    for scalar in unicodeScalars {
      let length = UTF8.width(scalar)
      if size + length > most {
        parts.append(String(part))
        (part, size) = (String.UnicodeScalarView(), 0)
      }
      part.append(scalar)
      size += length
    }
    return size == 0 ? parts : parts + [String(part)]
  }
}
