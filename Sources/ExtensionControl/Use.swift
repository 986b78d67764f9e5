internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// An activation that extctl holds as a host, as long as it holds the lease.
final class Use {
  static let standardHost = "io.extensiond.extctl"

  static let options: [Command.Option] = [
    .init(name: "scene", value: "NAME", help: "a scene of the extension, not the extension as a whole"),
    .init(name: "host", value: "ID", help: "the host's identifier; \(standardHost) unless given"),
  ]

  let activation: String
  let scene: String?
  /// Let go of it to end the activation.
  var lease: SharedDescriptor?
  let connection: SharedDescriptor?
  /// This host's end of the Wayland connection, where it was asked for.
  let display: SharedDescriptor?
  /// Every window on it is of this scene.
  let isUnmodified: Bool
  let client: VarlinkClient

  convenience init(_ invocation: Invocation, connect: Bool) throws(ControlError) {
    try self.init(
      Self.ask(
        invocation, extension: invocation.arguments[0], scene: invocation.values["scene"], connect: connect))
  }

  /// A call of Activate on its way.
  struct Request {
    let scene: String?
    /// Readable when the answer has come.
    let client: VarlinkClient
  }

  /// Asks for an activation, and does not wait for it.
  static func ask(
    _ invocation: Invocation, extension: String, scene: String?, connect: Bool, display: Bool? = nil
  ) throws(ControlError) -> Request {
    let client = try client(invocation)
    do throws(VarlinkClientError) {
      try client.send(
        BrokerInterface.Activate(
          extension: `extension`, scene: scene, connect: connect, display: display
        ).call())
    } catch {
      throw ControlError(error)
    }
    return Request(scene: scene, client: client)
  }

  /// Waits for the answer. The broker sees to its end, unless a debugger has the extension.
  init(_ request: Request) throws(ControlError) {
    client = request.client
    scene = request.scene
    do throws(VarlinkClientError) {
      let answer = try client.next(BrokerInterface.Activate.self)
      func descriptor(_ index: Int) throws(VarlinkClientError) -> SharedDescriptor {
        guard answer.descriptors.indices.contains(index) else {
          throw .malformed("the activation names a descriptor that did not come")
        }
        return answer.descriptors[index]
      }
      activation = answer.reply.activation
      lease = try descriptor(answer.reply.leaseFileDescriptor)
      connection = try answer.reply.connectionFileDescriptor.map(descriptor)
      display = try answer.reply.displayFileDescriptor.map(descriptor)
      isUnmodified = answer.reply.unmodified ?? false
    } catch {
      throw ControlError(error)
    }
  }

  /// What became of it, as far as the broker knows.
  var end: BrokerInterface.ActivationEvent? {
    try? client.call(BrokerInterface.GetActivation(activation: activation), timeout: .seconds(5)).reply.event
  }

  static func host(_ invocation: Invocation) -> String { invocation.values["host"] ?? standardHost }

  /// The events of this host, on a connection of their own.
  static func subscribe(_ invocation: Invocation) throws(ControlError) -> ActivationEvents {
    let client = try client(invocation)
    do throws(VarlinkClientError) {
      _ = try client.call(BrokerInterface.Subscribe(extensionPoints: []), more: true, timeout: .seconds(30))
    } catch {
      throw ControlError(error)
    }
    return ActivationEvents(client: client)
  }

  private static func client(_ invocation: Invocation) throws(ControlError) -> VarlinkClient {
    let client = try BrokerLocation.connect(.host)
    do throws(VarlinkClientError) {
      _ = try client.call(BrokerInterface.Hello(hostIdentifier: host(invocation)), timeout: .seconds(30))
    } catch {
      throw ControlError(error)
    }
    return client
  }
}

struct ActivationEvents {
  let client: VarlinkClient

  /// Those that have come by now.
  func arrived() throws(ControlError) -> [BrokerInterface.ActivationEvent] {
    try client.arrived(BrokerInterface.Subscribe.self).compactMap(\.activation)
  }
}
