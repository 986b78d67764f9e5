internal import ExtensionInterfaces
internal import Varlink

/// An object that answers the peer, under its interface and org.varlink.service.
struct ExportedService: Sendable {
  let object: any Sendable
  let interface: AppExtensionConnection.Interface

  private static let unknown = "unknown"

  func answer(_ call: AppExtensionCall) async -> AppExtensionAnswer {
    let interfaceName = call.message.interface
    if interfaceName == ServiceInterface.name {
      return AppExtensionAnswer(description.reply(to: call.message))
    }
    guard interfaceName == interface.type.name else { return call.interfaceNotFound }
    do {
      return try await interface.answer(call, object)
        ?? AppExtensionAnswer(ServiceInterface.MethodNotFound(method: call.message.method).reply)
    } catch let error as VarlinkDecodingError {
      return AppExtensionAnswer(ServiceInterface.InvalidParameter(parameter: error.path).reply)
    } catch let error as any VarlinkErrorReply {
      return AppExtensionAnswer(error.reply)
    } catch is CancellationError where Task.isCancelled {
      return .cancelled
    } catch {
      // Whatever the author's error is, the message stays far below its limit.
      let message = String(String.UnicodeScalarView("\(error)".unicodeScalars.prefix(4000)))
      return AppExtensionAnswer(ConnectionInterface.Failed(message: message).reply)
    }
  }

  private var description: ServiceDescription {
    ServiceDescription(
      vendor: Self.unknown, product: String(describing: Swift.type(of: object)), version: "1", url: "",
      interfaces: [interface.type, ConnectionInterface.self])
  }
}
