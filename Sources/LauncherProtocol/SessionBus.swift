/// Where an instance finds the part of the session bus that it may use.
public enum SessionBus {
  /// A directory of its own, read-only.
  public static let directory = "/run/session-bus"
  public static let socket = directory + "/bus"
}
