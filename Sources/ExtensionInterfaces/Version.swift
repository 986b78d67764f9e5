/// The version of everything that is built together.
public enum Version {
  public static let current = "0.1.0"
}
