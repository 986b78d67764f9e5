internal import CLinux
internal import Synchronization

/// The options of a command line, as getopt_long(3) reads them: in any place, `--name value` and `--name=value`, `-abc`,
/// names as short as they stay clear, and `--` before words that only look like options.
package enum OptionReader {
  package struct Option: Sendable {
    package let name: String
    package let letter: Character?
    package let takesValue: Bool

    package init(name: String, letter: Character? = nil, takesValue: Bool = false) {
      self.name = name
      self.letter = letter
      self.takesValue = takesValue
    }
  }

  package struct Result: Hashable, Sendable {
    /// By name; the last one where it was given several times. A switch has an empty value.
    package var values: [String: String] = [:]
    /// By name, each as often as it was given, in order.
    package var lists: [String: [String]] = [:]
    package var arguments: [String] = []
  }

  /// What is wrong, with the word as it was written.
  package enum Failure: Error, Hashable, Sendable {
    case unknown(String)
    case valueMissing(String)
    case unexpectedValue(String)
  }

  package static func read(_ words: [String], _ options: [Option]) throws(Failure) -> Result {
    try gate.withLock { _ throws(Failure) in try readAlone(words, options) }
  }

  /// getopt_long keeps its place in globals, so one command line is read at a time.
  private static let gate = Mutex(())

  private static func readAlone(_ words: [String], _ options: [Option]) throws(Failure) -> Result {
    let strings = unsafe words.map { unsafe strdup($0) }
    let names = unsafe options.map { unsafe strdup($0.name) }
    defer { for index in unsafe (strings + names).indices { unsafe free((strings + names)[index]) } }
    // Element 0 would be the program's name.
    var argv = unsafe [nil] + strings + [nil]
    var table = unsafe options.indices.map { index in
      unsafe option(
        name: UnsafePointer(names[index]), has_arg: options[index].takesValue ? 1 : 0, flag: nil,
        val: first + CInt(index))
    }
    unsafe table.append(option())
    // A colon at the start tells a missing value from an unknown option.
    let letters = options.reduce(":") {
      $0 + ($1.letter.map { String($0) } ?? "") + ($1.letter != nil && $1.takesValue ? ":" : "")
    }

    var result = Result()
    var next: CInt = 0
    while true {
      var value: UnsafePointer<CChar>?
      var bad: CInt = 0
      let found = unsafe clinux_getopt(CInt(words.count + 1), &argv, letters, &table, &next, &value, &bad)
      if found == -1 { break }
      if found == question || found == colon {
        let word = (1..<first).contains(bad) ? "-" + letter(bad) : unsafe text(argv[Int(next) - 1])
        if found == colon { throw .valueMissing(word) }
        throw bad >= first ? .unexpectedValue(word) : .unknown(word)
      }
      let index =
        found >= first
        ? Int(found - first) : options.firstIndex { $0.letter.map(String.init) == letter(found) }
      if let index {
        let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
        result.values[options[index].name] = text
        result.lists[options[index].name, default: []].append(text)
      }
    }
    result.arguments = unsafe argv[Int(next)...].compactMap { unsafe $0.map { unsafe String(cString: $0) } }
    return result
  }

  /// Above every letter, so that a long option cannot be taken for one.
  private static let first: CInt = 256
  private static let question = CInt(UInt8(ascii: "?"))
  private static let colon = CInt(UInt8(ascii: ":"))

  private static func letter(_ number: CInt) -> String {
    String(UnicodeScalar(UInt8(truncatingIfNeeded: number)))
  }

  private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
    unsafe pointer.map { unsafe String(cString: $0) } ?? ""
  }
}
