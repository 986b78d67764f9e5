/// Something that is given bytes of strangers, and must come through whatever they are.
///
/// A new one is a file beside this, with an extension that has it; its name in `all`; and `Corpora/<name>` with a few
/// inputs of which the rest are made.
struct FuzzTarget: Sendable {
  /// Also the name of its corpus.
  let name: String
  /// Reads the input, and checks what it says of it with `expect`.
  let run: @Sendable ([UInt8]) -> Void

  init(_ name: String, run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  static let all: [FuzzTarget] = [
    answers, bundles, entitlements, interfaces, json, launcher, messages, metainfo, policy, propertyLists,
    service,
    signatures, strings,
  ]
}

/// Ends the run, with the input as a fault, where something is not so.
func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
  if !condition { fatalError(message()) }
}

/// What must not fail for what was accepted before. `what` says what is done.
func must<Value>(_ what: String, _ body: () throws -> Value) -> Value {
  do { return try body() } catch { fatalError("\(what): \(error)") }
}
