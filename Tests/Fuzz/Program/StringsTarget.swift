import ExtensionBundles

extension FuzzTarget {
  /// A strings file.
  static let strings = FuzzTarget("strings") { bytes in
    do throws(StringsFile.Failure) {
      _ = try StringsFile.read(bytes)
    } catch {
      expect(!error.description.isEmpty, "it says nothing")
    }
  }
}
