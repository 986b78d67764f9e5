public import CExtensionKit
internal import ExtensionFoundation
internal import LinuxSystem

/// What an `extk_shown` is made of.
struct Shown: Sendable {
  private let connection: SharedDescriptor
  private let display: SharedDescriptor?
  private let instance: String
  private let token: String
  private let isUnmodified: Bool

  init(_ shown: AppExtensionProcess.Use.Shown) throws {
    guard let connection = shown.connection.takeSocket() else { throw Failure.freed }
    self.connection = connection
    display = shown.display
    instance = shown.instanceID ?? ""
    token = shown.connection.activationID
    isUnmodified = shown.isUnmodified
  }

  /// A new structure, which `extk_shown_free` frees.
  func handOver() throws(Errno) -> UnsafeMutablePointer<extk_shown> {
    let ownConnection = try connection.descriptor.duplicate()
    // Last of what may fail: nobody would close the number.
    let ownDisplay = try display?.descriptor.duplicate().take() ?? -1
    let copy = UnsafeMutablePointer<extk_shown>.allocate(capacity: 1)
    unsafe copy.initialize(
      to: extk_shown(
        connection: ownConnection.take(), display: ownDisplay, instance: CText.copy(instance),
        token: CText.copy(token), is_unmodified: isUnmodified ? 1 : 0))
    return unsafe copy
  }
}

@c @implementation
public func extk_connect_shown(
  _ activation: OpaquePointer?, _ timeout: CInt,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?
) -> UnsafeMutablePointer<extk_shown>? {
  unsafe Failure.report(at: error, else: nil) {
    unsafe try Activation.at(activation).show(timeout: Duration(milliseconds: timeout)).handOver()
  }
}

@c @implementation
public func extk_connect_shown_async(
  _ activation: OpaquePointer?, _ timeout: CInt, _ function: extk_connect_shown_callback?,
  _ userData: UnsafeMutableRawPointer?
) {
  let activation = unsafe Activation.at(activation)
  let callback = unsafe Callback(function, userData)
  unsafe activation.host.run {
    try activation.show(timeout: Duration(milliseconds: timeout))
  } then: { shown, error in
    guard let shown else { return unsafe callback.function?(nil, error, callback.userData) ?? () }
    do throws(Errno) {
      unsafe callback.function?(try shown.handOver(), nil, callback.userData)
    } catch {
      unsafe Failure(error).lend { unsafe callback.function?(nil, $0, callback.userData) }
    }
  }
}

@c @implementation
public func extk_shown_free(_ shown: UnsafeMutablePointer<extk_shown>?) {
  guard let shown = unsafe shown else { return }
  for number in unsafe [shown.pointee.connection, shown.pointee.display] where number >= 0 {
    _ = FileDescriptor.inherited(number)
  }
  unsafe shown.pointee.instance.deallocate()
  unsafe shown.pointee.token.deallocate()
  unsafe shown.deallocate()
}
