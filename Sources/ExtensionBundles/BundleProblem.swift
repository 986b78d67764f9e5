/// One failed check of a bundle.
public struct BundleProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was checked. The raw values are for programs, and stay.
  public enum Check: String, Hashable, Sendable, CaseIterable {
    // Info.plist and its keys
    case infoMissing, infoUnreadable, infoEmpty, infoTooLarge, infoTooDeep, infoTruncated, infoMalformed
    case infoNotDictionary, infoTwice, keyType
    case identifierMissing, identifierMalformed, identifierDuplicate
    case pointMissing, pointConflict, pointMalformed
    case optionUnknown, optionValue
    // The program
    case executableMissing, executablePath, executableNotFile, executableMode, executableFormat
    // Other files with a meaning
    case entitlements, strings, icon, metainfo, pointFile, pointValue, pointForeign, pointDuplicate,
      pointInterface, signature
    // All files
    case symbolicLink, writableByOthers, foreignOwner, specialFile, fileName, unreadable, mountPoint
    case tooManyFiles, tooLarge, tooDeep
    // Near misses
    case wrongSuffix, wrongFolder, notDirectory, noExtensionKeys
  }

  public let check: Check
  /// What is wrong, and how to mend it; one line.
  public let message: String

  public init(_ check: Check, _ message: String) {
    self.check = check
    self.message = Self.oneLine(message)
  }

  /// Names and values in a message are the bundle's and may hold anything: lines that look like other messages, or a
  /// megabyte in each answer of the broker.
  private static func oneLine(_ message: String) -> String {
    let (head, tail) = (700, 200)
    var text = message
    if text.unicodeScalars.count > head + tail {
      let scalars = text.unicodeScalars
      text = String(scalars.prefix(head)) + "…" + String(scalars.suffix(tail))
    }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  public var description: String { "\(check.rawValue): \(message)" }
}
