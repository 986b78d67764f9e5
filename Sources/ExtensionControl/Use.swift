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
  /// Let go of it to end the activation.
  var lease: SharedDescriptor?
  let connection: SharedDescriptor?
  private let client: VarlinkClient

  init(_ invocation: Invocation, connect: Bool) throws(ControlError) {
    client = try Self.client(invocation)
    do throws(VarlinkClientError) {
      let answer = try client.call(
        BrokerInterface.Activate(
          extension: invocation.arguments[0], scene: invocation.values["scene"], connect: connect),
        // The broker sees to an end, unless a debugger has the extension.
        timeout: nil)
      func descriptor(_ index: Int) throws(VarlinkClientError) -> SharedDescriptor {
        guard answer.descriptors.indices.contains(index) else {
          throw .malformed("the activation names a descriptor that did not come")
        }
        return answer.descriptors[index]
      }
      activation = answer.reply.activation
      lease = try descriptor(answer.reply.leaseFileDescriptor)
      if let index = answer.reply.connectionFileDescriptor {
        connection = try descriptor(index)
      } else {
        connection = nil
      }
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
    var events: [BrokerInterface.ActivationEvent] = []
    do throws(VarlinkClientError) {
      while true {
        let reply = try client.next(BrokerInterface.Subscribe.self, timeout: .zero).reply
        if let event = reply.activation { events.append(event) }
      }
    } catch .timedOut {
      return events
    } catch {
      throw ControlError(error)
    }
  }
}
