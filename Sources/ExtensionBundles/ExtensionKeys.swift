internal import ExtensionInterfaces

/// The two dictionaries of Info.plist that can make a bundle an extension.
struct ExtensionKeys {
  var point: String?
  var principalClass: String?
  var attributes: [String: PropertyList] = [:]
  private(set) var problems: [BundleProblem] = []

  /// The most bytes of one text: a predicate that an activation rule is may be long.
  private static let maximumText = 4096

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
        principalClass = inner.string("NSExtensionPrincipalClass", maximum: Self.maximumText)
        if let given = inner.dictionary("NSExtensionAttributes") { attributes = given }
      } else {
        principalClass = inner.string("EXPrincipalClass", maximum: Self.maximumText)
        attributes = dictionary.filter { $0.key != pointKey && $0.key != "EXPrincipalClass" }
      }
      for key in attributes.keys.sorted()
      where PropertyList.dictionary([key: attributes[key] ?? .boolean(false)]).hasText(over: Self.maximumText)
      {
        inner.note(
          .optionValue,
          "the attribute \(key) of \(inner.place) holds a text of more than \(Self.maximumText) bytes; make it shorter"
        )
        attributes[key] = nil
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

extension PropertyList {
  /// Whether a string or a key somewhere in it has more than `maximum` bytes.
  fileprivate func hasText(over maximum: Int) -> Bool {
    switch self {
    case .string(let text): text.utf8.count > maximum
    case .array(let values): values.contains { $0.hasText(over: maximum) }
    case .dictionary(let values):
      values.contains { $0.key.utf8.count > maximum || $0.value.hasText(over: maximum) }
    default: false
    }
  }
}
