extension JSON {
  /// The text for people: a line for each member and element, indented by two spaces.
  public var prettyText: String {
    pretty(indentation: "")
  }

  private func pretty(indentation: String) -> String {
    let deeper = indentation + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      let lines = elements.map { deeper + $0.pretty(indentation: deeper) }
      return "[\n" + lines.joined(separator: ",\n") + "\n\(indentation)]"
    case .object(let object) where !object.isEmpty:
      let lines = object.members.map {
        "\(deeper)\(JSON.string($0.name).text): \($0.value.pretty(indentation: deeper))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    default:
      return text
    }
  }
}
