internal import CWayland

/// A protocol object of the client: it lives as long as its resource, which the client or the end of its connection
/// destroys. Others may keep it longer; it is `isGone` then.
@safe class WaylandObject {
  // Not unowned: the compositor's deinit ends the client, and with it all of these, which use it until then.
  private unowned(unsafe) let owner: SceneCompositor
  /// nil once the client has destroyed it. A C pointer, so each use of it is marked.
  @safe private(set) var resource: OpaquePointer?

  init(_ compositor: SceneCompositor) { unsafe owner = compositor }

  final var compositor: SceneCompositor { unsafe owner }

  var isGone: Bool { unsafe resource == nil }

  /// The client has destroyed it, or is gone itself.
  func destroyed() {}

  /// Makes the protocol object; the client has no memory for it where that fails.
  /// - Parameters:
  ///   - parent: the object whose request asks for it.
  ///   - type: of the protocol.
  ///   - requests: the table of requests, which lasts for ever; nil where there are none.
  final func appear(
    for parent: OpaquePointer?, as type: UnsafePointer<wl_interface>?, version: Int32? = nil, id: UInt32,
    _ requests: UnsafeRawPointer? = nil
  ) {
    let client = unsafe wl_resource_get_client(parent)
    let version = unsafe version ?? wl_resource_get_version(parent)
    unsafe appear(in: client, as: type, version: version, id: id, requests)
  }

  final func appear(
    in client: OpaquePointer?, as type: UnsafePointer<wl_interface>?, version: Int32, id: UInt32,
    _ requests: UnsafeRawPointer?
  ) {
    guard let made = unsafe wl_resource_create(client, type, version, id) else {
      return unsafe wl_client_post_no_memory(client)
    }
    unsafe resource = made
    unsafe wl_resource_set_implementation(made, requests, Unmanaged.passRetained(self).toOpaque()) {
      resource in
      guard let data = unsafe wl_resource_get_user_data(resource) else { return }
      let object = unsafe Unmanaged<WaylandObject>.fromOpaque(data)
      unsafe object._withUnsafeGuaranteedRef {
        $0.destroyed()
        $0.resource = nil
      }
      unsafe object.release()
    }
  }

  /// The object of a resource that this module has made.
  static func of(_ resource: OpaquePointer?) -> Self {
    guard let data = unsafe wl_resource_get_user_data(resource) else {
      preconditionFailure("a resource without its object")
    }
    let object = unsafe Unmanaged<WaylandObject>.fromOpaque(data)
    return unsafe unsafeDowncast(object.takeUnretainedValue(), to: Self.self)
  }

  /// Ends the client's connection: it broke the protocol.
  final func fail(_ code: UInt32, _ message: String) {
    compositor.failed(message)
    if let resource = resource { unsafe cwayland_post_error(resource, code, message) }
  }

  /// Whether it knows what this version of its protocol has added.
  final func has(version: Int32) -> Bool {
    if let resource = resource { unsafe wl_resource_get_version(resource) >= version } else { false }
  }

  final func destroyResource() {
    if let resource = resource { unsafe wl_resource_destroy(resource) }
  }
}

/// A table of requests in C, at one place for ever.
func requestTable<Table>(_ table: Table) -> UnsafeRawPointer {
  let place = UnsafeMutablePointer<Table>.allocate(capacity: 1)
  unsafe place.initialize(to: table)
  return UnsafeRawPointer(place)
}

/// For requests whose object ends with them.
func endResource(_: OpaquePointer?, resource: OpaquePointer?) {
  unsafe wl_resource_destroy(resource)
}
