internal import LinuxSystem

/// Why an instance could not be started. The stages are those of io.extensiond.Launcher.
struct LaunchFailure: Error {
  let stage: String
  let errno: Errno

  /// The request makes no sense.
  static let invalid = LaunchFailure(stage: "exec", errno: .invalidArgument)
}
