internal import LinuxSystem

/// What connects an instance with the launcher and the broker: both ends of each.
///
/// The launcher makes one set while it has nothing else to do, for the next launch.
struct InstanceChannels {
  /// Standard error may be this far ahead of the launcher before the program has to wait.
  private static let errorCapacity = 1 << 20

  let control: (broker: SharedDescriptor, instance: SharedDescriptor)
  let errors: Pipe
  let report: Pipe
  let sandboxReport: Pipe

  init() throws(LaunchFailure) {
    do throws(Errno) {
      let pair = try Socket.pair()
      control = (broker: pair.0, instance: pair.1)
    } catch {
      throw LaunchFailure(stage: "socket", errno: error)
    }
    do throws(Errno) {
      errors = try Pipe.make()
      report = try Pipe.make()
      sandboxReport = try Pipe.make()
    } catch {
      throw LaunchFailure(stage: "pipe", errno: error)
    }
    errors.reserve(Self.errorCapacity)
  }
}
