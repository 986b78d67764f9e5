internal import LinuxSystem
internal import Synchronization

/// This program as a host.
public enum AppExtensionHost {
  private static let chosen = Mutex<String?>(nil)

  /// The reverse-DNS identifier under which this program asks for extensions: the one of its bundle.
  ///
  /// Set it before anything else; unless it is set, the environment variable EXTENSIOND_HOST_IDENTIFIER holds.
  /// Without either, what needs it throws `AppExtensionPoint.Error.hostMustHaveBundleIdentifier`.
  public static var identifier: String? {
    get { chosen.withLock { $0 } ?? CurrentProcess.environment("EXTENSIOND_HOST_IDENTIFIER") }
    set { chosen.withLock { $0 = newValue } }
  }
}
