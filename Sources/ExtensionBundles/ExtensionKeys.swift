internal import ExtensionInterfaces

/// The two dictionaries of Info.plist that can make a bundle an extension.
struct ExtensionKeys {
  var point: String?
  var principalClass: String?
  var attributes: [String: PropertyList] = [:]
  private(set) var problems: [BundleProblem] = []

  private static let modern = "EXAppExtensionAttributes"
  private static let classic = "NSExtension"

  static func areIn(_ info: [String: PropertyList]) -> Bool { info[modern] != nil || info[classic] != nil }

  /// Notes in `reader` which of the two are no dictionaries.
  init(_ reader: inout KeyReader) {
    var points: [String] = []
    for (key, pointKey) in [
      (Self.modern, "EXExtensionPointIdentifier"), (Self.classic, "NSExtensionPointIdentifier"),
    ] {
      guard let dictionary = reader.dictionary(key) else { continue }
      var inner = KeyReader(dictionary, place: "\(key) in \(reader.place)")
      if let point = inner.string(pointKey) { points.append(point) }
      if key == Self.classic {
        principalClass = inner.string("NSExtensionPrincipalClass")
        if let given = inner.dictionary("NSExtensionAttributes") { attributes = given }
      } else {
        principalClass = inner.string("EXPrincipalClass")
        attributes = dictionary.filter { $0.key != pointKey && $0.key != "EXPrincipalClass" }
      }
      problems += inner.problems
      if dictionary[pointKey] == nil {
        problems.append(
          BundleProblem(.pointMissing, "\(pointKey) is missing from \(inner.place); name the extension point")
        )
      }
    }
    if points.count == 2, points[0] != points[1] {
      problems.append(
        BundleProblem(
          .pointConflict,
          "\(reader.place) names two extension points, \(points[0]) and \(points[1]); an extension is bound to one"
        ))
    }
    guard let first = points.first else { return }
    if BundleIdentifier.isValid(first) {
      point = first
    } else {
      problems.append(
        BundleProblem(
          .pointMalformed, "the extension point “\(first)” is malformed; write \(BundleIdentifier.form)"))
    }
  }
}
