internal import LinuxSystem

/// What somebody meant by a name at which no root looks, or not as they think.
struct MeantName {
  /// The suffix that it should have; nil where it cannot be told.
  let suffix: String?
  /// What is wrong, and how to mend it.
  let message: String

  /// `keys`: those of the directory's Info.plist or Info.json.
  init(_ name: String, kind: FileStatus.Kind, keys: () -> [String: PropertyList]?) {
    let stripped = Self.strip(name)
    let (stem, found) = BundleScanner.split(stripped)
    if [".appex", ".app", PointDefinition.suffix].contains(found) {
      suffix = found
      message = "\(name) is taken for an unfinished copy and never looked at; rename it to \(stripped)"
      return
    }
    suffix = kind == .directory ? Self.ofDirectory(found.lowercased(), keys) : Self.ofFile(found.lowercased())
    message =
      suffix.map { "\(name) has not the suffix that roots are searched for; rename it to \(stem)\($0)" }
        ?? """
        \(name) is nothing that roots are searched for; an extension's directory ends with .appex, a host's with .app, \
        a file of extension points with \(PointDefinition.suffix)
        """
  }

  /// The name without what makes it an unfinished copy.
  private static func strip(_ name: String) -> String {
    var name = String(name.drop { $0 == "." })
    while let suffix = [".tmp", ".part"].first(where: name.hasSuffix) { name.removeLast(suffix.count) }
    return name
  }

  private static func ofDirectory(_ suffix: String, _ keys: () -> [String: PropertyList]?) -> String? {
    let keys = keys()
    if keys.map(ExtensionKeys.areIn) == true { return ".appex" }
    // Such as .appx, .apex, .appext; and .apps.
    if suffix.hasPrefix(".ap") { return suffix.contains("x") ? ".appex" : ".app" }
    return keys?["CFBundleIdentifier"] == nil ? nil : ".app"
  }

  private static func ofFile(_ suffix: String) -> String? {
    suffix.hasPrefix(".appext") || suffix.hasSuffix("point") || suffix.hasSuffix("points")
      ? PointDefinition.suffix : nil
  }
}
