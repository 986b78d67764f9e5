import ExtensionBundles
import LinuxSystem

/// A key that ssh-keygen made, for one test.
struct KeyMaker {
  struct Failure: Error { let words: String }

  private let directory: TemporaryDirectory
  var path: String { directory.path("key") }

  init(_ kind: String = "ed25519", bits: Int? = nil) throws {
    directory = try TemporaryDirectory()
    let size = bits.map { ["-b", "\($0)"] } ?? []
    _ = try Self.run(["-q", "-t", kind, "-N", "", "-f", path] + size)
  }

  var fingerprint: String {
    get throws {
      let words = String(decoding: try Self.run(["-l", "-f", path]), as: UTF8.self).split(separator: " ")
      return words.count > 1 ? String(words[1]) : ""
    }
  }

  /// Makes key-cert.pub, signed by a key of its own.
  func certify() throws {
    let authority = try KeyMaker()
    _ = try Self.run(["-q", "-s", authority.path, "-I", "test", "-n", "anybody", path + ".pub"])
  }

  func sign(_ message: [UInt8], namespace: String, with file: String? = nil) throws -> [UInt8] {
    try Self.run(["-q", "-Y", "sign", "-f", file ?? path, "-n", namespace], message)
  }

  private static func run(_ arguments: [String], _ input: [UInt8] = []) throws -> [UInt8] {
    let (output, errors) = (try Pipe.make(), try Pipe.make())
    let end = try Spawn(
      path: "/usr/bin/ssh-keygen", arguments: arguments, environment: ["PATH=/usr/bin:/bin"],
      descriptors: [
        SharedDescriptor(try MemoryFile.make("input", holding: input)), output.writing, errors.writing,
      ]
    ).runToEnd(deadline: .now + .seconds(60))
    guard end == .exited(status: 0) else {
      throw Failure(words: String(decoding: errors.written(upTo: 1000), as: UTF8.self))
    }
    return output.written(upTo: 1 << 16)
  }
}
