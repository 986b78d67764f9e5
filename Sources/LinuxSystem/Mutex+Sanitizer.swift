internal import CLinux
package import Synchronization

extension Mutex where Value: Sendable {
  /// `withLock`, of which ThreadSanitizer is told: it does not see this lock by itself. owner: stands for the lock.
  package func withLock<Result: Sendable>(of owner: AnyObject, _ body: (inout Value) -> Result) -> Result {
    withLock { value in
      let address = unsafe UnsafeRawPointer(Unmanaged.passUnretained(owner).toOpaque())
      unsafe clinux_lock_taken(address)
      defer { unsafe clinux_lock_returns(address) }
      return body(&value)
    }
  }
}
