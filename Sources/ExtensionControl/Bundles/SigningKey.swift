internal import ExtensionBundles
internal import LinuxSystem

/// An SSH key that signs: ssh-keygen does it, with the file or with ssh-agent.
struct SigningKey {
  let path: String
  private var program: String { SignatureVerifier.Program.installed.path }

  /// `path`: the private key, or the public one with its name and `.pub`.
  init(path: String) throws(ControlError) {
    guard File.exists(path) else {
      throw ControlError(.failed, "there is no key \(path); 'ssh-keygen -t ed25519 -f \(path)' makes one")
    }
    self.path = path
  }

  /// Signs; asks for a passphrase at the terminal where one is needed. Returns the text of the signature.
  func sign(_ statement: BundleStatement) throws(ControlError) -> [UInt8] {
    // What ssh-keygen says to a person belongs on the terminal at once, such as that a key must be touched.
    let seesErrors = CurrentProcess.isTerminal(2)
    let (end, output, words) = try run(
      ["-q", "-Y", "sign", "-f", path, "-n", BundleSignature.namespace], input: statement.text,
      errors: !seesErrors)
    guard end == .exited(status: 0), !output.isEmpty else {
      throw ControlError(.failed, try "nothing is signed: \(reason(words))")
    }
    return output
  }

  /// Why the key did not sign: ssh-keygen's own words mislead about passphrases and agents.
  private func reason(_ words: String) throws(ControlError) -> String {
    let said = words.isEmpty ? "" : " (\(words))"
    if path.hasSuffix(".pub") {
      return
        "neither ssh-agent nor a file beside \(path) has the private key\(said); 'ssh-add' gives it to the agent"
    }
    let (end, _, _) = try run(["-q", "-y", "-P", "", "-f", path], input: "", errors: true)
    if end == .exited(status: 0) { return "\(program) cannot sign with \(path)\(said)" }
    let first =
      (try? File.read(path, limit: 1 << 20)).map { String(decoding: $0.prefix(64), as: UTF8.self) } ?? ""
    guard first.hasPrefix("-----BEGIN ") else {
      return "\(path) is no private key, or may not be read\(said); name one that ssh-keygen made"
    }
    let hasTerminal = (try? File.open("/dev/tty", .readWrite)) != nil
    return hasTerminal
      ? "\(path) could not be opened with that passphrase\(said)"
      : "\(path) has a passphrase, and there is no terminal to ask for it; run this in a terminal, or 'ssh-add \(path)' first"
  }

  private func run(
    _ arguments: [String], input: String, errors: Bool
  ) throws(ControlError) -> (end: ProcessDescriptor.End?, output: [UInt8], words: String) {
    do {
      let input = SharedDescriptor(try MemoryFile.make("statement", holding: Array(input.utf8)))
      let (output, error) = (try Pipe.make(), try Pipe.make())
      var command = Spawn(
        path: program, arguments: arguments, environment: CurrentProcess.allEnvironment,
        descriptors: [input, output.writing, errors ? error.writing : try .standardError()])
      // It asks at the terminal of this session.
      command.standsIn = true
      let end = try command.runToEnd()
      let words = String(decoding: error.written(upTo: 1024), as: UTF8.self)
        .split(whereSeparator: \.isNewline).joined(separator: "; ")
      return (end, output.written(upTo: 1 << 16), words)
    } catch let failure as Spawn.Failure where failure.errno == .noEntry {
      throw ControlError(.failed, "there is no \(program); install openssh-client")
    } catch {
      throw ControlError(.failed, "\(program) cannot be started: \(error)")
    }
  }
}

extension SharedDescriptor {
  fileprivate static func standardError() throws(Errno) -> SharedDescriptor {
    SharedDescriptor(try File.open("/proc/self/fd/2", .writeOnly))
  }
}
