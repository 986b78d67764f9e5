/// The calls of a peer, which are served one after the other. They are named by their number, from 1 on.
struct IncomingCalls {
  /// What calls that wait keep.
  struct Load {
    var calls = 0
    var bytes = 0
    var descriptors = 0

    /// Whether it is as much as `most`, of one thing or another.
    func reaches(_ most: Load) -> Bool {
      calls >= most.calls || bytes >= most.bytes || descriptors >= most.descriptors
    }
  }

  private var waiting: [(call: AppExtensionCall, size: Int, descriptors: Int, isCancelled: Bool)] = []
  private var serving: (number: Int, task: Task<Void, Never>)?
  private var received = 0

  /// Of those that wait.
  private(set) var load = Load()

  /// - Parameter size: of its message, in bytes.
  mutating func add(size: Int, descriptors: Int, _ make: (_ number: Int) -> AppExtensionCall) {
    received += 1
    waiting.append((make(received), size, descriptors, false))
    load.calls += 1
    load.bytes += size
    load.descriptors += descriptors
  }

  /// Has the next one served, unless one is.
  /// - Parameter begin: what serves a call; one that was cancelled while it waited is answered without being served.
  mutating func serveNext(_ begin: (_ call: AppExtensionCall, _ isCancelled: Bool) -> Task<Void, Never>) {
    guard serving == nil, !waiting.isEmpty else { return }
    let (call, size, descriptors, isCancelled) = waiting.removeFirst()
    load.calls -= 1
    load.bytes -= size
    load.descriptors -= descriptors
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
    load = Load()
    serving?.task.cancel()
  }
}
