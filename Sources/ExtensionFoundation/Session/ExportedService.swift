internal import ExtensionInterfaces
internal import Varlink

/// An object that answers the peer, under its interface.
struct ExportedService: Sendable {
  let object: any Sendable
  let interface: AppExtensionConnection.Interface

  fileprivate func answer(_ call: AppExtensionCall) async -> AppExtensionAnswer {
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
}

extension [ExportedService] {
  /// The answer of the one that is called. Where there is any, all are described under org.varlink.service.
  func answer(_ call: AppExtensionCall) async -> AppExtensionAnswer {
    let name = call.message.interface
    if name == ServiceInterface.name, let description {
      return AppExtensionAnswer(description.reply(to: call.message))
    }
    guard let service = first(where: { $0.interface.type.name == name }) else {
      return call.interfaceNotFound
    }
    return await service.answer(call)
  }

  private var description: ServiceDescription? {
    first.map { first in
      ServiceDescription(
        vendor: "unknown", product: String(describing: type(of: first.object)), version: "1", url: "",
        interfaces: map(\.interface.type) + [ConnectionInterface.self])
    }
  }
}
