/// What became of a bundle's signature.
public enum SignatureCheck: Hashable, Sendable {
  case unsigned
  case signed(PublisherKey)
  case bad(BundleProblem)
  /// It cannot be verified here. Says why, and what to do.
  case unverified(String)
}

/// What was found out about signatures once, and does not change.
public protocol SignatureCache: AnyObject {
  /// Whether a signature is good; nil where that is not known.
  func verdict(of key: BundleDigest) -> Bool?
  func keep(_ isGood: Bool, of key: BundleDigest)
}

extension SignatureVerifier {
  /// Verifies what lies in a bundle, or takes what is known of exactly this signature for exactly this statement.
  public func check(
    _ record: BundleRecord, digest: BundleDigest, cache: (any SignatureCache)? = nil
  ) -> SignatureCheck {
    guard let signature = record.signature,
      let statement = BundleStatement(of: record, digest: digest)
    else { return .unsigned }
    let key = Self.key(signature, statement)
    let isGood: Bool
    if let known = cache?.verdict(of: key) {
      isGood = known
    } else {
      switch verify(signature, of: statement) {
      case .good: isGood = true
      case .bad: isGood = false
      case .unknown(let why): return .unverified("its signature cannot be verified: \(why)")
      }
      cache?.keep(isGood, of: key)
    }
    return isGood
      ? .signed(signature.key)
      : .bad(.signature("by \(signature.key) is not for this content: something was changed since"))
  }

  /// What the verdict depends on: the statement with the digest, and the signature with its key.
  private static func key(_ signature: BundleSignature, _ statement: BundleStatement) -> BundleDigest {
    let hash = SHA256()
    hash.start()
    let text = Array(statement.text.utf8)
    hash.update(bigEndian(UInt32(text.count)) + text + signature.text)
    return hash.finish()
  }
}
