extension Scene {
  /// The entry that has the keyboard, as its program describes it to the host's input method.
  public struct TextInput: Equatable {
    /// What stands around the cursor, at most 4000 bytes; nil where the program does not say.
    public let surroundingText: String?
    /// Where the cursor is in it, and the other end of what is marked, in bytes of UTF-8.
    public let cursor: Int
    /// The same as `cursor` where nothing is marked.
    public let anchor: Int
    /// The text is other than before since the input method changed it, not by a key or a click.
    public let isInputMethodsChange: Bool
    /// `zwp_text_input_v3.content_hint`: 0x80 a secret, 0x200 several lines, and others.
    public let hint: UInt32
    /// `zwp_text_input_v3.content_purpose`: 0 any text, 8 a password, 13 a terminal, and others.
    public let purpose: UInt32
    /// Where the cursor is to be seen, in the scene's coordinates; nil where the program does not say.
    public let cursorRectangle: SceneRectangle?
  }

  /// What an input method shows at the cursor while it is not finished.
  public struct Composition: Equatable {
    /// Shown, and not part of the text yet.
    public let text: String
    /// Where the cursor is in it, or what is marked of it, in bytes of UTF-8; nil hides the cursor.
    public let cursor: Range<Int>?

    /// - Parameters:
    ///   - text: at most 4000 bytes are shown.
    ///   - cursor: in bytes of UTF-8.
    public init(_ text: String, cursor: Range<Int>?) {
      self.text = text
      self.cursor = cursor
    }
  }

  /// nil where nothing that has the keyboard takes text. `.textInputChanged` tells of changes.
  public var textInput: TextInput? {
    guard let object = textInputObject, let surface = object.surface else { return nil }
    let state = object.state
    let layer = (layers + overlays.flatMap(\.layers)).first { $0.surface === surface }
    let rectangle = layer.flatMap { layer in state.rectangle?.moved(layer.place.x, layer.place.y) }
    return TextInput(
      surroundingText: state.text, cursor: state.cursor, anchor: state.anchor,
      isInputMethodsChange: state.isInputMethodsChange, hint: state.hint, purpose: state.purpose,
      cursorRectangle: rectangle)
  }

  /// What the host's input method has done; nothing where `textInput` is nil.
  /// - Parameters:
  ///   - text: is inserted.
  ///   - composition: replaces what was shown of the last one; nil: nothing is shown.
  ///   - deleting: bytes of UTF-8 before and after the cursor that go first.
  public func enterText(
    _ text: String = "", composition: Composition? = nil, deleting: (before: Int, after: Int) = (0, 0)
  ) {
    textInputObject?.send(text, composition, deleting: deleting)
    compositor?.flush()
  }

  private var textInputObject: TextInputObject? {
    guard hasKeyboard else { return nil }
    return compositor?.seat.textInputs.first { $0.state.isEnabled }
  }
}
