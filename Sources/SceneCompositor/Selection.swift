internal import LinuxSystem

/// Text that goes from one program to another when the person wants it: what was copied last (the clipboard), or what is
/// marked (the primary selection). It is the host's or the extension's, whoever had one last.
///
/// The extension can set it only with input that it was just given, and sees the host's only while it has the keyboard.
public final class Selection {
  /// Why there is no text.
  public enum Failure: Error {
    /// The extension has no text to offer, or has given it up.
    case nothing
    /// It did not deliver in time.
    case timedOut
    /// More than `Limits.textBytes`.
    case tooLong
    /// Its bytes are no UTF-8.
    case notText
  }

  /// Answers with the host's text, at once or later; nil where it has none after all.
  /// - Parameter type: which of the types that were offered is wanted.
  public typealias Provider = (_ type: String, _ answer: @escaping (String?) -> Void) -> Void

  private enum Content {
    case nothing
    case host([String], Provider)
    case client(SelectionSource)
  }

  /// The types of UTF-8 text that programs ask for, best first.
  public static let textTypes = [
    "text/plain;charset=utf-8", "text/plain;charset=UTF-8", "UTF8_STRING", "text/plain", "TEXT", "STRING",
  ]

  /// The extension offers something else: its MIME types, none where it offers nothing any more.
  public var onSelection: (([String]) -> Void)?

  let kind: SelectionKind
  private(set) weak var compositor: SceneCompositor?
  private var content = Content.nothing
  /// Counts what there was: an offer is of one of them.
  private(set) var generation = 0
  var devices: [SelectionDevice] = []
  var offers = 0
  var sources = 0

  init(_ kind: SelectionKind) { self.kind = kind }

  func begin(in compositor: SceneCompositor) { self.compositor = compositor }

  // MARK: For hosts

  /// Offers the host's text, in place of whatever there was.
  public func offer(types: [String] = textTypes, _ provider: @escaping Provider) {
    change(to: .host(types, provider))
    compositor?.flush()
  }

  /// Offers a text.
  public func offer(_ text: String) { offer { _, answer in answer(text) } }

  /// The host has nothing to offer any more. What the extension offers stays.
  public func withdraw() {
    guard case .host = content else { return }
    change(to: .nothing)
    compositor?.flush()
  }

  /// What the extension offers, as MIME types; none where it offers nothing.
  public var types: [String] { if case .client(let source) = content { source.types } else { [] } }

  /// Asks the extension for its text. The handler is called once, from `dispatch()`, or at once where there is nothing to ask
  /// for; not at all when the compositor is gone before.
  public func requestText(
    within limit: Duration = .seconds(5), _ handler: @escaping (Result<String, Failure>) -> Void
  ) {
    guard let compositor, case .client(let source) = content,
      let type = Self.textTypes.first(where: { source.types.contains($0) }),
      let pipe = try? Pipe.make()
    else { return handler(.failure(.nothing)) }
    try? pipe.reading.descriptor.setNonBlocking()
    guard IncomingText(pipe.reading, within: limit, in: compositor, handler: handler) != nil else {
      return handler(.failure(.nothing))
    }
    source.send(type, to: pipe.writing.descriptor.rawValue)
    compositor.flush()
  }

  // MARK: For the client

  /// What there is to offer to it, its own too; nil for nothing.
  var offeredTypes: [String]? {
    switch content {
    case .nothing: nil
    case .host(let types, _): types
    case .client(let source): source.types
    }
  }

  /// The client wants what it was offered.
  func deliver(_ type: String, to descriptor: consuming FileDescriptor) {
    switch content {
    case .nothing: return
    case .client(let source): source.send(type, to: descriptor.rawValue)
    case .host(let types, let provider):
      guard let compositor, compositor.seat.keyboardFocus != nil, types.contains(type) else { return }
      guard let text = OutgoingText(descriptor, in: compositor) else {
        compositor.onNote?("text is not given: it is to go to what is no pipe, or to too many at a time")
        return
      }
      provider(type) { [weak text] in text?.give($0) }
    }
  }

  /// The client sets it, or gives up its own.
  func set(_ source: SelectionSource?, serial: UInt32) {
    guard let compositor, compositor.seat.isRecentInput(serial) else {
      compositor?.onNote?("a selection that follows no input is refused")
      source?.cancel()
      return
    }
    if let source { return change(to: .client(source)) }
    if case .client = content { change(to: .nothing) }
  }

  func isGone(_ source: SelectionSource) {
    if case .client(source) = content { change(to: .nothing) }
  }

  /// Before the client gets the keyboard.
  func focusComes() { for device in devices { device.tell() } }

  private func change(to new: Content) {
    var concernsClient = false
    if case .client(let old) = content {
      concernsClient = true
      if case .client(old) = new {} else { old.cancel() }
    }
    if case .client = new { concernsClient = true }
    content = new
    generation += 1
    if compositor?.seat.keyboardFocus != nil { focusComes() }
    // The host knows what it does itself.
    if case .host = new { return }
    if concernsClient { onSelection?(types) }
  }
}

private func ~= (left: SelectionSource, right: SelectionSource) -> Bool { left === right }
