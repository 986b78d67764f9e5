/// Texts that C reads.
enum CText {
  /// A copy that ends with NUL. Whoever has it frees it with `deallocate()`.
  static func copy(_ text: String) -> UnsafePointer<CChar> {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { unsafe copy[index] = byte }
    return unsafe UnsafePointer(copy)
  }

  /// The same, where there may be none.
  static func copyIfThere(_ text: String?) -> UnsafePointer<CChar>? { unsafe text.map { unsafe copy($0) } }

  /// What C gave; nil for a null pointer.
  static func read(_ text: UnsafePointer<CChar>?) -> String? {
    unsafe text.map { unsafe String(cString: $0) }
  }
}
