/// An object that C holds by a pointer.
protocol Handle: AnyObject {}

extension Handle {
  /// A pointer for C, which keeps the object until `release`.
  func retained() -> OpaquePointer { unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// The pointer that C has.
  var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

  static func at(_ pointer: OpaquePointer?) -> Self {
    guard let pointer = unsafe pointer else {
      preconditionFailure("libextensionkit: a null pointer was given for an object")
    }
    return unsafe Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// The object, which C gives back with this.
  static func release(_ pointer: OpaquePointer) -> Self {
    unsafe Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).takeRetainedValue()
  }
}
