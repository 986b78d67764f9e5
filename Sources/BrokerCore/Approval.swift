/// Who says what may be used.
public enum Approval: Hashable, Sendable {
  /// The person, one bundle after the other.
  case person
  /// Nobody is asked: everything that is valid may be used, as it is at the moment. For a host's own tests.
  case everything
}
