internal import ExtensionInterfaces
internal import Varlink

/// An object that answers the peer, under its interface and org.varlink.service.
struct ExportedService: Sendable {
  let object: any Sendable
  let interface: AppExtensionConnection.Interface

  private static let unknown = "unknown"

  func answer(_ incoming: IncomingCall) async -> VarlinkReply {
    let call = incoming.call
    if call.interface == ServiceInterface.name { return description.reply(to: call) }
    guard call.interface == interface.type.name else {
      return ServiceInterface.InterfaceNotFound(interface: String(call.interface)).reply
    }
    do {
      return try await interface.answer(call, object)
        ?? ServiceInterface.MethodNotFound(method: call.method).reply
    } catch let error as VarlinkDecodingError {
      return ServiceInterface.InvalidParameter(parameter: error.path).reply
    } catch let error as any VarlinkErrorReply {
      return error.reply
    } catch {
      // Whatever the author's error is, the message stays far below its limit.
      let message = String(String.UnicodeScalarView("\(error)".unicodeScalars.prefix(4000)))
      return ConnectionInterface.Failed(message: message).reply
    }
  }

  private var description: ServiceDescription {
    ServiceDescription(
      vendor: Self.unknown, product: String(describing: Swift.type(of: object)), version: "1", url: "",
      interfaces: [interface.type, ConnectionInterface.self])
  }
}
