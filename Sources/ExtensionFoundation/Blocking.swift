internal import LinuxSystem

/// Work that waits in the kernel.
package enum Blocking {
  /// Does the work on a thread of its own, so that none of the pool's is held up.
  package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws
    -> Value
  {
    try await withCheckedThrowingContinuation { continuation in
      do throws(Errno) {
        try startThread { continuation.resume(with: Result { try work() }) }
      } catch {
        continuation.resume(throwing: AppExtensionError(.failed, "no thread can be started: \(error)"))
      }
    }
  }
}
