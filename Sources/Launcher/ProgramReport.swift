/// What extension-init tells, line by line.
struct ProgramReport {
  private(set) var executed = false
  /// It is stopped before its first instruction.
  private(set) var stopped = false
  /// The kernel's ABI of Landlock that holds; 0: it has none. nil: it was not asked for.
  private(set) var landlock: Int?
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
    case ("landlock", 2):
      landlock = numbers[0]
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
