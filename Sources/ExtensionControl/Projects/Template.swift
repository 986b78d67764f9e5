/// A file of a new project, with places such as @NAME@ to fill in. They are files of `Templates`, inside the program.
struct Template {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The text with every place filled in. What is filled in is not looked at again.
  func text(_ values: [String: String]) -> String {
    var result = ""
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    while let at = rest.firstIndex(of: "@") {
      result += rest[..<at]
      rest = rest[rest.index(after: at)...]
      let end = rest.firstIndex(of: "@")
      if let end, let value = values[String(rest[..<end])] {
        result += value
        rest = rest[rest.index(after: end)...]
      } else {
        result += "@"
      }
    }
    return result + rest
  }
}
