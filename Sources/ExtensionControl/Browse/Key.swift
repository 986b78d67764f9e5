/// A key, as the browser understands it.
enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, pageUp, pageDown, home, end
  case enter, escape, backspace
}
