extension [UInt8] {
  /// Bytes of any value, to be filled. Filling them with zeros first would cost as much as copying them in.
  package static func uninitialized(count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }
}
