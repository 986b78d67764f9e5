internal import CMainQueue
internal import Dispatch
internal import LinuxSystem

/// The work that `@MainActor` code waits for. On Linux it is done only where the program's own loop sees to it.
public enum ExtensionMainQueue {
  /// Readable while there is work. Watch it in the main thread's loop; never close it.
  public static var descriptor: Int32 { _dispatch_get_main_queue_handle_4CF() }

  /// Does the waiting work. On the main thread only.
  @MainActor
  public static func drain() {
    EventCounter.clear(descriptor)
    _dispatch_main_queue_callback_4CF(nil)
  }
}
