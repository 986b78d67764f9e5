internal import CLinux

/// What a process and all that came of it use, as /proc tells it: proc_pid_stat(5), proc_pid_statm(5).
package struct ProcessUsage {
  /// Bytes that each has for itself: not those of files, nor those that it shares.
  package private(set) var memory = 0
  /// Microseconds, with those of children that have ended and were waited for.
  package private(set) var cpuTime = 0
  /// Of what `extension-init` has started.
  package private(set) var threads = 0
  /// The first of these.
  package private(set) var program: Int32?
  package let isSandboxed: Bool

  /// nil where there is no such process. `limit`: how many may be looked at.
  package init?(below processID: Int32, limit: Int) {
    guard let first = Statistics(of: processID) else { return nil }
    // bwrap and extension-init inside; without a sandbox extension-init alone.
    isSandboxed = first.name != "extension-init"
    var waiting = [(id: processID, own: isSandboxed ? 2 : 1)]
    var left = limit
    while let next = waiting.popLast(), left > 0 {
      left -= 1
      guard let process = Statistics(of: next.id) else { continue }
      memory += process.memory
      cpuTime += process.cpuTime
      if next.own == 0 {
        threads += process.threads
        program = program ?? next.id
      }
      // The oldest last, since it comes first then.
      waiting += Descendants.children(of: next.id, isSingle: process.threads == 1).reversed().map {
        ($0, max(0, next.own - 1))
      }
    }
  }

  private struct Statistics {
    let name: Substring
    let cpuTime: Int
    let threads: Int
    var memory = 0

    init?(of processID: Int32) {
      guard let process = ProcessStatistics(of: processID) else { return nil }
      name = process.name
      let ticks = (14...17).reduce(0) { $0 + (process[$1] ?? 0) }
      cpuTime = ticks * (1_000_000 / max(1, sysconf(Int32(_SC_CLK_TCK))))
      threads = process[20] ?? 0
      guard let pages = try? File.read("/proc/\(processID)/statm", limit: 256) else { return }
      let counts = String(decoding: pages, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
      if counts.count > 2 { memory = max(0, counts[1] - counts[2]) * sysconf(Int32(_SC_PAGESIZE)) }
    }
  }
}
