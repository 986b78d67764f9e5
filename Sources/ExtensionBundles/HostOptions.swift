internal import ExtensionInterfaces

/// The dictionary `Extensiond` of an application's Info.plist.
struct HostOptions {
  /// Absolute paths of the host's programs that lie outside of its bundle.
  private(set) var programs: [String] = []

  static let maximumPrograms = 16

  init(_ reader: inout KeyReader) {
    reader.expect(only: ["Programs"] + BundleDetails.keys)
    guard let list = reader.array("Programs") else { return }
    let texts = list.compactMap(\.string)
    if texts.count != list.count {
      reader.note(.keyType, "Programs in \(reader.place) must be an array of strings")
    }
    if list.count > Self.maximumPrograms {
      reader.note(.optionValue, "Programs in \(reader.place) may name at most \(Self.maximumPrograms)")
    }
    for text in texts {
      if Self.isWhole(text) {
        programs.append(text)
      } else {
        reader.note(
          .optionValue,
          "“\(text)” of Programs in \(reader.place) is no whole path; write one from /, without . and .., such as /usr/bin/editor"
        )
      }
    }
  }

  /// Whether it is written as the kernel would show it.
  private static func isWhole(_ path: String) -> Bool {
    guard path.hasPrefix("/"), path.utf8.count < 4096, !path.utf8.contains(0) else { return false }
    return path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && $0 != "." && $0 != ".."
    }
  }
}
