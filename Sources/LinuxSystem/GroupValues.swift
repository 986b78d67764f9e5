/// The lines of a file such as memory.events: a name and a number.
package struct GroupValues {
  private let values: [Substring: Int]

  package init(_ text: String) {
    var values: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { values[words[0]] = Int(words[1]) }
    }
    self.values = values
  }

  package subscript(name: Substring) -> Int? { values[name] }
}
