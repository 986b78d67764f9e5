/// What a publisher signs: text that says which bundle this is. It is not kept in the bundle; whoever verifies makes it
/// from the bundle that lies there, so that there are no two versions of it to compare.
///
/// Lines of `name: value`, after a first one with the version of this format. Control characters and backslashes of a
/// value are written as `\u{…}`. What the bundle does not have gives no line.
public struct BundleStatement: Hashable, Sendable {
  public let text: String

  /// nil for a bundle without an identifier.
  public init?(of record: BundleRecord, digest: BundleDigest) {
    guard let identifier = record.identifier else { return nil }
    let fields: [(String, String?)] =
      [
        // The suffix is no part of the digest.
        ("kind", record.kind.rawValue), ("identifier", identifier), ("version", record.shortVersion),
        ("build", record.version), ("point", record.extensionPoint),
      ] + record.entitlements.map { ("entitlement", $0) } + [("digest", digest.description)]
    text = fields.reduce(into: "extensiond-bundle 1\n") { text, field in
      if let value = field.1 { text += "\(field.0): \(Self.escaped(value))\n" }
    }
  }

  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        if scalar == "\\" { result += "\\u{5c}" } else { result.unicodeScalars.append(scalar) }
      }
    }
  }
}
