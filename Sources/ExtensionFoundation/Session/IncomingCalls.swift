/// The calls of a peer, which are served one after the other. They are named by their number, from 1 on.
struct IncomingCalls {
  private var waiting: [(call: AppExtensionCall, isCancelled: Bool)] = []
  private var serving: (number: Int, task: Task<Void, Never>)?
  private var received = 0

  /// How many wait.
  var count: Int { waiting.count }

  mutating func add(_ make: (_ number: Int) -> AppExtensionCall) {
    received += 1
    waiting.append((make(received), false))
  }

  /// Has the next one served, unless one is.
  /// - Parameter begin: what serves a call; one that was cancelled while it waited is answered without being served.
  mutating func serveNext(_ begin: (_ call: AppExtensionCall, _ isCancelled: Bool) -> Task<Void, Never>) {
    guard serving == nil, !waiting.isEmpty else { return }
    let (call, isCancelled) = waiting.removeFirst()
    serving = (call.number, begin(call, isCancelled))
  }

  /// The one that was served has been answered.
  mutating func finish() { serving = nil }

  /// The peer does not want an answer any more. It gets one all the same, since answers are counted.
  mutating func cancel(_ number: Int) {
    if let serving, serving.number == number { return serving.task.cancel() }
    if let index = waiting.firstIndex(where: { $0.call.number == number }) {
      waiting[index].isCancelled = true
    }
  }

  /// Nobody waits any more.
  mutating func end() {
    waiting = []
    serving?.task.cancel()
  }
}
