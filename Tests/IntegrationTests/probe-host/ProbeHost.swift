internal import ExtensionFoundation
internal import LinuxSystem

extension AppExtensionPoint {
  @Definition static var first: AppExtensionPoint {
    Name("Point")
    Scope(restriction: .none)
  }

  @Definition static var second: AppExtensionPoint {
    Name("Other")
    Scope(restriction: .none)
  }
}

/// A host for the tests. Each line of standard input is a tag and a command; each line of standard output a tag and what
/// its command brought, or an event. Commands run side by side.
@main
struct ProbeHost {
  static func main() async throws {
    let (lines, input) = AsyncStream.makeStream(of: String.self)
    // Of its own, so that the main actor goes on while nothing is read.
    try startThread {
      while let line = readLine() { input.yield(line) }
      input.finish()
    }
    let probe = Probe()
    for await line in lines {
      let words = line.split(separator: " ").map(String.init)
      Task { @MainActor in say("\(words[0]) \(await probe.result(Array(words.dropFirst())))") }
    }
  }
}

/// Prints a line at once. From any thread.
nonisolated func say(_ line: String) {
  do throws(Errno) { try FileDescriptor.standardOutput().write(all: Array((line + "\n").utf8)) } catch {}
}

/// An error in one line.
func describe(_ error: any Error) -> String {
  let text = (error as? AppExtensionError).map { "\($0.code.rawValue): \($0.message)" } ?? "\(error)"
  return text.split(separator: "\n").joined(separator: " | ")
}
