/// A function of the program's, and what it gets. Both mean something to the program alone.
@safe
struct Callback<Function>: @unchecked Sendable {
  let function: Function?
  let userData: UnsafeMutableRawPointer?

  init(_ function: Function?, _ userData: UnsafeMutableRawPointer?) {
    self.function = function
    unsafe self.userData = unsafe userData
  }
}
