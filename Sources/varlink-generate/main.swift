import LinuxSystem
import VarlinkGenerator

// varlink-generate --output DIRECTORY [--bare] FILE.varlink …
// Writes one Swift file for each interface. --bare leaves the import of Varlink out.

func fail(_ message: String) -> Never {
  CurrentProcess.printError(message)
  CurrentProcess.exit(1)
}

func read(_ path: String) -> String {
  do { return String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self) } catch {
    fail("\(path): error: \(error)")
  }
}

func write(_ text: String, to path: String) {
  do {
    try File.open(path, [.writeOnly, .create, .truncate], mode: 0o644).write(all: Array(text.utf8))
  } catch {
    fail("\(path): error: \(error)")
  }
}

var arguments = Array(CommandLine.arguments.dropFirst())
let bare = arguments.contains("--bare")
arguments.removeAll { $0 == "--bare" }
guard arguments.count >= 3, arguments[0] == "--output" else {
  fail("usage: varlink-generate --output DIRECTORY [--bare] FILE.varlink …")
}
let sources = arguments.dropFirst(2).map { SwiftGenerator.Source(path: $0, text: read($0)) }
do {
  for file in try SwiftGenerator.files(for: sources, importsVarlink: !bare) {
    write(file.contents, to: "\(arguments[1])/\(file.name)")
  }
} catch {
  fail("\(error)")
}
