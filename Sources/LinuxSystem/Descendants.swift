internal import CLinux

/// The processes that this one has started, and those that they have left behind.
package enum Descendants {
  /// From now on a process whose parent has ended becomes a child of this one: PR_SET_CHILD_SUBREAPER.
  package static func adopt() { clinux_adopt_descendants() }

  /// The children that live or were not waited for, the adopted ones too: proc_pid_task_children(5).
  package static var children: [Int32] { children(of: CurrentProcess.processID) }

  /// Those of another process. `isSingle`: it has one thread, so that nobody has to look for others.
  package static func children(of process: Int32, isSingle: Bool = false) -> [Int32] {
    let tasks = "/proc/\(process)/task"
    var threads = ["\(process)"]
    if !isSingle, let directory = try? File.open(tasks, .directory),
      let entries = try? DirectoryReader.entries(of: directory.rawValue)
    {
      threads = entries.map(\.name)
    }
    return threads.flatMap { thread -> [Int32] in
      let text = (try? File.read("\(tasks)/\(thread)/children", limit: 1 << 20)) ?? []
      return String(decoding: text, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// Takes the ends of adopted children. `own`: those whose end somebody here waits for.
  package static func reapAdopted(own: Set<Int32>) {
    for child in children where !own.contains(child) { waitpid(child, nil, WNOHANG) }
  }

  /// Ends all: SIGTERM, and after a while SIGKILL. Returns when there is none any more. Nobody here may wait for one.
  package static func endAll(patience: Duration) {
    for child in children { kill(child, SIGTERM) }
    let deadline = MonotonicTime.now + patience
    while true {
      var ended: Int32
      repeat { ended = waitpid(-1, nil, WNOHANG) } while ended > 0
      if ended < 0 { return }
      // Each brings those that it has left.
      if MonotonicTime.now > deadline { for child in children { kill(child, SIGKILL) } }
      CurrentProcess.pause(milliseconds: 5)
    }
  }
}
