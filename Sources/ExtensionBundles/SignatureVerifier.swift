internal import LinuxSystem

/// Verifies signatures, with OpenSSH's ssh-keygen. Each takes about 10 ms and a process, so that the result is worth
/// keeping; blocks its thread meanwhile. For one thread at a time.
public final class SignatureVerifier {
  public enum Verdict: Hashable, Sendable {
    case good
    case bad
    /// It could not be found out. Says why, and what to do.
    case unknown(String)
  }

  public struct Program: Hashable, Sendable {
    public var path: String
    /// After this time it is killed.
    public var patience: Duration

    public init(path: String, patience: Duration = .seconds(10)) {
      self.path = path
      self.patience = patience
    }

    /// $EXTENSIOND_SSH_KEYGEN, or Debian's.
    public static var installed: Program {
      Program(path: CurrentProcess.environment("EXTENSIOND_SSH_KEYGEN") ?? "/usr/bin/ssh-keygen")
    }
  }

  private let program: Program
  /// Who hangs once hangs again: until then nothing is started, so that many bundles do not wait for it one by one.
  private var pausedUntil: MonotonicTime?
  private static let pause: Duration = .seconds(60)

  public init(program: Program = .installed) { self.program = program }

  /// Whether the key in a signature made it, for exactly this statement.
  public func verify(_ signature: BundleSignature, of statement: BundleStatement) -> Verdict {
    let verdict = run(signature, statement.text)
    guard verdict == .bad else { return verdict }
    // ssh-keygen says 255 for a bad signature and for whatever keeps it from looking at one: so it is shown a good one.
    switch run(Self.known.signature, Self.known.statement) {
    // Bad is remembered for long: once more, since what kept it from looking may have gone by meanwhile.
    case .good: return run(signature, statement.text)
    case .bad: return .unknown("\(program.path) refuses every signature\(lastWords); repair that")
    case .unknown(let why): return .unknown(why)
    }
  }

  /// Made once with a key that nobody has any more.
  private static let known: (signature: BundleSignature, statement: String) = {
    let text = """
      -----BEGIN SSH SIGNATURE-----
      U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAg+e1OVFBjf5T9985Z68ZDb7QjDR
      brWWaTllAYw0gXb+gAAAAUYnVuZGxlQGV4dGVuc2lvbmQuaW8AAAAAAAAABnNoYTUxMgAA
      AFMAAAALc3NoLWVkMjU1MTkAAABAMojU9HmjXCos1hc9TNY6rHegmL0BqO3ifnARPbLPLc
      jochEiefwivy125b+SxWtReG6BJRaKUq27ReU2hQMZCg==
      -----END SSH SIGNATURE-----
      """
    guard let signature = try? BundleSignature(Array(text.utf8)) else {
      preconditionFailure("the known signature is whole")
    }
    return (signature, "extensiond asks whether signatures can be verified\n")
  }()

  /// What the last run printed, to be added to a message.
  private var lastWords = ""

  private func run(_ signature: BundleSignature, _ statement: String) -> Verdict {
    if let pausedUntil, pausedUntil > .now { return .unknown(hangs) }
    do {
      let fingerprint = signature.key.fingerprint
      // The principal is a pattern, so it is never taken from the bundle. Without name spaces a signature of a Git commit
      // would count, too.
      let allowed = "\(fingerprint) namespaces=\"\(BundleSignature.namespace)\" \(signature.key.line)\n"
      func file(_ name: String, _ bytes: [UInt8]) throws(Errno) -> SharedDescriptor {
        SharedDescriptor(try MemoryFile.make(name, holding: bytes))
      }
      let output = try Pipe.make()
      let end = try Spawn(
        path: program.path,
        arguments: [
          "-Y", "verify", "-f", "/proc/self/fd/3", "-I", fingerprint, "-n", BundleSignature.namespace, "-s",
          "/proc/self/fd/4",
        ],
        environment: ["LC_ALL=C", "PATH=/usr/bin:/bin"],
        descriptors: [
          file("statement", Array(statement.utf8)), output.writing, output.writing,
          file("signers", Array(allowed.utf8)), file("signature", signature.text),
        ]
      ).runToEnd(deadline: .now + program.patience)
      let words = String(decoding: output.written(upTo: 512), as: UTF8.self).split(separator: "\n")
      lastWords = words.isEmpty ? "" : " (\(words.joined(separator: "; ")))"
      switch end {
      case .exited(0): return .good
      case .exited(255): return .bad
      case .exited(let status):
        return .unknown("\(program.path) ended with status \(status)\(lastWords); repair that")
      case .signaled(let signal, _):
        return .unknown("\(program.path) was ended by signal \(signal); 'extctl rescan' tries it again")
      case nil:
        pausedUntil = .now + Self.pause
        return .unknown(hangs)
      }
    } catch let failure as Spawn.Failure where failure.errno == .noEntry {
      return .unknown("there is no \(program.path); install openssh-client, then 'extctl rescan'")
    } catch {
      return .unknown("\(program.path) cannot be started: \(error); 'extctl rescan' tries it again")
    }
  }

  private var hangs: String {
    "\(program.path) did not end within \(program.patience); 'extctl rescan' tries it again after a minute"
  }
}
