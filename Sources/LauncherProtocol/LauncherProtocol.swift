/// The rules of the packets between broker and launcher that their description cannot express.
public enum LauncherPacket {
  /// Both sides know this version; another one does not fit.
  public static let version = 2
  /// Bytes of one packet.
  public static let limit = 64 << 10
  /// Descriptors of one packet.
  public static let descriptors = 8

  /// Why a launcher's version does not fit this broker, and what to do; nil where it does.
  public static func misfit(of other: Int, process: Int) -> String? {
    guard other != version else { return nil }
    let what =
      "the launcher (process \(process)) speaks version \(other) of their protocol, this extensiond \(version)"
    let mend =
      other > version
      ? "this extensiond is the older one: 'systemctl --user restart extensiond.service' starts the one that is installed, and by hand, end it"
      : "the launcher is the older one: 'systemctl --user restart extensiond-launcher.service' ends what runs and starts the one that is installed, and by hand, end it"
    return "\(what), so nothing can be started; \(mend)"
  }
}
