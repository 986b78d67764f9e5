import LinuxSystem
import VarlinkGenerator

// varlink-generate [--bare|--sdk] --output DIRECTORY FILE.varlink …
// Writes one Swift file for each interface. --bare leaves the import of Varlink out. --sdk adds, for ExtensionFoundation,
// a protocol for services and a proxy.

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
let purposes: [String: SwiftGenerator.Purpose] = ["--bare": .varlink, "--sdk": .sdk]
let purpose = arguments.lazy.compactMap { purposes[$0] }.first ?? .types
arguments.removeAll { purposes[$0] != nil }
guard arguments.count >= 3, arguments[0] == "--output" else {
  fail("usage: varlink-generate [--bare|--sdk] --output DIRECTORY FILE.varlink …")
}
let sources = arguments.dropFirst(2).map { SwiftGenerator.Source(path: $0, text: read($0)) }
do {
  for file in try SwiftGenerator.files(for: sources, purpose: purpose) {
    write(file.contents, to: "\(arguments[1])/\(file.name)")
  }
} catch {
  fail("\(error)")
}
