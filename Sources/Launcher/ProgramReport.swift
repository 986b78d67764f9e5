/// What extension-init tells, line by line.
struct ProgramReport {
  private(set) var executed = false
  /// It is stopped before its first instruction.
  private(set) var stopped = false
  private(set) var failedStage: String?
  private(set) var errno: Int?
  private(set) var exitStatus: Int?
  private(set) var signal: Int?
  private(set) var coreDumped: Bool?

  mutating func read(_ line: String) {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().map { Int($0) }
    switch (words.first, words.count) {
    case ("executed", 1):
      executed = true
    case ("stopped", 1):
      stopped = true
    case ("failed", 3):
      failedStage = String(words[1])
      errno = numbers[1]
    case ("exit", 2):
      exitStatus = numbers[0]
    case ("signal", 3):
      signal = numbers[0]
      coreDumped = numbers[1] == 1
    default:
      break
    }
  }
}
