import LinuxSystem
import Testing

@Suite struct InotifyTests {
  @Test func `Changes in a directory are told`() throws {
    let root = try TemporaryDirectory()
    let inotify = try Inotify()
    let directory = try root.open("")
    let watch = try inotify.watch(directory: directory.rawValue)
    #expect(try inotify.events().isEmpty)
    try root.write("x", to: "a")
    try root.rename("a", "b")
    let events = try inotify.events()
    #expect(events.allSatisfy { $0.watch == watch })
    #expect(events.contains { $0.name == "a" && $0.mask.contains(.closedAfterWriting) })
    let from = try #require(events.first { $0.mask.contains(.movedFrom) })
    let to = try #require(events.first { $0.mask.contains(.movedTo) })
    #expect(from.name == "a" && to.name == "b" && from.cookie == to.cookie && from.cookie != 0)
  }

  @Test func `The end of a watch is told, and a missing directory is an error`() throws {
    let root = try TemporaryDirectory()
    try root.makeDirectory("d")
    let inotify = try Inotify()
    _ = try inotify.watch(root.path("d"))
    root.remove("d")
    #expect(try inotify.events().contains { $0.mask.contains(.ignored) })
    #expect(throws: Errno.noEntry) { try inotify.watch(root.path("d")) }
  }
}
