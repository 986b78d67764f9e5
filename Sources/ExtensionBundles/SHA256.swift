internal import CCrypto

/// One running SHA-256, used again and again. Belongs to one thread at a time.
@safe final class SHA256 {
  /// Made by the first `start`: until then OpenSSL need not be there.
  private var context = unsafe OpaquePointer(bitPattern: 0)
  private var result = [UInt8](repeating: 0, count: BundleDigest.size)

  /// Looking an algorithm up takes longer than hashing a small bundle, so it is done once.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

  /// Loads OpenSSL where that was not done. nil, or why it cannot be used: then nothing can be hashed.
  static var fault: String? { unsafe ccrypto_fault().map { unsafe String(cString: $0) } }

  deinit {
    if let context = unsafe context { unsafe EVP_MD_CTX_free(context) }
  }

  func start() {
    if unsafe context == nil { unsafe context = EVP_MD_CTX_new() }
    precondition(unsafe context != nil, "OpenSSL has no memory")
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
