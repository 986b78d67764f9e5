internal import ExtensionInterfaces

/// One line of the screen.
struct ScreenLine: Hashable, Sendable {
  var text: String
  var isBold = false
  var isReversed = false
}

extension Browser {
  private static let keys =
    "? help  q quit  Enter more  a approve  d disable  r reset  w why  l logs  / find"
  private static let pageKeys = "q back  a approve  d disable  r reset  w why  l logs"
  private static let signedKeys =
    "q back  a approve  p approve updates too  d disable  r reset  w why  l logs"

  /// Exactly so many lines, none of them wider. Whoever shows them has shown what they say: only then is a question
  /// answered.
  mutating func lines(width: Int, height: Int) -> [ScreenLine] {
    let (width, height) = (max(1, width), max(1, height))
    let body = max(0, height - 2)
    var lines = page == nil ? listLines(width: width, height: body) : pageLines(width: width, height: body)
    while lines.count < height - 1 { lines.append(ScreenLine(text: "")) }
    lines = Array(lines.prefix(height - 1))
    lines.append(footer(width: width))
    return lines
  }

  private mutating func footer(width: Int) -> ScreenLine {
    if question != nil { question?.isShown = true }
    let more = page?.hasMore == true ? "(more below) " : ""
    let text: String
    if let question {
      let asked = more.isEmpty ? "\(question.text) y/N  \(message)" : message
      text = asked.isEmpty ? "\(more)\(question.text)" : more + asked
    } else if !message.isEmpty {
      text = message
    } else if isFiltering {
      return ScreenLine(text: Columns.cut("/\(filter.shown)_", to: width), isBold: true)
    } else {
      let pageKeys = page?.item?.publisher == nil ? Self.pageKeys : Self.signedKeys
      text = page == nil ? Self.keys : more + pageKeys
    }
    return ScreenLine(text: Columns.fit(text, to: width), isReversed: true)
  }

  private mutating func pageLines(width: Int, height: Int) -> [ScreenLine] {
    guard var page else { return [] }
    defer { self.page = page }
    return [ScreenLine(text: Columns.cut(page.title, to: width), isBold: true)]
      + page.visible(width: width, height: height).map { ScreenLine(text: $0) }
  }

  private mutating func listLines(width: Int, height: Int) -> [ScreenLine] {
    let rows = shown
    listHeight = max(1, height)
    let index = rows.firstIndex { $0.path == selection } ?? 0
    top = max(0, min(top, rows.count - listHeight, index))
    if index >= top + listHeight { top = index - listHeight + 1 }
    let layout = ListLayout(width: width, showsSigners: rows.contains { $0.publisher != nil })
    return [ScreenLine(text: Columns.cut(heading(rows), to: width), isBold: true)]
      + rows.dropFirst(top).prefix(height).map { item in
        let isSelected = item.path == selection
        let text = layout.row(item)
        return ScreenLine(text: isSelected ? Columns.fit(text, to: width) : text, isReversed: isSelected)
      }
  }

  private func heading(_ rows: [Item]) -> String {
    if !isLoaded { return "asking the broker…" }
    if items.isEmpty { return "no extensions; 'extctl status' shows where they are looked for" }
    let waiting = items.count { $0.state == .unapproved || $0.state == .changed }
    let filtered = filter.isEmpty ? "" : ", \(rows.count) with '\(filter.shown)'"
    return "\(items.count) extensions and hosts\(waiting == 0 ? "" : ", \(waiting) wait for you")\(filtered)"
  }
}

/// Which columns there is room for.
private struct ListLayout {
  let width: Int
  let showsSigners: Bool

  func row(_ item: AdminInterface.Extension) -> String {
    var cells: [(text: String, width: Int)] = [(item.mark, 12)]
    let name = (item.localizedName ?? item.identifier ?? item.path).shown
    let rest = width - 13
    if rest < 40 {
      cells.append((name, rest))
    } else {
      let signer = showsSigners && rest >= 80 ? 24 : 0
      let part = min(30, (rest - signer) / 2 - 1)
      cells.append((name, part))
      cells.append(((item.identifier ?? item.path).shown, rest - part - 1 - (signer > 0 ? signer + 1 : 0)))
      if signer > 0 { cells.append((item.publisher?.shown ?? "nobody signed", signer)) }
    }
    let text = cells.map { Columns.fit($0.text, to: max(0, $0.width)) }.joined(separator: " ")
    return Columns.cut(text, to: width)
  }
}
