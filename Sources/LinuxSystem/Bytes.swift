internal import CLinux

extension [UInt8] {
  /// The first NUL from an index on; nil where there is none. With memchr(3), which looks at many bytes at once.
  package func firstNUL(from start: Int) -> Int? {
    unsafe withUnsafeBufferPointer { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let found = unsafe memchr(base + start, 0, bytes.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
  }

  /// Bytes of any value, to be filled. Filling them with zeros first would cost as much as copying them in.
  package static func uninitialized(count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { _, initialized in initialized = count }
  }
}

/// Whether the first of these come before the second, as sorted by their bytes.
package func bytesPrecede(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let start = first.baseAddress, let other = second.baseAddress else {
    return first.isEmpty && !second.isEmpty
  }
  let order = unsafe memcmp(start, other, min(first.count, second.count))
  return order < 0 || order == 0 && first.count < second.count
}
