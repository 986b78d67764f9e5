/// The loop of an extension's main thread, where it is another one than the SDK's own: GLib's, Qt's.
///
/// All that the SDK needs of it is one descriptor. The main actor's work is done in it as well.
@MainActor
public protocol ExtensionMainLoop: AnyObject {
  /// Calls `handler` on the main thread whenever the descriptor is readable, as long as the loop runs: again where it
  /// still is, as poll(2) tells. Called once, before `run()`.
  func watch(_ descriptor: Int32, handler: @escaping @MainActor () -> Void)
  /// Runs on the main thread until `stop()`.
  func run()
  /// Makes `run()` return soon. Called on the main thread, from a handler.
  func stop()
}
