internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// Brings the browser keys and what the broker says, and does what it wants. One thread; it waits for all at once.
final class BrowseSession {
  /// What a broker that hangs is waited for.
  private static let patience: Duration = .seconds(30)
  /// Between two lists: events can come faster than anybody reads.
  private static let pause: Duration = .milliseconds(200)

  private let loop: EventLoop
  private let signals: SharedDescriptor
  private let screen: Screen
  private var browser: Browser
  /// One connection tells what happens, the other one answers.
  private let events: VarlinkClient
  private let questions: BrokerQuestions
  private var watches: [EventLoop.Watch] = []

  private var timer: EventLoop.Timer?
  private var isListing = false
  private var isStale = false

  private var failure: ControlError?
  private var signal: CInt?

  init(showing name: String?) throws {
    browser = Browser(showing: name)
    events = try BrokerLocation.connect(.admin)
    questions = try BrokerQuestions()
    loop = try EventLoop()
    // Before the library of the terminal sets handlers of its own for them.
    signals = try Signals.descriptor(for: Signals.ofTerminal)
    screen = try Screen()
    watches = try [
      loop.watch(signals.rawValue, for: .readable) { [unowned self] _ in
        self.receive(Signals.take(from: self.signals))
      },
      loop.watch(FileDescriptor.standardInput, for: .readable) { [unowned self] in self.typed($0) },
      loop.watch(events.socket.rawValue, for: .readable) { [unowned self] _ in
        self.attempt { try self.hear() }
      },
      loop.watch(questions.socket.rawValue, for: .readable) { [unowned self] _ in
        self.attempt { try questions.receive() }
      },
    ]
    questions.onChange = { [unowned self] in limitPatience() }
  }

  func run() throws -> ExitStatus {
    attempt {
      try events.send(AdminInterface.Watch().call(more: true))
      list()
    }
    draw()
    if failure == nil { try loop.run() }
    screen.end()
    for watch in watches { watch.cancel() }
    if let signal { CurrentProcess.exit(128 + signal) }
    if let failure { throw failure }
    return .success
  }

  private func attempt(_ work: () throws -> Void) {
    do {
      try work()
      draw()
    } catch {
      failure =
        switch error {
        case VarlinkClientError.closed:
          ControlError(.unavailable, "the broker has ended; 'extctl doctor' looks for the cause")
        case let error as VarlinkClientError: ControlError(error)
        default: error as? ControlError ?? ControlError(.internalError, "\(error)")
        }
      loop.stop()
    }
  }

  private func draw() {
    let size = screen.size
    screen.draw(browser.lines(width: size.width, height: size.height))
  }

  // MARK: The person

  private func receive(_ signals: [CInt]) {
    for signal in signals where signal != Signals.windowChanged {
      self.signal = signal
      loop.stop()
      return
    }
    draw()
  }

  private func typed(_ readiness: Readiness) {
    if !readiness.isDisjoint(with: .hangUp) {
      signal = Signals.hangUp
      return loop.stop()
    }
    attempt {
      for key in screen.keys() {
        if let action = browser.handle(key) { perform(action) }
      }
    }
  }

  private func perform(_ action: Browser.Action) {
    switch action {
    case .quit: loop.stop()
    case .explain(let path):
      ask(AdminInterface.Explain(extension: path)) { [unowned self] in self.browser.show($0.gates, of: path) }
    case .logs(let identifier):
      ask(AdminInterface.Logs(extension: identifier)) { [unowned self] in self.browser.show(log: $0.lines) }
    case .history(let identifier):
      ask(AdminInterface.History(extension: identifier)) { [unowned self] in
        self.browser.show(history: $0.decisions)
      }
    case .approve(let item, let publisher): approve(item, publisher: publisher)
    case .disable(let item):
      decide(AdminInterface.Disable(extension: item.path), "disabled \(item.title)")
    case .reset(let item):
      decide(AdminInterface.Reset(extension: item.path), "nothing is decided about \(item.title) now")
    }
  }

  private func decide(_ method: some VarlinkMethod, _ text: String) {
    ask(method) { [unowned self] _ in
      self.browser.finish(text)
      self.list()
    }
  }

  private func approve(_ item: Browser.Item, publisher: Bool) {
    let call = AdminInterface.Approve(
      extension: item.path, digest: item.digest ?? "", entitlements: item.entitlements,
      publisher: publisher ? item.publisher : nil)
    ask(call) { [unowned self] _ in
      self.browser.finish("approved \(item.title)\(publisher ? ", and its updates by the same key" : "")")
      self.list()
    } failed: { [unowned self] error in
      guard error.status == .changed else { return self.browser.finish(error.description) }
      self.ask(AdminInterface.List(extension: item.path, languages: CurrentProcess.languages)) {
        [unowned self] in
        self.browser.show(item, changedTo: $0.extensions.first)
      }
    }
  }

  // MARK: The broker

  private func hear() throws {
    if try !events.arrived(AdminInterface.Watch.self).isEmpty { list() }
  }

  /// Lists anew, once however much happens meanwhile.
  private func list() {
    if isListing {
      isStale = true
      return
    }
    isListing = true
    isStale = false
    ask(AdminInterface.List(languages: CurrentProcess.languages)) { [unowned self] reply in
      if let action = self.browser.show(reply.extensions) { self.perform(action) }
      self.loop.schedule(after: Self.pause) { [unowned self] in
        self.isListing = false
        if self.isStale { self.attempt { self.list() } }
      }
    }
  }

  /// `failed`: the broker's errors, which are shown unless somebody takes them.
  private func ask<Method: VarlinkMethod>(
    _ method: Method, done: @escaping (Method.Reply) -> Void, failed: ((ControlError) -> Void)? = nil
  ) {
    questions.ask(method, done: done, failed: failed ?? { [unowned self] in browser.finish($0.description) })
    attempt { try questions.sendNext() }
  }

  private func limitPatience() {
    timer?.cancel()
    timer = nil
    guard questions.isWaiting else { return }
    timer = loop.schedule(after: Self.patience) { [unowned self] in
      self.attempt {
        throw ControlError(.timedOut, "the broker does not answer; 'extctl doctor' looks for the cause")
      }
    }
  }
}
