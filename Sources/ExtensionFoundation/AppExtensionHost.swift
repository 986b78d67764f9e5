internal import LinuxSystem
internal import Synchronization

/// This program as a host.
public enum AppExtensionHost {
  private static let chosen = Mutex<String?>(nil)

  /// The reverse-DNS identifier under which this program asks for extensions: the one of its bundle.
  /// Unless it is set, the variable EXTENSIOND_HOST_IDENTIFIER holds. Set it before anything else.
  public static var identifier: String? {
    get { chosen.withLock { $0 } ?? CurrentProcess.environment("EXTENSIOND_HOST_IDENTIFIER") }
    set { chosen.withLock { $0 = newValue } }
  }
}
