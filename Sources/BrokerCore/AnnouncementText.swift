/// A notification's words: org.freedesktop.Notifications. The title is ours; what bundles say of themselves is in the body,
/// beside their identifiers.
public struct AnnouncementText: Hashable, Sendable {
  public var title: String
  public var body: String

  /// The scalars of a name that are shown.
  static let nameLimit = 60
  /// The names in a summary.
  static let namesInSummary = 3

  /// `further`: so many others wait as well. `markup`: the server reads the body as markup. `namesCommand`: nothing can be
  /// clicked, so the command is named.
  public init(_ announcements: [Announcement], further: Int = 0, markup: Bool, namesCommand: Bool) {
    func shown(_ text: String) -> String { markup ? Self.escaped(text) : text }
    let command: String
    let text: String
    if announcements.count == 1, further == 0, let only = announcements.first {
      title =
        switch (only.host == nil, only.isChanged) {
        case (true, false): "The extensions of a host wait for approval"
        case (true, true): "A host changed, and waits for approval again"
        case (false, false): "An extension waits for approval"
        case (false, true): "An extension changed, and waits for approval again"
        }
      let host = only.host.map { ", for \(Self.clean($0))" } ?? ""
      text = "\(Self.named(only))\(host). It is not used before you approve it."
      command = "extctl browse \(only.content.identifier)"
    } else {
      let count = announcements.count + further
      title = "\(count) extensions wait for approval"
      let names = announcements.prefix(Self.namesInSummary).map(Self.named).joined(separator: ", ")
      let more = count - Self.namesInSummary
      text = "\(names)\(more > 0 ? ", and \(more) more" : ""). None is used before you approve it."
      command = "extctl browse"
    }
    body = shown(text + (namesCommand ? "\nTo look at it: \(command)" : ""))
  }

  private static func named(_ announcement: Announcement) -> String {
    let (name, identifier) = (clean(announcement.name), announcement.content.identifier)
    return name.isEmpty || name == identifier ? identifier : "\(name) (\(identifier))"
  }

  /// One line without anything that controls how it is shown, and not too long.
  static func clean(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isBlank = false
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace {
        isBlank = !result.isEmpty
        continue
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
        continue
      default: break
      }
      if result.count >= nameLimit { return String(result) + "…" }
      if isBlank { result.append(" ") }
      isBlank = false
      result.append(scalar)
    }
    return String(result)
  }

  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&apos;"
      default: result.append(character)
      }
    }
  }
}
