internal import ExtensionInterfaces

/// What `extctl browse` shows and how it answers to keys, as a value: no terminal, no broker.
struct Browser: Sendable {
  typealias Item = AdminInterface.Extension

  /// What is to be done about a key.
  enum Action: Hashable, Sendable {
    case quit
    /// For the page that shows the gates of this path.
    case explain(String)
    case logs(String)
    /// What was decided about it before.
    case history(String)
    /// Exactly what was shown; or its updates with the same signer too.
    case approve(Item, publisher: Bool = false)
    case disable(Item)
    case reset(Item)
  }

  /// One that is answered with y, or not at all.
  struct Question: Sendable {
    let text: String
    let action: Action
    /// It was on the screen: keys that were typed before are not for it.
    var isShown = false
  }

  private(set) var items: [Item] = []
  /// Something was listed; before that an empty list says nothing.
  private(set) var isLoaded = false
  private(set) var filter = ""
  private(set) var isFiltering = false
  /// By path.
  private(set) var selection: String?
  var page: BrowserPage?
  var question: Question?
  var message = ""
  /// The first row that is seen.
  var top = 0
  var listHeight = 1
  /// An identifier or a path with which to begin.
  private var wanted: String?

  init(showing wanted: String? = nil) { self.wanted = wanted }

  /// Those that the filter lets through.
  var shown: [Item] {
    if filter.isEmpty { return items }
    let filter = filter.lowercased()
    return items.filter { item in
      [item.localizedName, item.identifier, item.path, item.mark, item.publisher, item.extensionPoint]
        .contains { $0?.lowercased().contains(filter) == true }
    }
  }

  var selected: Item? { shown.first { $0.path == selection } }

  /// What a key is about: the page's, or the selected one.
  private var subject: Item? { page?.item ?? (page == nil ? selected : nil) }

  // MARK: What is there

  /// All that there is now. Returns what is to be asked next.
  mutating func show(_ all: [Item]) -> Action? {
    items = all.filter { $0.state != .shadowed }.sorted { $0.order < $1.order }
    isLoaded = true
    if selected == nil { selection = shown.first?.path }
    if let name = wanted {
      wanted = nil
      guard
        let item = items.first(where: { $0.path == name }) ?? items.first(where: { $0.identifier == name })
      else {
        message = "there is no extension \(Terminal.visible(name, keepingLines: false))"
        return nil
      }
      selection = item.path
      return open(item)
    }
    guard let old = page?.item, page?.kind == .details || page?.kind == .why else { return nil }
    guard let new = items.first(where: { $0.path == old.path }) else {
      page = nil
      message = "\(old.path.shown) is gone"
      return nil
    }
    if new == old { return nil }
    page?.item = new
    let text = lines(of: new)
    if page?.kind == .details { page?.replace(text) }
    return .explain(new.path)
  }

  mutating func show(_ gates: [AdminInterface.Gate], of path: String) {
    guard let item = page?.item, item.path == path else { return }
    let text = gates.flatMap { $0.text(failure: "FAIL").lines }
    let all = lines(of: item) + ["", "May it be used?"] + text
    switch page?.kind {
    case .details: page?.replace(all)
    case .why: page?.replace(text)
    default: break
    }
  }

  mutating func show(log: [String]) {
    guard page?.kind == .logs else { return }
    page?.replace(log.isEmpty ? ["It wrote nothing."] : log.map { $0.shown })
  }

  /// What was approved before, beside what is to be approved now.
  mutating func show(history: [AdminInterface.Decision]) {
    let last = history.first { $0.decision == .enabled || $0.decision == .reset }
    guard let page, page.kind == .approval, let item = page.item, let last, last.decision == .enabled else {
      return
    }
    let less = last.entitlements.filter { !item.entitlements.contains($0) }.map { "not any more: \($0)" }
    let version = last.version.map { ["version: \($0) -> \(item.version ?? "none")"] } ?? []
    let digest = ["digest: \(last.digest ?? "none") -> \(item.digest ?? "none")"]
    let more = item.entitlements.filter { !last.entitlements.contains($0) }.map { "new: \($0)" }
    let difference = (version + digest + more + less).map { "  \($0.shown)" }
    let text =
      approvalLines(of: item, approved: last.entitlements) + ["", "Since it was approved:"] + difference
    self.page?.replace(text)
  }

  /// It is not what was shown any more, so nothing was approved.
  mutating func show(_ old: Item, changedTo new: Item?) {
    let difference = new.map { ApprovalDifference.lines(from: old, to: $0) } ?? ["it is gone"]
    question = nil
    page = BrowserPage(
      .difference, title: "Nothing was approved", item: new,
      lines: ["\(old.path.shown) changed since it was shown:", ""] + difference.map { "  \($0.shown)" }
        + (new == nil ? [] : ["", "Press a to look at it again."]))
  }

  /// What was asked for is done. The page that asked for it has served.
  mutating func finish(_ text: String) {
    message = text.shown
    // Another question may stand there by now.
    if page?.kind == .approval, question == nil { page = nil }
  }

  // MARK: Keys

  mutating func handle(_ key: Key) -> Action? {
    message = ""
    if let question { return answer(question, key) }
    if isFiltering {
      type(key)
      return nil
    }
    switch key {
    case .character("q") where page == nil: return .quit
    case .character("q"), .escape: close()
    case .character("?"): page = BrowserPage(.help, title: "Keys", lines: Self.help)
    case .character("/") where page == nil: isFiltering = true
    case .enter where page == nil: if let subject { return open(subject) }
    case .character("a"): return askToApprove()
    case .character("p"): return askToApprove(publisher: true)
    case .character("d"): ask("Disable", ", and end what runs of it?") { .disable($0) }
    case .character("r"): ask("Forget the decision about", "?") { .reset($0) }
    case .character("w"): return openWhy()
    case .character("l"): return openLog()
    default: move(key)
    }
    return nil
  }

  private mutating func answer(_ question: Question, _ key: Key) -> Action? {
    if page?.kind == .approval, key != .character("y") {
      switch key {
      case .up, .down, .pageUp, .pageDown, .home, .end, .character("j"), .character("k"), .character(" "):
        page?.handle(key)
        return nil
      default: break
      }
    }
    guard key == .character("y") else {
      self.question = nil
      message = "nothing was done"
      if page?.kind == .approval { page = nil }
      return nil
    }
    if !question.isShown { return nil }
    if let page, page.kind == .approval, !page.isRead {
      message = "read it to its end first"
      return nil
    }
    self.question = nil
    return question.action
  }

  private mutating func type(_ key: Key) {
    switch key {
    case .character(let character): if filter.count < 64 { filter.append(character) }
    case .backspace: if filter.popLast() == nil { isFiltering = false }
    case .enter: isFiltering = false
    case .escape: (filter, isFiltering) = ("", false)
    default: move(key)
    }
    if selected == nil { selection = shown.first?.path }
  }

  private mutating func close() {
    if page != nil {
      page = nil
    } else if !filter.isEmpty {
      filter = ""
    }
  }

  private mutating func move(_ key: Key) {
    if page != nil {
      page?.handle(key)
      return
    }
    let shown = shown
    let index = shown.firstIndex { $0.path == selection } ?? 0
    let next: Int
    switch key {
    case .up, .character("k"): next = index - 1
    case .down, .character("j"): next = index + 1
    case .pageUp: next = index - listHeight
    case .pageDown, .character(" "): next = index + listHeight
    case .home, .character("g"): next = 0
    case .end, .character("G"): next = shown.count - 1
    default: return
    }
    if !shown.isEmpty { selection = shown[max(0, min(next, shown.count - 1))].path }
  }

  // MARK: Pages

  private mutating func open(_ item: Item) -> Action? {
    page = BrowserPage(.details, title: item.title, item: item, lines: lines(of: item))
    return .explain(item.path)
  }

  private mutating func openWhy() -> Action? {
    guard let item = subject else { return nil }
    page = BrowserPage(.why, title: "May \(item.title) be used?", item: item, lines: ["…"])
    return .explain(item.path)
  }

  private mutating func openLog() -> Action? {
    guard let item = subject, let identifier = item.identifier else { return nil }
    page = BrowserPage(.logs, title: "What \(item.title) wrote; l reads it again", item: item, lines: ["…"])
    return .logs(identifier)
  }

  /// What is approved is what stands here, whatever comes meanwhile.
  private mutating func askToApprove(publisher: Bool = false) -> Action? {
    guard let old = subject else { return nil }
    guard let item = items.first(where: { $0.path == old.path }), item.digest != nil else {
      message = "\(old.path.shown) cannot be approved: \(old.explanation.shown)"
      return nil
    }
    if publisher, item.publisher == nil {
      message = "\(item.title) is not signed, so there is no publisher to approve; a approves it alone"
      return nil
    }
    let text = publisher ? "Approve this, and its updates by the same key?" : "Approve exactly this?"
    question = Question(text: text, action: .approve(item, publisher: publisher))
    page = BrowserPage(.approval, title: text, item: item, lines: approvalLines(of: item))
    return item.state == .changed ? item.identifier.map { .history($0) } : nil
  }

  private mutating func ask(_ verb: String, _ rest: String, _ action: (Item) -> Action) {
    guard let item = subject else { return }
    question = Question(text: "\(verb) \(item.title)\(rest)", action: action(item))
  }

  /// What is asked about now, and what a yes means.
  private func approvalLines(of item: Item, approved: [String]? = nil) -> [String] {
    let lines = lines(of: item, approved: approved)
    guard case .approve(_, publisher: true) = question?.action, let promise = item.publisherPromise else {
      return lines
    }
    return lines + ["", promise.shown]
  }

  /// What is known of one, and what is approved with it. `approved`: what it asked for when it was approved last.
  private func lines(of item: Item, approved: [String]? = nil) -> [String] {
    let inside = items.filter { $0.path.hasPrefix(item.path + "/") }
    let contents =
      inside.isEmpty ? [] : ["", "Inside, and approved with it:"] + inside.map { "  \($0.title)" }
    return item.text(approved: approved).lines + contents
  }

  private static let help = [
    "Up, Down, k, j   move; Page Up, Page Down, Home, End too",
    "Enter            what is known of an extension, and what it asks for",
    "a                approve what is shown, and nothing else",
    "p                the same, and updates signed with the same key",
    "d                disable: hosts do not get it any more",
    "r                reset: as if nothing had been decided",
    "w                why it may be used, or not",
    "l                what it wrote to standard error",
    "/                list only what has this in it; Esc ends that",
    "Esc, q           back",
    "q                quit, in the list",
    "",
    "What is seen follows what happens. The same and more without keys: extctl help.",
  ]
}

extension AdminInterface.Extension {
  /// What waits for the person comes first.
  var order: (Int, String, String) {
    let waits = state == .unapproved || state == .changed
    return (waits ? 0 : 1, (localizedName ?? identifier ?? path).lowercased(), path)
  }

  /// Its name and its identifier, on one line.
  var title: String {
    let names = [localizedName, identifier.map { localizedName == nil ? $0 : "(\($0))" }].compactMap { $0 }
    return (names.isEmpty ? path : names.joined(separator: " ")).shown
  }
}

extension String {
  /// On one line, with its control characters visible.
  var shown: String { Terminal.visible(self, keepingLines: false) }

  fileprivate var lines: [String] {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).shown }
  }
}
