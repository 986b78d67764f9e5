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
      let process = try start(name, arguments, null: null, output: pipe.writing)
      try pipe.reading.descriptor.setNonBlocking()
      let hasEnded = try Poll.readable(process.descriptor.rawValue, deadline: .now + .seconds(10))
      if !hasEnded { try? process.send(signal: Signals.kill) }
      let bytes = (try? pipe.reading.descriptor.read(upTo: 4096)) ?? []
      let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
      return Run(end: hasEnded ? try process.reap() : nil, output: text)
    } catch {
      return Run(end: nil, output: "\(name) cannot be run: \(error)")
    }
  }

  private static func start(
    _ name: String, _ arguments: [String], null: SharedDescriptor, output: SharedDescriptor
  ) throws -> ProcessDescriptor {
    let search = CurrentProcess.environment("PATH") ?? "/usr/bin:/bin"
    let paths = name.contains("/") ? [name] : search.split(separator: ":").map { "\($0)/\(name)" }
    guard let path = paths.first(where: File.exists) else { throw Errno.noEntry }
    return try Spawn(
      path: path, arguments: arguments, environment: CurrentProcess.allEnvironment,
      descriptors: [null, output, output]
    ).run().takeProcess()
  }
}
