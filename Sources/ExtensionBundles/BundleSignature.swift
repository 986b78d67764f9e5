/// A signature that lies in a bundle: what `ssh-keygen -Y sign` writes. Read, and not yet verified.
///
/// The form is OpenSSH's, PROTOCOL.sshsig. Only the key is taken from it here; whether that key made the signature is
/// for `SignatureVerifier` to say.
public struct BundleSignature: Hashable, Sendable {
  /// Its path in a bundle, of either layout.
  public static let path = BundleTree.signature + "/" + name
  static let name = "statement.sig"
  /// An RSA key of 16384 bits needs 6 KiB.
  static let maximumSize = 16 << 10
  /// Keeps signatures that were made for something else from counting here, and the other way round.
  public static let namespace = "bundle@extensiond.io"

  /// The whole file.
  public let text: [UInt8]
  public let key: PublisherKey

  /// Reads the file; throws what is wrong with it.
  public init(_ text: [UInt8]) throws(BundleProblem) {
    guard text.count <= Self.maximumSize else {
      throw .signature("is larger than \(Self.maximumSize >> 10) KiB")
    }
    guard let blob = Self.blob(text) else { throw .signature("is no SSH signature") }
    var reader = SSHReader(blob[...])
    guard reader.take(6)?.elementsEqual("SSHSIG".utf8) == true, let version = reader.number() else {
      throw .signature("is no SSH signature")
    }
    guard version == 1 else { throw .signature("has version \(version) of SSH signatures; 1 is known") }
    guard let key = reader.string(), let namespace = reader.text(), reader.string() != nil,
      reader.string() != nil, reader.string() != nil, reader.rest.isEmpty
    else { throw .signature("is cut off, or no SSH signature") }
    guard namespace == Self.namespace else {
      throw .signature("is made for “\(namespace)”, not for “\(Self.namespace)”")
    }
    self.text = text
    self.key = try PublisherKey(blob: Array(key))
  }

  private static func blob(_ text: [UInt8]) -> [UInt8]? {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    guard lines.count > 2, lines[0].elementsEqual("-----BEGIN SSH SIGNATURE-----".utf8),
      lines[lines.count - 1].elementsEqual("-----END SSH SIGNATURE-----".utf8)
    else { return nil }
    return Base64.decode(Array(lines[1..<(lines.count - 1)].joined()))
  }
}

extension BundleProblem {
  /// Something that is wrong with the signature's file.
  static func signature(_ what: String) -> BundleProblem {
    BundleProblem(
      .signature, "the signature \(BundleSignature.path) \(what); 'extctl sign' makes a new one")
  }
}
