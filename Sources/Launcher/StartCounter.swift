/// Counts the brokers in a row that were lost before they had run for a while.
struct StartCounter {
  private var generation: String?
  private var isSettled = false
  private(set) var unsettled = 0

  /// A broker greets. The same one may come again, after its connection was closed.
  mutating func greet(_ generation: String) {
    guard generation != self.generation else { return }
    if self.generation != nil, !isSettled { unsettled += 1 }
    self.generation = generation
    isSettled = false
  }

  mutating func settle() {
    isSettled = true
    unsettled = 0
  }
}
