internal import ExtensionInterfaces
public import LinuxSystem
internal import Synchronization
internal import Varlink

/// One end of a connection between a host and an extension: a stream socket of their own. The place of
/// `NSXPCConnection`. Any thread may use it.
///
/// Letting go of it, and of all its remote objects, closes its end. Only a connection that an extension has accepted and
/// resumed lives by itself, until one side ends it.
///
/// Use it in one of three ways: as objects that answer calls (`exportedObject`, `remoteObject(as:)`, after `resume()`),
/// as lines of text (`lines`, `send(line:)`), or as a bare socket (`takeSocket()`).
public final class AppExtensionConnection: Sendable {
  /// What an extension says to a connection. `true` and `false` will do.
  public enum Decision: ExpressibleByBooleanLiteral, Hashable, Sendable {
    /// The connection is wanted. Keep it.
    case accept
    /// The host gets the reason as its error's message. What is beyond 1000 characters is cut off.
    case reject(reason: String)

    /// `true` accepts; `false` rejects without a reason of the extension's own.
    public init(booleanLiteral value: Bool) { self.init(value) }

    init(_ accepts: Bool) {
      self = accepts ? .accept : .reject(reason: "the extension refused the connection")
    }
  }

  /// Set before `resume()`.
  private struct State {
    var socket: SharedDescriptor?
    var session: Session?
    var isInvalid = false
    /// `takeSocket()` was called.
    var isTaken = false
    var exportedObject: (any Sendable)?
    var exportedInterface: Interface?
    var besides: ExportedService?
    var framesHandler: (@Sendable (AppExtensionFrames) -> Void)?
    var interruptionHandler: (@Sendable () -> Void)?
    var invalidationHandler: (@Sendable (AppExtensionError) -> Void)?
  }

  /// The activation that it belongs to: one host's use of the extension. 'extctl' prints the same.
  public let activationID: String
  /// The scene that it belongs to; nil for one that is global to the extension.
  public let sceneID: String?
  /// In an extension: its host can show what it draws. The variable WAYLAND_SOCKET has named the way to the host, which is
  /// the compositor, since before this connection was decided about; the first toolkit that opens a display takes it, and
  /// all scenes are windows there. A thread that looks for variables (getenv) must not do so while the first such
  /// connection comes: start it afterwards. false in hosts.
  public let hasDisplay: Bool
  private let state: Mutex<State>
  /// It came from a host.
  private let isAccepted: Bool
  /// Those that live by themselves.
  private static let kept = Mutex<[ObjectIdentifier: AppExtensionConnection]>([:])

  package init(
    _ socket: SharedDescriptor, activationID: String, sceneID: String?, isAccepted: Bool = false,
    hasDisplay: Bool = false
  ) {
    self.isAccepted = isAccepted
    self.hasDisplay = hasDisplay
    self.activationID = activationID
    self.sceneID = sceneID
    state = Mutex(State(socket: socket))
  }

  deinit { invalidate() }

  /// Where connections are served. A task that talks much is faster where it prefers this executor, as in
  /// `Task(executorPreference: AppExtensionConnection.executor)`: its calls change threads no more. It must not block.
  public static var executor: any TaskExecutor { Session.thread.tasks }

  // MARK: Objects

  /// What answers the calls of the peer. It must be a service of `exportedInterface`.
  public var exportedObject: (any Sendable)? {
    get { state.withLock { $0.exportedObject } }
    set { state.withLock { $0.exportedObject = newValue } }
  }

  /// What the peer may ask the exported object for.
  public var exportedInterface: Interface? {
    get { state.withLock { $0.exportedInterface } }
    set { state.withLock { $0.exportedInterface = newValue } }
  }

  /// The peer has opened a way for frames: `openFrames()`. Called on a thread of the connections' own: it must not block.
  /// Without it the peer's call fails.
  public var framesHandler: (@Sendable (AppExtensionFrames) -> Void)? {
    get { state.withLock { $0.framesHandler } }
    set { state.withLock { $0.framesHandler = newValue } }
  }

  /// The peer has closed the connection, or is gone. Called once at most, before the invalidation handler, on a thread
  /// of the connections' own: it must not block.
  public var interruptionHandler: (@Sendable () -> Void)? {
    get { state.withLock { $0.interruptionHandler } }
    set { state.withLock { $0.interruptionHandler = newValue } }
  }

  /// The connection is over, and why. Called once, on a thread of the connections' own: it must not block.
  public var invalidationHandler: (@Sendable (AppExtensionError) -> Void)? {
    get { state.withLock { $0.invalidationHandler } }
    set { state.withLock { $0.invalidationHandler = newValue } }
  }

  /// Sets `exportedObject` and `exportedInterface`, checked by the compiler.
  public func export<I: AppExtensionInterface>(_ object: I.Exported, as interface: I.Type)
  where I.Exported: Sendable {
    state.withLock { state in
      state.exportedObject = object
      state.exportedInterface = Interface(with: interface)
    }
  }

  /// Has a second object answer the peer, for another module of this package: beside the exported one, and until one
  /// side ends the connection.
  ///
  /// - Precondition: not resumed, and there is no second object yet.
  package func exportBeside<I: AppExtensionInterface>(_ object: I.Exported, as interface: I.Type)
  where I.Exported: Sendable {
    state.withLock { state in
      precondition(
        state.session == nil && state.besides == nil,
        "\(type(of: object)) must be exported once, and before the connection is resumed")
      state.besides = ExportedService(object: object, interface: Interface(with: interface))
    }
  }

  /// The peer's object. Its methods throw what the peer's code throws where the interface declares that error, and
  /// `AppExtensionError` for everything else: each call ends, whatever becomes of the peer.
  public func remoteObject<I: AppExtensionInterface>(as interface: I.Type) -> I.Proxy {
    I.makeProxy(for: self)
  }

  /// Begins to answer the peer, and to wait for its answers. What was set before holds. Once; later calls do nothing.
  ///
  /// - Precondition: `exportedObject` is a service of `exportedInterface`, and the socket was not taken.
  public func resume() {
    let session = state.withLock { state -> Session? in
      guard state.session == nil, !state.isInvalid else { return nil }
      guard let socket = state.socket else {
        preconditionFailure("takeSocket() gave this connection's socket away: use that, or do not take it")
      }
      let session = Session(socket: socket, service: Self.service(state)) { [weak self] in self?.ended($0) }
      state.socket = nil
      state.session = session
      return session
    }
    guard let session else { return }
    if isAccepted { Self.kept.withLock { $0[ObjectIdentifier(self)] = self } }
    Task(executorPreference: Session.thread.tasks) { await session.start() }
  }

  private static func service(_ state: State) -> Session.Service {
    let services = [exported(state), state.besides].compactMap(\.self)
    let framesHandler = state.framesHandler
    return { call in
      if call.message.isCall(of: ConnectionInterface.self) {
        return call.answerForConnection(framesHandler: framesHandler)
      }
      return await services.answer(call)
    }
  }

  private static func exported(_ state: State) -> ExportedService? {
    guard let object = state.exportedObject, let interface = state.exportedInterface else {
      precondition(
        state.exportedObject == nil,
        "exportedObject needs exportedInterface: set it, or use export(_:as:), which sets both")
      return nil
    }
    return ExportedService(object: object, interface: interface)
  }

  /// What calls go through.
  func session(for method: String) throws -> Session {
    if let session = state.withLock({ $0.session }) { return session }
    throw AppExtensionError(.connectionClosed, "resume() the connection before you call \(method)")
  }

  private func ended(_ error: AppExtensionError) {
    let (interruption, invalidation) = state.withLock { state in
      let wasInvalid = state.isInvalid
      state.isInvalid = true
      return (wasInvalid ? nil : state.interruptionHandler, state.invalidationHandler)
    }
    interruption?()
    invalidation?(error)
    letGo()
    forget()
  }

  /// What was set may hold this connection: an object that calls its caller back, a handler that asks who has ended.
  private func letGo() {
    let last = state.withLock { state in
      defer { state = State(session: state.session, isInvalid: true) }
      return state
    }
    // Not under the lock, which its end may take.
    withExtendedLifetime(last) {}
  }

  private func forget() {
    let last = Self.kept.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
    // Not under the lock, which its end takes.
    withExtendedLifetime(last) {}
  }

  // MARK: Bytes

  /// The socket itself, for a protocol of one's own. Once, and instead of `resume()`: the connection is of no use
  /// afterwards. nil where it was invalidated.
  ///
  /// - Precondition: it was not taken before, and the connection not resumed.
  public func takeSocket() -> SharedDescriptor? {
    state.withLock { state in
      precondition(
        state.session == nil,
        "resume() uses this connection's socket: call takeSocket() instead of it, or on a connection of its own"
      )
      precondition(
        !state.isTaken, "takeSocket() gave this connection's socket away before: keep what it returned")
      state.isTaken = true
      defer { state.socket = nil }
      return state.socket
    }
  }

  /// The socket for `lines`.
  func lineSocket() -> SharedDescriptor? { state.withLock { $0.socket } }

  /// Closes this end. The peer and whoever waits here see the end.
  public func invalidate() {
    let (socket, session) = state.withLock { state in
      defer {
        state.socket = nil
        state.isInvalid = true
      }
      return (state.socket, state.session)
    }
    defer { if isAccepted { forget() } }
    if let socket { Socket.shutdown(socket.descriptor) }
    if let session {
      Task(executorPreference: Session.thread.tasks) { await session.invalidate() }
    } else {
      letGo()
    }
  }
}
