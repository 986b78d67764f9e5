internal import CGTK
public import ExtensionFoundation
public import ExtensionKit

/// GLib's loop as the main loop of an extension. An extension with scenes has it by importing this module.
@MainActor
@safe
public final class GTKMainLoop: ExtensionMainLoop {
  @safe private let loop = unsafe g_main_loop_new(nil, 0)
  private var handler: (@MainActor () -> Void)?

  /// Of GLib's default context, in which GTK works.
  public init() {}

  isolated deinit { unsafe g_main_loop_unref(loop) }

  /// A source of GLib's, of the usual priority.
  public func watch(_ descriptor: Int32, handler: @escaping @MainActor () -> Void) {
    self.handler = handler
    unsafe g_unix_fd_add(
      descriptor, G_IO_IN,
      { _, _, loop in
        unsafe assumeMainActor(loop, GTKMainLoop.self) { $0.handler?() }
        return 1
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Runs it on the main thread.
  public func run() { unsafe g_main_loop_run(loop) }
  /// Quits it.
  public func stop() { unsafe g_main_loop_quit(loop) }
}

extension AppExtension where Configuration == AppExtensionSceneConfiguration {
  /// GLib's loop, since scenes may have GTK's widgets.
  public var mainLoop: (any ExtensionMainLoop)? { GTKMainLoop() }
}

/// What C calls back on the main thread, with the object that it was given.
func assumeMainActor<Object: AnyObject>(
  _ pointer: UnsafeMutableRawPointer?, _: Object.Type, _ body: @MainActor (Object) -> Void
) {
  guard let pointer = unsafe pointer else { return }
  nonisolated(unsafe) let context = unsafe pointer
  MainActor.assumeIsolated {
    unsafe body(Unmanaged<Object>.fromOpaque(context).takeUnretainedValue())
  }
}
