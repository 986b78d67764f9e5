internal import LinuxSystem

/// Who asked for all roots, and which of those are not read yet. Nobody waits for longer than the patience: a root may lie
/// on a file system that does not answer.
final class ScanRounds {
  private struct Round {
    let number: Int
    /// The broker's number of it.
    let serial: Int
    var remaining: Set<String>
    let timer: EventLoop.Timer
  }

  private let loop: EventLoop
  private let patience: Duration
  /// A round is over: its serial, and what was not read.
  private let onEnd: (Int, Set<String>) -> Void
  /// Counts rounds. Whoever begins to read a root remembers it, since only rounds up to this one count on that.
  private(set) var number = 0
  private var rounds: [Round] = []

  init(loop: EventLoop, patience: Duration, onEnd: @escaping (Int, Set<String>) -> Void) {
    self.loop = loop
    self.patience = patience
    self.onEnd = onEnd
  }

  func begin(_ serial: Int, roots: [String]) {
    number += 1
    let number = number
    let timer = loop.schedule(after: patience) { [unowned self] in self.end { $0.number == number } }
    rounds.append(Round(number: number, serial: serial, remaining: Set(roots), timer: timer))
    end { $0.remaining.isEmpty }
  }

  /// A root was read, and what was found was told.
  func wasRead(_ root: String, since begun: Int) {
    for index in rounds.indices where rounds[index].number <= begun { rounds[index].remaining.remove(root) }
    end { $0.remaining.isEmpty }
  }

  private func end(_ isOver: (Round) -> Bool) {
    let over = rounds.filter(isOver)
    rounds.removeAll(where: isOver)
    for round in over {
      round.timer.cancel()
      onEnd(round.serial, round.remaining)
    }
  }
}
