import ExtensionBundles

extension FuzzTarget {
  /// The file of a signature. A key that was read has a fingerprint of the usual form.
  static let signatures = FuzzTarget("signatures") { bytes in
    guard let signature = try? BundleSignature(bytes) else { return }
    expect(signature.text == bytes, "another text")
    let fingerprint = signature.key.fingerprint
    expect(fingerprint.hasPrefix("SHA256:") && fingerprint.utf8.count == 50, "the fingerprint \(fingerprint)")
  }
}
