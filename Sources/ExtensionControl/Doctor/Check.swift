internal import Varlink

/// One thing that was looked at.
struct Check: Sendable {
  enum Result: String { case ok, warn, fail }

  let name: String
  let result: Result
  /// What was seen.
  let evidence: String
  /// What to do, unless all is well.
  let mend: String?

  init(_ name: String, _ result: Result, _ evidence: String, mend: String? = nil) {
    self.name = name
    self.result = result
    self.evidence = evidence
    self.mend = result == .ok ? nil : mend
  }

  var json: JSONObject {
    var json: JSONObject = [
      "name": .string(name), "result": .string(result.rawValue), "evidence": .string(evidence),
    ]
    json["mend"] = mend.map(JSON.string)
    return json
  }

  var text: String {
    let mark = result == .fail ? Terminal.bold("FAIL") : result.rawValue.padding(to: 4)
    return "\(mark)  \(name.padding(to: 18)) \(Terminal.visible(evidence))"
      + (mend.map { "\n      -> \(Terminal.visible($0))" } ?? "")
  }
}
