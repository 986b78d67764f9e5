package import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// What a window needs in which people look through extensions and decide about them. One thread, which waits for
/// `descriptors` with a loop of its own.
package final class Review {
  package typealias Item = AdminInterface.Extension

  private let events: VarlinkClient
  private let questions: BrokerQuestions
  private let host: String?
  private let point: String?
  /// Those that were listed last: what waits for the person first.
  package private(set) var items: [Item] = []
  /// `items` are others.
  package var onList: (() -> Void)?
  /// Something has happened: call `list()`, but not more often than anybody reads.
  package var onStale: (() -> Void)?
  /// What was asked for is done, or refused: a sentence for the person.
  package var onMessage: ((String) -> Void)?

  /// - Parameters:
  ///   - host: only what this host may use, or is.
  ///   - point: only what this point has.
  /// - Throws: `ControlError`, where no broker can be reached.
  package init(host: String?, point: String?) throws {
    self.host = host
    self.point = point
    events = try BrokerLocation.connect(.admin)
    questions = try BrokerQuestions()
    try events.send(AdminInterface.Watch().call(more: true))
    list()
  }

  /// When one of them is readable, `receive()` has something to do.
  package var descriptors: [CInt] { [events.socket.rawValue, questions.socket.rawValue] }

  /// Takes what the broker says.
  /// - Throws: where the broker has ended.
  package func receive() throws {
    if try !events.arrived(AdminInterface.Watch.self).isEmpty { onStale?() }
    try questions.receive()
  }

  /// Asks for all that there is.
  package func list() {
    ask(AdminInterface.List(languages: CurrentProcess.languages)) { [unowned self] reply in
      items = reply.extensions.filter { $0.state != .shadowed && $0.state != .nearMiss && concerns($0) }
        .sorted { $0.order < $1.order }
      onList?()
    }
  }

  private func concerns(_ item: Item) -> Bool {
    if let point { return item.extensionPoint == point }
    guard let host else { return true }
    return item.identifier == host || item.containingHost == host
      || item.extensionPoint?.hasPrefix(host + ".") == true
  }

  /// Lets hosts use exactly what was shown.
  package func approve(_ item: Item) {
    let call = AdminInterface.Approve(
      extension: item.path, digest: item.digest ?? "", entitlements: item.entitlements, publisher: nil)
    ask(call) { [unowned self] _ in say("approved \(item.title)") }
  }

  /// Lets no host use it, and ends what runs of it.
  package func disable(_ item: Item) {
    ask(AdminInterface.Disable(extension: item.path)) { [unowned self] _ in say("disabled \(item.title)") }
  }

  /// What is known of one, and what is approved with it.
  package func text(of item: Item) -> String {
    let inside = items.filter { $0.path.hasPrefix(item.path + "/") }
    let text = item.text(approved: nil).split(separator: "\n", omittingEmptySubsequences: false)
    let contents =
      inside.isEmpty ? [] : ["", "Inside, and approved with it:"] + inside.map { "  \($0.title)" }
    // Nothing that a bundle says of itself moves or hides what stands beside it.
    return (text.map { String($0).shown } + contents).joined(separator: "\n")
  }

  private func say(_ text: String) {
    onMessage?(text)
    onStale?()
  }

  private func ask<Method: VarlinkMethod>(_ method: Method, done: @escaping (Method.Reply) -> Void) {
    questions.ask(method, done: done) { [unowned self] error in
      say(error.description)
    }
    // Where it cannot be sent the broker is gone, which the next `receive()` says.
    try? questions.sendNext()
  }
}

extension AdminInterface.Extension {
  /// Its name, or what there is of one.
  package var name: String { (localizedName ?? identifier ?? path).shown }
  /// One sentence for people, or its identifier.
  package var summary: String { (details?.description ?? identifier ?? path).shown }
  /// How it stands, in a word or a few.
  package var standing: String { mark }
  /// Whether it can be approved as it is.
  package var isApprovable: Bool { digest != nil && [.unapproved, .changed, .disabled].contains(state) }
}
