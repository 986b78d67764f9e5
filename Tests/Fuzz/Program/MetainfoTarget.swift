@testable import ExtensionBundles

extension FuzzTarget {
  /// An AppStream component.
  static let metainfo = FuzzTarget("metainfo") { bytes in
    guard let metainfo = try? Metainfo(bytes) else { return }
    metainfo.details.check { key, what in expect(!key.isEmpty && !what.isEmpty, "it says nothing") }
  }
}
