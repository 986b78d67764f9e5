internal import ExtensionInterfaces
internal import LinuxSystem

/// Typed reads from a dictionary; notes each value that has another type or another meaning.
struct KeyReader {
  let values: [String: PropertyList]
  /// Where the dictionary stands, for messages.
  let place: String
  private(set) var problems: [BundleProblem] = []

  init(_ values: [String: PropertyList], place: String) {
    self.values = values
    self.place = place
  }

  mutating func note(_ check: BundleProblem.Check, _ message: String) {
    problems.append(BundleProblem(check, message))
  }

  /// What was found in a dictionary inside of this one.
  mutating func take(_ problems: [BundleProblem]) { self.problems += problems }

  mutating func string(_ key: String) -> String? { read(key, "a string", \.string) }
  mutating func boolean(_ key: String) -> Bool? { read(key, "a boolean", \.boolean) }
  mutating func number(_ key: String) -> Double? { read(key, "a number", \.number) }
  mutating func array(_ key: String) -> [PropertyList]? { read(key, "an array", \.array) }
  mutating func dictionary(_ key: String) -> [String: PropertyList]? {
    read(key, "a dictionary", \.dictionary)
  }

  /// A string of at most `maximum` bytes.
  mutating func string(_ key: String, maximum: Int) -> String? {
    guard let text = string(key) else { return nil }
    if text.utf8.count <= maximum { return text }
    note(.optionValue, "\(key) in \(place) is longer than \(maximum) bytes; make it shorter")
    return nil
  }

  /// Notes each key that has no meaning here: most are slips.
  mutating func expect(only keys: [String]) {
    for key in values.keys.sorted() where !keys.contains(key) {
      note(.optionUnknown, "“\(key)” means nothing in \(place); the keys are \(keys.joined(separator: ", "))")
    }
  }

  /// One of a few words.
  mutating func choice<Choice>(_ key: String) -> Choice?
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let word = string(key) else { return nil }
    if let choice = Choice(rawValue: word) { return choice }
    let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    note(.optionValue, "\(key) in \(place) is “\(word)”; it must be one of \(words)")
    return nil
  }

  /// The most bytes of a version, also of one in any form.
  static let maximumVersion = 64

  /// Numbers with dots.
  mutating func version(_ key: String) -> String? {
    guard let text = string(key, maximum: Self.maximumVersion) else { return nil }
    if BundleVersion.isValid(text) { return text }
    note(.optionValue, "\(key) in \(place) is “\(text)”; write numbers with dots, such as 1.2")
    return nil
  }

  private mutating func read<Value>(
    _ key: String, _ kind: String, _ value: (PropertyList) -> Value?
  ) -> Value? {
    guard let found = values[key] else { return nil }
    if let value = value(found) { return value }
    note(.keyType, "\(key) in \(place) is \(found.kindName); it must be \(kind)")
    return nil
  }

  /// The dictionary in a property list file; one whose name ends with `.json` is JSON. `read`: gives its content.
  static func file(
    named name: String, read: (_ limit: Int) throws(Errno) -> [UInt8],
    check: (PropertyListError?) -> BundleProblem.Check
  ) throws(BundleProblem) -> [String: PropertyList] {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try read(PropertyList.maximumSize)
    } catch .messageTooLong {
      throw BundleProblem(check(.tooLarge), "\(name) \(PropertyListError.tooLarge)")
    } catch .loop {
      throw BundleProblem(check(nil), "\(name) is a symbolic link; put the file itself there")
    } catch {
      throw BundleProblem(check(nil), "\(name) cannot be read: \(error)")
    }
    do throws(PropertyListError) {
      return try PropertyList.dictionary(from: bytes, isJSON: name.hasSuffix(".json"))
    } catch {
      throw BundleProblem(check(error), "\(name) \(error)")
    }
  }
}
