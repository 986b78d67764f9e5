internal import LinuxSystem

extension BundleReading {
  /// Reads what lies in `_Signature`, at the bundle's top in either layout. Nothing covers it but the signature itself, so
  /// there may be that one file and nothing else.
  mutating func readSignature() {
    guard let folder = tree.entry(BundleTree.signature) else { return }
    guard folder.status.kind == .directory else {
      return note(
        .signature, "\(BundleTree.signature) is no directory; remove it, or 'extctl sign' the bundle")
    }
    let paths = tree.entries.map(\.path).filter { $0.hasPrefix(BundleTree.signature + "/") }
    if let path = paths.first(where: { $0 != BundleSignature.path }) {
      note(
        .signature,
        "“\(path)” is not covered by any digest, so only \(BundleSignature.name) may lie there; move it out")
    }
    guard let file = tree.entry(BundleSignature.path) else {
      return note(
        .signature, "\(BundleTree.signature) holds no signature; remove it, or 'extctl sign' the bundle")
    }
    guard file.status.kind == .regular else {
      return add([.signature("is no regular file")])
    }
    // What reads it is in the library that hashes.
    if let fault = SHA256.fault { return note(.unreadable, "its signature cannot be read: \(fault)") }
    do throws(Errno) {
      let text = try File.readBeneath(
        tree.directory.rawValue, BundleSignature.path, limit: BundleSignature.maximumSize)
      do throws(BundleProblem) { setSignature(try BundleSignature(text)) } catch { add([error]) }
    } catch .messageTooLong {
      add([.signature("is larger than \(BundleSignature.maximumSize >> 10) KiB")])
    } catch {
      add([.signature("cannot be read: \(error)")])
    }
  }
}
