internal import CExtensionKit
internal import ExtensionFoundation
internal import ExtensionInterfaces

// extensionkit.h says what each function promises; here is how.

private nonisolated(unsafe) let version = unsafe CText.copy(Version.current)

@c @implementation
public func extk_version() -> UnsafePointer<CChar>? { unsafe version }

// MARK: The main queue

@c @implementation
public func extk_main_queue_fd() -> CInt { ExtensionMainQueue.descriptor }

@c @implementation
public func extk_main_queue_drain() { MainActor.assumeIsolated { ExtensionMainQueue.drain() } }

@c @implementation
public func extk_main_queue_add(
  _ function: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ userData: UnsafeMutableRawPointer?
) {
  let callback = unsafe Callback(function, userData)
  Task { @MainActor in unsafe callback.function?(callback.userData) }
}
