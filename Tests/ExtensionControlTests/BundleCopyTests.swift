import CLinux
import LinuxSystem
import Testing

@testable import ExtensionControl

struct BundleCopyTests {
  let place = try? TemporaryDirectory()

  private func bundle(_ name: String, program: String) throws -> String {
    let place = try #require(place)
    try place.write("<plist/>", to: "\(name)/Info.plist")
    try place.write(program, to: "\(name)/bin/program", mode: 0o4777)
    try File.makeLink("bin/program", at: "\(place.path)/\(name)/link")
    return "\(place.path)/\(name)"
  }

  @Test("a bundle is copied with its links and without dangerous modes, and nothing else is left")
  func install() throws {
    let place = try #require(place)
    let source = try bundle("source/A.appex", program: "one")
    let target = place.path + "/root/A.appex"
    try BundleCopy.install(source, as: target)
    #expect(try FileStatus(at: target + "/bin/program").mode & 0o7022 == 0)
    #expect(try FileStatus(at: target + "/bin/program").mode & 0o100 != 0)
    #expect(try File.readLink(target + "/link") == "bin/program")
    #expect(try place.names("root") == ["A.appex"])
  }

  @Test("a bundle of the same name is replaced in one step, and the old one goes")
  func replace() throws {
    let place = try #require(place)
    let target = place.path + "/root/A.appex"
    try BundleCopy.install(try bundle("old/A.appex", program: "old"), as: target)
    let before = try FileStatus(at: target).inode
    try BundleCopy.install(try bundle("new/A.appex", program: "new"), as: target)
    #expect(try File.read(target + "/bin/program", limit: 9) == Array("new".utf8))
    #expect(try FileStatus(at: target).inode != before)
    #expect(try place.names("root") == ["A.appex"])
  }

  @Test("a copy that fails leaves the old bundle and no remains")
  func failure() throws {
    let place = try #require(place)
    let target = place.path + "/root/A.appex"
    try BundleCopy.install(try bundle("old/A.appex", program: "old"), as: target)
    let broken = try bundle("new/A.appex", program: "new")
    try #require(unsafe mkfifo(broken + "/pipe", 0o600) == 0)
    let error = try #require(throws: ControlError.self) { try BundleCopy.install(broken, as: target) }
    #expect(error.description.contains("neither a file, a directory nor a link"))
    #expect(try File.read(target + "/bin/program", limit: 9) == Array("old".utf8))
    #expect(try place.names("root") == ["A.appex"])
  }

  @Test("a name that is not UTF-8 is copied neither as it is nor as another one")
  func names() throws {
    let place = try #require(place)
    let target = place.path + "/root/A.appex"
    let name: [CChar] = [-1, 0]
    let link = try bundle("one/A.appex", program: "x")
    try #require(unsafe symlink(name, link + "/strange") == 0)
    let file = try bundle("two/A.appex", program: "x")
    try #require(unsafe mknod(file.utf8CString.dropLast() + [0x2F] + name, 0o100_644, 0) == 0)
    for source in [link, file] {
      let error = try #require(throws: ControlError.self) { try BundleCopy.install(source, as: target) }
      #expect(error.description.hasSuffix("there is a name that is not UTF-8"))
      #expect(!File.exists(target))
    }
  }

  @Test("what lies in its own place is refused")
  func refused() throws {
    let source = try bundle("A.appex", program: "x")
    #expect(throws: ControlError.self) { try BundleCopy.install(source, as: source) }
    #expect(throws: ControlError.self) { try BundleCopy.install(source, as: source + "/A.appex") }
    #expect(File.exists(source + "/Info.plist"))
  }

  @Test("removing takes the whole bundle and nothing that its links name")
  func remove() throws {
    let place = try #require(place)
    try place.write("keep", to: "outside/file")
    let path = try bundle("root/A.appex", program: "x")
    try File.makeLink(place.path + "/outside", at: path + "/outside")
    try BundleCopy.remove(path)
    #expect(try place.names("root").isEmpty)
    #expect(File.exists(place.path + "/outside/file"))
  }
}
