internal import LinuxSystem

/// Runs a program to its end, for what it says.
enum Program {
  struct Run {
    var end: ProcessDescriptor.End?
    /// Standard output and error, without the newline at the end.
    var output: String
  }

  /// `end` is nil where it could not be started, or had not ended after 10 s; it is killed then.
  static func run(_ name: String, _ arguments: [String]) -> Run {
    do {
      let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
      let pipe = try Pipe.make()
      let end = try command(name, arguments, [null, pipe.writing, pipe.writing])
        .runToEnd(deadline: .now + .seconds(10))
      let bytes = pipe.written(upTo: 4096)
      let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
      return Run(end: end, output: text)
    } catch {
      return Run(end: nil, output: "\(name) cannot be run: \(error)")
    }
  }

  private static func command(
    _ name: String, _ arguments: [String], _ descriptors: [SharedDescriptor]
  ) throws(Errno) -> Spawn {
    let search = CurrentProcess.environment("PATH") ?? "/usr/bin:/bin"
    let paths = name.contains("/") ? [name] : search.split(separator: ":").map { "\($0)/\(name)" }
    guard let path = paths.first(where: File.exists) else { throw Errno.noEntry }
    return Spawn(
      path: path, arguments: arguments, environment: CurrentProcess.allEnvironment, descriptors: descriptors)
  }
}
