internal import ExtensionBundles
internal import LinuxSystem

/// A root that is being read, a part after the other: the broker takes in what is in one while the worker reads the next,
/// and neither keeps others waiting for long.
final class RootReading {
  /// Entries of one part.
  private static let part = 256
  /// The worker has the next one when it has read one.
  private static let partsAtOnce = 2

  private let path: String
  private let index: Int
  private let root: BundleScanner.Root?
  private var names: ArraySlice<String>
  private let gone: [BundleReader.Entry]
  private let worker: Worker
  private let reader: BundleReader
  private let onPart: ([(BundleReader.Entry, BundleReader.Result)]) -> Void
  private let onEnd: ([BundleReader.Entry]) -> Void

  /// `gone`: what was there before, and was not when the root was listed. `onEnd`: these of them are gone.
  init(
    _ listing: BundleReader.Listing, _ path: String, index: Int, gone: [BundleReader.Entry], worker: Worker,
    reader: BundleReader, onPart: @escaping ([(BundleReader.Entry, BundleReader.Result)]) -> Void,
    onEnd: @escaping ([BundleReader.Entry]) -> Void
  ) {
    (root, names) = (listing.root, listing.names[...])
    (self.path, self.index, self.gone, self.worker, self.reader) = (path, index, gone, worker, reader)
    (self.onPart, self.onEnd) = (onPart, onEnd)
  }

  func begin() {
    for _ in 0..<Self.partsAtOnce { readNext() }
    if names.isEmpty { finish() }
  }

  private func readNext() {
    guard let root, !names.isEmpty else { return }
    let part = names.prefix(Self.part)
    names = names.dropFirst(part.count)
    let (reader, path, index) = (reader, path, index)
    worker.perform {
      reader.read(part, of: path, in: root, rootIndex: index)
    } completion: { results in
      self.onPart(results)
      // The end was asked for with the last part.
      if self.names.isEmpty { return }
      self.readNext()
      if self.names.isEmpty { self.finish() }
    }
  }

  private func finish() {
    let (reader, gone, isListed) = (reader, gone, root != nil)
    worker.perform {
      reader.finish(gone: gone, isListed: isListed)
    } completion: {
      self.onEnd($0)
    }
  }
}
