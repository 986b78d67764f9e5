/// The paths that were found in an entry of a root. Nearly always that is the entry's own and no other, which takes no
/// memory here: there are tens of thousands.
struct FoundPaths {
  /// Empty for the entry's own.
  private let more: [String]

  /// nil where nothing was found.
  init?(_ paths: [String], in entry: BundleReader.Entry) {
    guard let first = paths.first else { return nil }
    // Whatever is found in an entry begins with its path.
    let length = entry.root.utf8.count + 1 + entry.name.utf8.count
    more = paths.count == 1 && first.utf8.count == length ? [] : paths
  }

  var count: Int { max(1, more.count) }

  func paths(in entry: BundleReader.Entry) -> [String] { more.isEmpty ? [entry.path] : more }

  static func == (left: Self, right: Self?) -> Bool { left.more == right?.more }
}
