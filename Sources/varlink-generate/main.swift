import LinuxSystem
import Varlink
import VarlinkGenerator

// varlink-generate --output DIRECTORY [--bare] FILE.varlink …
// Writes one Swift file for each interface. --bare leaves the import of Varlink out.

func fail(_ message: String) -> Never {
  CurrentProcess.printError(message)
  CurrentProcess.exit(1)
}

func read(_ path: String) -> String {
  do { return String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self) } catch {
    fail("\(path): \(error)")
  }
}

func write(_ text: String, to path: String) {
  do {
    try File.open(path, [.writeOnly, .create, .truncate], mode: 0o644).write(all: Array(text.utf8))
  } catch {
    fail("\(path): \(error)")
  }
}

var arguments = Array(CommandLine.arguments.dropFirst())
let bare = arguments.contains("--bare")
arguments.removeAll { $0 == "--bare" }
guard arguments.count >= 3, arguments[0] == "--output" else {
  fail("usage: varlink-generate --output DIRECTORY [--bare] FILE.varlink …")
}
let directory = arguments[1]
var sources: [SwiftGenerator.Source] = []
for path in arguments.dropFirst(2) {
  do {
    sources.append(try SwiftGenerator.Source(parsing: read(path)))
  } catch {
    fail("\(path):\(error)")
  }
}
let generator = SwiftGenerator(sources, imports: bare ? "" : "public import Varlink")
for (index, source) in sources.enumerated() {
  write(
    generator.generate(index), to: "\(directory)/\(SwiftGenerator.typeName(source.description.name)).swift")
}
