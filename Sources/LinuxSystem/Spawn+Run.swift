extension Spawn {
  /// Runs the program to its end and takes that. nil: it had not ended by the deadline, and was killed. Without a
  /// deadline it waits as long as it takes.
  package func runToEnd(deadline: MonotonicTime? = nil) throws(Failure) -> ProcessDescriptor.End? {
    let process = try run().takeProcess()
    let raw = process.descriptor.rawValue
    let hasEnded = (try? Poll.readable(raw, deadline: deadline)) ?? false
    if !hasEnded {
      try? process.send(signal: Signals.kill)
      // One that hangs in the kernel is left behind.
      _ = try? Poll.readable(raw, deadline: .now + .seconds(1))
    }
    let end = (try? process.reap()) ?? nil
    return hasEnded ? end : nil
  }
}

extension Pipe {
  /// What somebody wrote so far, at most `count` bytes. A program that has ended has written all of it, as long as that
  /// fitted into the pipe.
  package func written(upTo count: Int) -> [UInt8] {
    try? reading.descriptor.setNonBlocking()
    var bytes: [UInt8] = []
    while bytes.count < count, let part = try? reading.descriptor.read(upTo: count - bytes.count),
      !part.isEmpty
    {
      bytes += part
    }
    return bytes
  }
}
