/// What a service tells of itself through org.varlink.service.
public struct ServiceDescription {
  /// Who makes the service.
  public var vendor: String
  /// What it is called.
  public var product: String
  /// Which version it is.
  public var version: String
  /// Where to read about it.
  public var url: String
  /// What it offers beside org.varlink.service.
  public var interfaces: [any VarlinkInterface.Type]

  /// What a service tells of itself.
  public init(
    vendor: String, product: String, version: String, url: String, interfaces: [any VarlinkInterface.Type]
  ) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.interfaces = interfaces
  }

  /// The answer to a call of org.varlink.service.
  public func reply(to call: VarlinkCall) -> VarlinkReply {
    do throws(VarlinkDecodingError) {
      switch try ServiceInterface.Call(call) {
      case .getInfo:
        return ServiceInterface.GetInfo.Reply(
          vendor: vendor, product: product, version: version, url: url,
          interfaces: [ServiceInterface.name] + interfaces.map { $0.name }
        ).reply
      case .getInterfaceDescription(let get):
        let all: [any VarlinkInterface.Type] = [ServiceInterface.self] + interfaces
        guard let found = all.first(where: { $0.name == get.interface }) else {
          return ServiceInterface.InterfaceNotFound(interface: get.interface).reply
        }
        return ServiceInterface.GetInterfaceDescription.Reply(description: found.description).reply
      case nil:
        return ServiceInterface.MethodNotFound(method: call.method).reply
      }
    } catch {
      return ServiceInterface.InvalidParameter(parameter: error.path).reply
    }
  }
}
