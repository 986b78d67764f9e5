import CLinux
import LinuxSystem
import Testing

// The user that the kernel takes one thread for where files are concerned: setfsuid(2).
@_silgen_name("setfsuid") @discardableResult private func setfsuid(_ user: UInt32) -> CInt
@_silgen_name("setfsgid") @discardableResult private func setfsgid(_ group: UInt32) -> CInt

/// What a hostile program may leave in its container, and what removes it.
@Suite struct TreeRemovalTests {
  @Test func `Names of any bytes are removed`() throws {
    let root = try TemporaryDirectory()
    try root.makeDirectory("tree/inner")
    try root.writeUnreadableName(in: "tree/inner")
    let name: [CChar] = [0x61, -1, 0x62, 0]
    let directory = try root.open("tree")
    #expect(unsafe mkdirat(directory.rawValue, name, 0o700) == 0)
    let inner = try File.open(name, .directory, in: directory.rawValue)
    #expect(unsafe mknodat(inner.rawValue, name, 0o100_644, 0) == 0)
    try File.removeTree(root.path("tree"))
    #expect(!File.exists(root.path("tree")))
  }

  @Test func `What is deeper than any path is removed`() throws {
    let root = try TemporaryDirectory()
    try root.makeDirectory("tree")
    var directory = try root.open("tree")
    let name = String(repeating: "d", count: 200)
    for _ in 0..<5000 {
      try File.makeDirectory(name, in: directory.rawValue)
      directory = SharedDescriptor(try File.open(name, .directory, in: directory.rawValue))
    }
    try File.removeTree(root.path("tree"))
    #expect(!File.exists(root.path("tree")))
  }

  @Test func `A directory that its owner may not read is removed`() throws {
    // Root may read everything, so this thread is somebody else in files' eyes.
    let isRoot = effectiveUserID == 0
    let root = try TemporaryDirectory()
    if isRoot {
      try root.setOwner("", 65534)
      setfsgid(65534)
      setfsuid(65534)
    }
    defer {
      if isRoot {
        setfsuid(0)
        setfsgid(0)
      }
    }
    try root.write("", to: "tree/closed/inner/file")
    try root.write("", to: "tree/listed/file")
    try root.setMode("tree/closed/inner", 0)
    try root.setMode("tree/closed", 0)
    try root.setMode("tree/listed", 0o400)
    try root.setMode("tree", 0)
    #expect(throws: Errno.permission) { _ = try File.open(root.path("tree"), .directory) }
    try File.removeTree(root.path("tree"))
    #expect(!File.exists(root.path("tree")))
  }

  @Test func `A link is removed, and not what it leads to`() throws {
    let root = try TemporaryDirectory()
    try root.write("", to: "outside/file")
    try root.makeDirectory("tree")
    try root.setMode("outside", 0o500)
    try root.link("tree/link", to: root.path("outside"))
    try File.removeTree(root.path("tree"))
    #expect(File.exists(root.path("outside/file")) && !File.exists(root.path("tree")))
    #expect(try FileStatus(at: root.path("outside")).mode == 0o500)
  }

  @Test func `It ends in time, and goes on where it has ended`() throws {
    let root = try TemporaryDirectory()
    for number in 0..<100 { try root.write("", to: "tree/\(number)/file") }
    #expect(throws: Errno.timedOut) { try File.removeTree(root.path("tree"), within: .zero) }
    try File.removeTree(root.path("tree"))
    #expect(!File.exists(root.path("tree")))
  }
}
