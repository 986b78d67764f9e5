/// The rules of the packets between broker and launcher that their description cannot express.
public enum LauncherPacket {
  /// Both sides know this version; another one does not fit.
  public static let version = 1
  /// Bytes of one packet.
  public static let limit = 64 << 10
  /// Descriptors of one packet.
  public static let descriptors = 8
}
