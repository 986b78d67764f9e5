internal import CCrypto

/// One running SHA-256, used again and again. Belongs to one thread at a time.
@safe final class SHA256 {
  private let context: OpaquePointer
  private var result = [UInt8](repeating: 0, count: BundleDigest.size)

  /// Looking an algorithm up takes longer than hashing a small bundle, so it is done once.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  init() {
    guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("OpenSSL has no memory") }
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  func start() {
    let started = unsafe EVP_DigestInit_ex2(context, Self.algorithm, nil)
    precondition(started == 1, "OpenSSL has no SHA-256")
  }

  func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  func update(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  func finish() -> BundleDigest {
    unsafe EVP_DigestFinal_ex(context, &result, nil)
    guard let digest = BundleDigest(bytes: result) else { preconditionFailure("SHA-256 has 32 bytes") }
    return digest
  }
}
