internal import ExtensionInterfaces
public import LinuxSystem
public import Varlink

/// A call of the peer. For the code that the build plugin makes, and for interfaces written by hand.
public struct AppExtensionCall: Sendable {
  /// What was called, with which parameters.
  public let message: VarlinkCall
  private let descriptors: [SharedDescriptor]
  /// Among the calls of the peer.
  let number: Int
  private let send: Send

  typealias Send = @Sendable (VarlinkReply, [SharedDescriptor]) async throws -> Void

  init(message: VarlinkCall, descriptors: [SharedDescriptor], number: Int, send: @escaping Send) {
    self.message = message
    self.descriptors = descriptors
    self.number = number
    self.send = send
  }

  /// A descriptor that came with the call.
  /// - Parameters:
  ///   - place: what the parameter says: 0 for the first that came.
  ///   - field: the parameter's name, for the error.
  /// - Throws: `VarlinkDecodingError` where none came, which the peer is told.
  public func descriptor(_ place: Int, _ field: String) throws(VarlinkDecodingError) -> SharedDescriptor {
    guard descriptors.indices.contains(place) else {
      throw VarlinkDecodingError(
        path: field,
        problem: .mismatch(expected: "the place of a descriptor that came along", found: "\(place)"))
    }
    return descriptors[place]
  }

  /// A descriptor that may be missing.
  public func descriptor(_ place: Int?, _ field: String) throws(VarlinkDecodingError) -> SharedDescriptor? {
    guard let place else { return nil }
    return try descriptor(place, field) as SharedDescriptor
  }

  /// Answers with each element of a stream, as fast as the peer reads.
  /// - Parameters:
  ///   - stream: the elements.
  ///   - reply: what an element is on the wire.
  /// - Throws: what the stream throws; `AppExtensionError` when the connection ends.
  public func answer<Element>(
    with stream: AppExtensionStream<Element>, reply: (Element) -> some VarlinkStructure
  ) async throws -> AppExtensionAnswer {
    guard message.more else { throw ServiceInterface.ExpectedMore() }
    for try await element in stream {
      try await send(reply(element).reply(continues: true), [])
      try Task.checkCancellation()
    }
    return AppExtensionAnswer(ConnectionInterface.StreamEnded().reply)
  }

  /// Answers io.extensiond.Connection.
  func answerForConnection(framesHandler handler: (@Sendable (AppExtensionFrames) -> Void)?)
    -> AppExtensionAnswer
  {
    if message.method == ConnectionInterface.Cancel.name {
      // The session has done it when it came.
      return AppExtensionAnswer(ConnectionInterface.Cancel.Reply().reply)
    }
    do throws(VarlinkDecodingError) {
      guard message.method == ConnectionInterface.OpenFrames.name, let handler else {
        return AppExtensionAnswer(ServiceInterface.MethodNotImplemented(method: message.method).reply)
      }
      let input = try ConnectionInterface.OpenFrames(object: message.parameters, unknownMembers: .refused)
      handler(AppExtensionFrames(try descriptor(input.fileDescriptor, "fileDescriptor")))
      return AppExtensionAnswer(ConnectionInterface.OpenFrames.Reply().reply)
    } catch {
      return AppExtensionAnswer(ServiceInterface.InvalidParameter(parameter: error.path).reply)
    }
  }

  var interfaceNotFound: AppExtensionAnswer {
    AppExtensionAnswer(ServiceInterface.InterfaceNotFound(interface: String(message.interface)).reply)
  }
}

/// The last or only answer to a call, with its descriptors.
public struct AppExtensionAnswer: Sendable {
  let reply: VarlinkReply
  let descriptors: [SharedDescriptor]

  /// An answer from a message, which names each descriptor by its place in `descriptors`.
  public init(_ reply: VarlinkReply, descriptors: AppExtensionDescriptors = AppExtensionDescriptors()) {
    self.reply = reply
    self.descriptors = descriptors.all
  }

  static let cancelled = AppExtensionAnswer(ConnectionInterface.Cancelled().reply)
}

/// The descriptors of one message. Its parameters name them by their places: an `int` whose name ends with
/// `FileDescriptor`.
public struct AppExtensionDescriptors: Sendable {
  private(set) var all: [SharedDescriptor]

  /// No descriptors.
  public init() { all = [] }
  init(_ all: [SharedDescriptor]) { self.all = all }

  /// Adds one that is to be sent, and says its place.
  public mutating func add(_ descriptor: SharedDescriptor) -> Int {
    all.append(descriptor)
    return all.count - 1
  }

  /// Adds one that may be missing.
  public mutating func add(_ descriptor: SharedDescriptor?) -> Int? { descriptor.map { add($0) } }

  /// The one at a place, of an answer.
  /// - Parameters:
  ///   - place: what the answer says: 0 for the first that came.
  ///   - field: the parameter's name, for the error.
  /// - Throws: `AppExtensionError` where none came.
  public func descriptor(_ place: Int, _ field: String) throws(AppExtensionError) -> SharedDescriptor {
    guard all.indices.contains(place) else {
      throw AppExtensionError(.malformedMessage, "the peer says that \(field) came along, and it did not")
    }
    return all[place]
  }

  /// The one at a place, where there is a place.
  public func descriptor(_ place: Int?, _ field: String) throws(AppExtensionError) -> SharedDescriptor? {
    guard let place else { return nil }
    return try descriptor(place, field) as SharedDescriptor
  }
}
