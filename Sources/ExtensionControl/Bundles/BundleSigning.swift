internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

/// A valid bundle that is to be signed.
struct BundleSigning {
  let path: String
  let statement: BundleStatement

  /// Looks at the bundle; throws every fault that it has beside its signature.
  init(path: String) throws(ControlError) {
    self.path = path
    let records: [BundleRecord]
    do throws(Errno) {
      records = try BundleScanner(systemVersion: ExtensionControl.version).read(path: path)
    } catch .noEntry {
      throw ControlError(.failed, "there is no \(path)")
    } catch {
      throw ControlError(.failed, "\(path) cannot be looked at: \(error)")
    }
    guard let record = records.first(where: { $0.path == path }), record.kind != .pointFile else {
      throw ControlError(.usage, "\(path) is no bundle; name an .appex or .app directory")
    }
    var faults: [String] = []
    for found in records {
      // Its own signature is about to be replaced; one inside of it is not.
      let problems = found.problems.filter { found.path != path || $0.check != .signature }
      faults += problems.map { "  \(found.path): \($0)" }
    }
    guard faults.isEmpty else {
      throw ControlError(
        .failed, "\(path) is not signed, since it is invalid:\n" + faults.joined(separator: "\n"))
    }
    do {
      guard let statement = BundleStatement(of: record, digest: try BundleLook.digest(of: record)) else {
        throw ControlError(.failed, "\(path) has no identifier")
      }
      self.statement = statement
    } catch let error as ControlError {
      throw error
    } catch {
      throw ControlError(.failed, "\(path) is not signed, since it cannot be read: \(error)")
    }
  }

  /// Signs it, and puts the signature into it. Returns the key.
  func sign(with key: SigningKey) throws(ControlError) -> PublisherKey {
    let text = try key.sign(statement)
    let signature: BundleSignature
    do throws(BundleProblem) { signature = try BundleSignature(text) } catch {
      throw ControlError(
        .failed, "\(path) is not signed, since the key in \(key.path) will not do: \(error.message)")
    }
    let folder = Path.split(BundleSignature.path).directory
    // Beside the bundle, where a broken-off attempt changes nothing in it.
    try BundleCopy.put(path + "/" + folder, stagedBeside: path) { staging throws(ControlError) in
      try BundleCopy.write(
        String(decoding: text, as: UTF8.self), to: staging + "/" + Path.split(BundleSignature.path).name)
    }
    guard let row = try BundleLook.rows(at: path).first(where: { $0.path == path }) else {
      throw ControlError(.failed, "\(path) is gone")
    }
    guard row.publisher == signature.key.fingerprint else {
      throw ControlError(.failed, "\(path) is signed, but the signature is not good: \(row.explanation)")
    }
    return signature.key
  }
}
