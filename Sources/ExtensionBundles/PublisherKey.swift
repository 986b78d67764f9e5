/// The public key that a bundle is signed with: what `ssh-keygen` makes, in the form of RFC 4253, section 6.6.
public struct PublisherKey: Hashable, Sendable, CustomStringConvertible {
  /// The kinds that may sign. Their raw values are OpenSSH's names.
  enum Kind: String, CaseIterable {
    case ed25519 = "ssh-ed25519"
    case ecdsa256 = "ecdsa-sha2-nistp256"
    case ecdsa384 = "ecdsa-sha2-nistp384"
    case ecdsa521 = "ecdsa-sha2-nistp521"
    case rsa = "ssh-rsa"
    // Of keys that live in hardware: FIDO.
    case securityEd25519 = "sk-ssh-ed25519@openssh.com"
    case securityECDSA = "sk-ecdsa-sha2-nistp256@openssh.com"

    var label: String {
      switch self {
      case .ed25519: "ED25519"
      case .ecdsa256, .ecdsa384, .ecdsa521: "ECDSA"
      case .rsa: "RSA"
      case .securityEd25519: "ED25519-SK"
      case .securityECDSA: "ECDSA-SK"
      }
    }
  }

  static let minimumRSABits = 2048

  let kind: Kind
  let blob: [UInt8]

  /// Reads a key; throws why it may not sign. What else is wrong with it, the verification finds.
  init(blob: [UInt8]) throws(BundleProblem) {
    var reader = SSHReader(blob[...])
    guard let name = reader.text() else { throw .signature("holds no key") }
    guard let kind = Kind(rawValue: name) else {
      // Whoever issued a certificate would be the publisher, and nothing here says whom to trust with that.
      let parts = name.split(separator: "-")
      let what =
        zip(parts, parts.dropFirst()).contains { $0 == "cert" && $1.hasPrefix("v0") }
        ? "is made with a certificate; sign with the key itself"
        : "is made with a key of the kind \(name), which is not accepted; use ssh-keygen -t ed25519"
      throw .signature(what)
    }
    if kind == .rsa {
      guard reader.string() != nil, let modulus = reader.string() else { throw .signature("holds no key") }
      let digits = modulus.drop { $0 == 0 }
      let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
      if bits < Self.minimumRSABits {
        throw .signature(
          "is made with an RSA key of \(bits) bits; \(Self.minimumRSABits) are needed, or use ssh-keygen -t ed25519"
        )
      }
    }
    self.kind = kind
    self.blob = blob
  }

  /// As `ssh-keygen -l` prints it: `SHA256:` and 43 characters.
  public var fingerprint: String {
    let hash = SHA256()
    hash.start()
    hash.update(blob)
    return "SHA256:" + Base64.encode(hash.finish().bytes).filter { $0 != "=" }
  }

  /// The kind for people, as `ssh-keygen -l` prints it, such as ED25519.
  public var label: String { kind.label }

  /// As in a `.pub` file, without a comment.
  var line: String { "\(kind.rawValue) \(Base64.encode(blob))" }

  public var description: String { "\(fingerprint) (\(label))" }
}
