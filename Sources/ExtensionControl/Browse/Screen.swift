internal import CCurses

/// The whole terminal, from `init` to `end`: ncurses(3).
final class Screen {
  private var isEnded = false

  init() throws(ControlError) {
    Columns.prepare()
    guard ccurses_can_address() != 0, ccurses_begin() != 0 else {
      throw ControlError(
        .usage, "this terminal cannot be browsed on; set TERM to what it is, or use 'extctl list'")
    }
  }

  deinit { end() }

  /// Leaves the terminal as it was.
  func end() {
    if isEnded { return }
    isEnded = true
    endwin()
  }

  var size: (width: Int, height: Int) {
    var (rows, columns) = (CInt(0), CInt(0))
    unsafe ccurses_measure(&rows, &columns)
    return (Int(columns), Int(rows))
  }

  func draw(_ lines: [ScreenLine]) {
    for (row, line) in lines.enumerated() {
      unsafe ccurses_line(CInt(row), line.text, line.isBold ? 1 : 0, line.isReversed ? 1 : 0)
    }
    refresh()
  }

  /// The keys that wait.
  func keys() -> [Key] {
    var keys: [Key] = []
    while true {
      var value: UInt32 = 0
      switch unsafe ccurses_key(&value) {
      case 0: return keys
      case 1: if let key = Self.character(value) { keys.append(key) }
      default: if let key = Self.code(CInt(bitPattern: value)) { keys.append(key) }
      }
    }
  }

  private static func character(_ value: UInt32) -> Key? {
    switch value {
    case 27: return .escape
    case 10, 13: return .enter
    case 8, 127: return .backspace
    default: return Unicode.Scalar(value).flatMap { value < 32 ? nil : .character(Character($0)) }
    }
  }

  private static func code(_ value: CInt) -> Key? {
    switch value {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_PPAGE: .pageUp
    case KEY_NPAGE: .pageDown
    case KEY_HOME: .home
    case KEY_END: .end
    case KEY_ENTER: .enter
    case KEY_BACKSPACE: .backspace
    default: nil
    }
  }
}
