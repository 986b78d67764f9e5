internal import CLinux

// The one place where a result of -1 becomes an error. Interrupted calls are made again.
//
// What is called for each message or each file is `@usableFromInline package` in this module: without it the compiler
// gives other modules no bodies of what is not public, not even of default arguments.

/// Runs a call that answers -1 on failure.
@discardableResult
func check<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    // EBADF is an error as others are: a peer provokes it with a descriptor that was opened for something else.
    let error = Errno.last
    if error != .interrupted { throw error }
  }
}

/// Like `check`, for descriptors: the result is owned.
func checkDescriptor(_ call: () -> CInt) throws(Errno) -> FileDescriptor {
  FileDescriptor(owning: try check(call))
}

/// The text before the first NUL of a buffer that a call has filled.
func text(_ buffer: [CChar]) -> String {
  String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
