internal import BrokerCore
internal import LinuxSystem

/// Shows announcements as desktop notifications: org.freedesktop.Notifications.
///
/// Whoever has that name on the bus can say that the person clicked. So all that a click does is to open
/// `extensiond-browser` or `extctl browse`, once for each notification, and nothing is ever decided from one.
final class Notifier {
  /// Where a notification is. Its number means nothing to another server, and a server's name nothing on another bus.
  struct Place: Hashable, Sendable {
    let bus: String
    let server: String
    let number: UInt32
  }

  /// What an earlier broker has shown.
  struct Known: Sendable {
    let content: AnnouncedContent
    let place: Place
  }

  /// More at once become one.
  private static let separateLimit = 3
  /// Notifications that can be clicked, and withdrawn.
  private static let shownLimit = 64
  private static let capabilityLimit = 64

  private static let server = BusConnection.Address(
    destination: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications",
    interface: "org.freedesktop.Notifications")
  private static let bus = BusConnection.Address(
    destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
  private static let manager = BusConnection.Address(
    destination: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
    interface: "org.freedesktop.systemd1.Manager")

  private struct Shown {
    let place: Place
    /// What a click does.
    var command: [String]?
    /// What it speaks of and still waits for the person.
    var contents: Set<AnnouncedContent>
  }

  private let loop: EventLoop
  private let worker: Worker
  private let warn: (String) -> Void
  private var connection: BusConnection?
  private var shown: [Shown] = []
  /// What the server was asked to show, or is about to be, and what nobody withdrew.
  private var wanted: Set<AnnouncedContent> = []
  private let onShown: ([AnnouncedContent], Place) -> Void
  private var units = 0

  /// `worker`: looks for what shows extensions. `onShown`: where these are now.
  init(
    loop: EventLoop, worker: Worker, warn: @escaping (String) -> Void,
    onShown: @escaping ([AnnouncedContent], Place) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.warn = warn
    self.onShown = onShown
  }

  /// Shows them. `further`: so many others wait as well. `failed`: nobody was there for these.
  func show(_ announcements: [Announcement], further: Int, failed: @escaping ([AnnouncedContent]) -> Void) {
    wanted.formUnion(announcements.map(\.content))
    let failed = { [unowned self] (contents: [AnnouncedContent]) in
      // What was withdrawn meanwhile need not be shown at all.
      let missed = contents.filter { self.wanted.remove($0) != nil }
      if !missed.isEmpty { failed(missed) }
    }
    worker.perform {
      ReviewProgram.find()
    } completion: { [unowned self] program in
      self.ask(announcements, further: further, program, failed)
    }
  }

  /// What the server can do, and whether somebody can show extensions.
  private func ask(
    _ announcements: [Announcement], further: Int, _ program: ReviewProgram?,
    _ failed: @escaping ([AnnouncedContent]) -> Void
  ) {
    guard let connection = connect() else { return failed(announcements.map(\.content)) }
    var identifier = ""
    connection.call("GetId", of: Self.bus) { identifier = $0?.string() ?? "" }
    connection.call("NameHasOwner", of: Self.bus, { $0.append(Self.manager.destination) }) { reply in
      let hasManager = reply?.isError == false && reply?.boolean() == true
      connection.call("GetCapabilities", of: Self.server) { [unowned self] reply in
        guard let reply, !reply.isError else { return failed(announcements.map(\.content)) }
        let capabilities = reply.strings(limit: Self.capabilityLimit)
        let usable = capabilities.contains("actions") && hasManager ? program : nil
        let announcements = announcements.filter { self.wanted.contains($0.content) }
        let batches =
          announcements.count > Self.separateLimit ? [announcements] : announcements.map { [$0] }
        for batch in batches where !batch.isEmpty {
          self.notify(
            connection, identifier, batch, further: further, program: usable,
            markup: capabilities.contains("body-markup"),
            failed)
        }
      }
    }
  }

  private func notify(
    _ connection: BusConnection, _ bus: String, _ announcements: [Announcement], further: Int,
    program: ReviewProgram?, markup: Bool, _ failed: @escaping ([AnnouncedContent]) -> Void
  ) {
    let text = AnnouncementText(
      announcements, further: further, markup: markup, namesCommand: program == nil)
    connection.call("Notify", of: Self.server) { message in
      message.append("extensiond")
      message.append(UInt32(0))
      message.append("")
      message.append(text.title)
      message.append(text.body)
      message.append(program == nil ? [] : ["details", "Details"])
      message.array("{sv}") {
        message.entry("sv") {
          message.append("urgency")
          message.variant("y") { message.append(UInt8(1)) }
        }
      }
      message.append(Int32(-1))
    } answered: { [unowned self] reply in
      let contents = announcements.map(\.content)
      guard let reply, !reply.isError else { return failed(contents) }
      guard let number = reply.number(), let sender = reply.sender else { return }
      let only = contents.count == 1 ? contents.first?.identifier : nil
      let place = Place(bus: bus, server: sender, number: number)
      let waiting = self.wanted.intersection(contents)
      if waiting.isEmpty { return self.close(place) }
      self.add(Shown(place: place, command: program?.showing(only), contents: waiting))
      self.onShown(contents.filter(waiting.contains), place)
    }
  }

  private func add(_ one: Shown) {
    if shown.count >= Self.shownLimit { shown.removeFirst() }
    shown.append(one)
  }

  // MARK: What need not be there any more

  /// An earlier broker has shown these.
  func restore(_ known: [Known]) {
    // The newest comes first, and is the last to be given up.
    for one in known.reversed() {
      wanted.insert(one.content)
      if let index = shown.firstIndex(where: { $0.place == one.place }) {
        shown[index].contents.insert(one.content)
      } else {
        add(Shown(place: one.place, command: nil, contents: [one.content]))
      }
    }
  }

  /// Closes what speaks of nothing else.
  func withdraw(_ contents: [AnnouncedContent]) {
    wanted.subtract(contents)
    for index in shown.indices { shown[index].contents.subtract(contents) }
    for one in shown where one.contents.isEmpty { close(one.place) }
    shown.removeAll(where: \.contents.isEmpty)
  }

  /// The server that has shown it, or none: whoever took its place may count from the start.
  private func close(_ place: Place) {
    guard let connection = connect() else { return }
    connection.call("GetId", of: Self.bus) { reply in
      guard let reply, !reply.isError, reply.string() == place.bus else { return }
      let server = BusConnection.Address(
        destination: place.server, path: Self.server.path, interface: Self.server.interface)
      connection.call("CloseNotification", of: server, { $0.append(place.number) }) { _ in }
    }
  }

  private func connect() -> BusConnection? {
    if let connection { return connection }
    guard let new = BusConnection(loop: loop) else { return nil }
    new.onSignal = { [unowned self] in self.hear($0) }
    new.onEnd = { [unowned self] in
      self.shown = []
      // It is in the midst of telling us.
      let old = self.connection
      self.connection = nil
      self.loop.schedule(after: .zero) { withExtendedLifetime(old) {} }
    }
    new.listen(to: Self.server)
    connection = new
    return new
  }

  private func hear(_ signal: BusMessage) {
    // Anybody on the bus can send a signal to us; only the one that showed it may speak of it.
    guard let number = signal.number(), let sender = signal.sender,
      let index = shown.firstIndex(where: { $0.place.number == number && $0.place.server == sender })
    else { return }
    switch signal.member {
    case "ActionInvoked":
      guard signal.string() == "details", let command = shown[index].command else { return }
      shown[index].command = nil
      open(command)
    case "NotificationClosed": shown.remove(at: index)
    default: break
    }
  }

  /// Has the person's service manager start it: what this process starts would be as confined as it is.
  private func open(_ command: [String]) {
    units += 1
    let name = "app-extensiond\\x2dreview@\(CurrentProcess.processID)x\(units).service"
    connection?.call("StartTransientUnit", of: Self.manager) { message in
      message.append(name)
      message.append("fail")
      message.array("(sv)") {
        message.property("Description", "s") { message.append("Details of extensions") }
        message.property("CollectMode", "s") { message.append("inactive-or-failed") }
        message.property("ExecStart", "a(sasb)") {
          message.array("(sasb)") {
            message.structure("sasb") {
              message.append(command[0])
              message.append(command)
              message.append(false)
            }
          }
        }
      }
      message.array("(sa(sv))") {}
    } answered: { [unowned self] reply in
      guard let reply, reply.isError else { return }
      self.warn("cannot show extensions with '\(command.joined(separator: " "))': \(reply.errorText)")
    }
  }
}

extension BusMessage {
  fileprivate func property(_ name: String, _ type: String, _ body: () -> Void) {
    structure("sv") {
      append(name)
      variant(type, body)
    }
  }
}
