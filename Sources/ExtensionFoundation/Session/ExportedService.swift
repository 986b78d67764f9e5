internal import ExtensionInterfaces
internal import Varlink

/// An object that answers the peer, under its interface.
struct ExportedService: Sendable {
  let object: any Sendable
  let interface: AppExtensionConnection.Interface
  private let answer: AppExtensionConnection.Interface.Answer

  /// - Precondition: the object is a service of the interface.
  init(object: any Sendable, interface: AppExtensionConnection.Interface) {
    guard let answer = interface.answer(object) else {
      preconditionFailure(
        "\(type(of: object)) does not implement \(interface.type.name): make it conform to \(interface.type).Service"
      )
    }
    self.object = object
    self.interface = interface
    self.answer = answer
  }

  @inline(__always)
  fileprivate func respond(to call: AppExtensionCall) async -> AppExtensionAnswer {
    do {
      return try await answer(call)
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
  @inline(__always)
  func answer(_ call: AppExtensionCall) async -> AppExtensionAnswer {
    // Nearly all calls are of one of them.
    if let service = first(where: { call.message.isCall(of: $0.interface.type) }) {
      return await service.respond(to: call)
    }
    if call.message.isCall(of: ServiceInterface.self), let description {
      return AppExtensionAnswer(description.reply(to: call.message))
    }
    return call.interfaceNotFound
  }

  private var description: ServiceDescription? {
    first.map { first in
      ServiceDescription(
        vendor: "unknown", product: String(describing: type(of: first.object)), version: "1", url: "",
        interfaces: map(\.interface.type) + [ConnectionInterface.self])
    }
  }
}
