import CLinux

/// An argument list in C's form.
enum ArgumentVector {
  static func with<Result>(
    _ arguments: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
  ) -> Result {
    let copies = unsafe arguments.map { unsafe UnsafePointer(strdup($0)) } + [nil]
    defer { unsafe copies.forEach { unsafe free(UnsafeMutableRawPointer(mutating: $0)) } }
    return unsafe copies.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an argument list is never empty") }
      return unsafe body(base)
    }
  }
}
