extension Dictionary {
  /// Changes a value where it lies; nil where there is none.
  ///
  /// `self[key]?.field = …` takes the whole value out and puts it back, and `self[key]?.field` copies it: of a large one,
  /// that is more work than whatever is done with it.
  @discardableResult
  mutating func update<Result>(_ key: Key, _ change: (inout Value) -> Result) -> Result? {
    guard let index = index(forKey: key) else { return nil }
    return change(&values[index])
  }
}
