internal import ExtensionInterfaces

/// A text that covers the list.
struct BrowserPage: Sendable {
  enum Kind: Hashable, Sendable {
    case details, why, logs, help, approval, difference
  }

  let kind: Kind
  let title: String
  /// What it is about, as it was when the page was made.
  var item: AdminInterface.Extension?
  /// Text whose control characters are visible.
  var lines: [String]
  var scroll = 0
  /// The person had its last line before their eyes.
  private(set) var isRead = false
  private var height = 1
  private var count = 0

  init(_ kind: Kind, title: String, item: AdminInterface.Extension? = nil, lines: [String]) {
    self.kind = kind
    self.title = title
    self.item = item
    self.lines = lines
  }

  /// There is more of it now, or something else.
  mutating func replace(_ lines: [String]) {
    if lines == self.lines { return }
    self.lines = lines
    isRead = false
  }

  mutating func handle(_ key: Key) {
    switch key {
    case .up, .character("k"): scroll -= 1
    case .down, .character("j"): scroll += 1
    case .pageUp, .character("b"): scroll -= height
    case .pageDown, .character(" "): scroll += height
    case .home, .character("g"): scroll = 0
    case .end, .character("G"): scroll = count
    default: break
    }
    scroll = max(0, min(scroll, count - height))
  }

  /// The part that is seen.
  mutating func visible(width: Int, height: Int) -> [String] {
    let all = lines.flatMap { Columns.wrap($0, to: width) }
    (self.height, count) = (max(1, height), all.count)
    scroll = max(0, min(scroll, count - self.height))
    if scroll + height >= count { isRead = true }
    return Array(all.dropFirst(scroll).prefix(max(0, height)))
  }

  /// Whether something is below what is seen.
  var hasMore: Bool { scroll + height < count }
}
