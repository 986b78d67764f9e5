public import Varlink

/// Something that the broker wants done. Performed in the order in which they are given.
public enum Effect: Sendable {
  // MARK: Peers
  /// The answer to a call. With `continues`, others follow.
  case reply(RequestID, any VarlinkStructure, descriptors: [DescriptorSource], continues: Bool)
  case fail(RequestID, any VarlinkErrorReply)
  /// The same to all of these, whose streams go on.
  case tell([RequestID], any VarlinkStructure)

  // MARK: Bundles and decisions
  /// Hash or compare the bundle, and open its directory for the launch.
  case checkBundle(instance: String, path: String, digest: String)
  /// nil: nobody waits for it.
  case storeDecision(RequestID?, Decision)
  /// Stores all, or none.
  case importDecisions(RequestID, [Decision])
  /// Removes what the extension has stored, then says `containerRemoved`. May take long.
  case removeContainer(RequestID?, String, by: String)
  /// Stores these.
  case forgetExtension(RequestID?, String, [Decision])
  /// Notice which of all that has left something is not there any more.
  case notePresent(Set<String>)
  case readHistory(RequestID, identifier: String?)
  /// Read all roots again, then say `scanned` with this number.
  case scanAll(Int)
  /// Notice, or no longer, when a file inside this bundle changes.
  case watchContent(path: String, Bool)
  /// Read again what belongs to this bundle.
  case scan(path: String)
  /// Read a bundle anywhere, and what is in it, then say `developed`; and watch it.
  case develop(path: String)
  /// Do not watch it any more.
  case withdraw(path: String)

  /// Ask the kernel about the sandbox of this instance, then say `inspected`.
  case inspect(RequestID, instance: String)
  /// Find out what these use, then say `measured`.
  case measure(RequestID, [(id: String, processID: Int32)])
  /// Look now and again at what this instance's extension has stored, and say `containerMeasured`, until it ends.
  case watchContainer(instance: String, identifier: String)

  // MARK: Launcher
  case launch(LaunchOrder)
  /// Make a lease's socketpair and give one end to the launcher.
  case keepLease(activation: String, instance: String, note: String)
  case endLease(activation: String)
  /// Close the host's end of a lease that was never handed over.
  case dropLease(activation: String)
  case setNote(subject: String, note: String)
  case terminate(instance: String)
  case kill(instance: String)
  case forget(instance: String)
  case settled
  /// The path's checked directory is not needed any more.
  case releaseBundle(instance: String)

  // MARK: Extensions
  case start(instance: String, call: String, extension: String, extensionPoint: String)
  /// Make a connection's socketpair and give one end to the extension; keep the other for the host.
  /// With `display`, the same for the instance's display.
  case accept(
    instance: String, call: String, connection: ConnectionID, activation: String, scene: String?,
    display: Bool)
  case stop(instance: String, call: String)
  case tellMemoryPressure(instance: String, call: String, used: Int, limit: Int)
  /// Close the host's end of a connection that was never handed over.
  case dropConnection(ConnectionID)
  /// The same for a display.
  case dropDisplay(instance: String)

  // MARK: People
  /// Show it to the person, once: several as one where they are many. `further` others wait as well.
  case announce([Announcement], further: Int)
  /// Nothing waits for the person there any more: take it from the screen.
  case withdrawAnnouncements([AnnouncedContent])
  case log(LogEntry)
}

/// A descriptor that goes with a reply. The broker keeps none of it.
public enum DescriptorSource: Hashable, Sendable {
  case lease(activation: String)
  case connection(ConnectionID)
  case display(instance: String)
}

public struct LaunchOrder: Hashable, Sendable {
  public var instance: String
  public var extensionIdentifier: String
  public var extensionPoint: String
  public var path: String
  public var program: String
  public var arguments: [String]
  /// Those that were agreed to.
  public var entitlements: [String]
  public var bounds: ResourceBounds
  /// None can be made here, and the policy lets it run all the same.
  public var withoutSandbox: Bool
  public var runtime: BundleFacts.Runtime
  /// It may get a display.
  public var isShown: Bool
  /// Stop the program before its first instruction.
  public var waits: Bool
  public var note: String
}

public struct LogEntry: Hashable, Sendable {
  public enum Level: Int, Hashable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7
  }

  public var level: Level
  public var message: String
  public var fields: [String: String]

  public init(level: Level, message: String, fields: [String: String] = [:]) {
    self.level = level
    self.message = message
    self.fields = fields
  }
}
