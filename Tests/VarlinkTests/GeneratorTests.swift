import Testing
import Varlink
import VarlinkGenerator

@Suite("Generator") struct GeneratorTests {
  static func generate(_ text: String, path: String = "/x/a.Test.varlink") throws -> String {
    let files = try SwiftGenerator.files(for: [SwiftGenerator.Source(path: path, text: text)])
    return try #require(files.first).contents
  }

  /// `EverythingInterface` in this target is made by the plugin, so it is known to compile. This shows what
  /// became of it when the generator changes.
  @Test func `an interface with every type becomes what it became before`() throws {
    let source = SwiftGenerator.Source(path: Files.everything, text: try Files.read(Files.everything))
    let file = try #require(try SwiftGenerator.files(for: [source]).first)
    #expect(file.name == "EverythingInterface.swift")
    #expect(file.contents == (try Files.read(Files.tests + "/Golden/EverythingInterface.txt")))
  }

  @Test func `the service interface in the sources is up to date`() throws {
    let source = SwiftGenerator.Source(path: Files.service, text: try Files.read(Files.service))
    let files = try SwiftGenerator.files(for: [source], purpose: .varlink)
    let checkedIn = try Files.read(Files.sources + "/Varlink/Service/ServiceInterface.swift")
    #expect(files.map(\.contents) == [checkedIn])
  }

  @Test func `a type that two interfaces share is declared once`() throws {
    let one = SwiftGenerator.Source(
      path: "a.One.varlink",
      text: "interface a.One\ntype Same (k: (x, y), p: []Part)\ntype Part (i: int)\ntype Other (i: int)")
    let two = SwiftGenerator.Source(
      path: "a.Two.varlink",
      text:
        "interface a.Two\n# C.\ntype Part (\n# F.\ni: int)\ntype Same (k: (x, y), p: []Part)\ntype Other (i: ?int)"
    )
    let files = try SwiftGenerator.files(for: [two, one])
    #expect(files.map(\.name) == ["OneInterface.swift", "TwoInterface.swift"])
    let contents = files[1].contents
    #expect(contents.contains("public typealias Same = OneInterface.Same"))
    #expect(contents.contains("public typealias Part = OneInterface.Part"))
    #expect(contents.contains("public struct Other"))
    #expect(!files[0].contents.contains("typealias"))
  }

  @Test func `a type whose parts differ is not shared`() throws {
    let one = SwiftGenerator.Source(
      path: "a.One.varlink", text: "interface a.One\ntype Same (p: Part)\ntype Part (i: int)")
    let two = SwiftGenerator.Source(
      path: "a.Two.varlink", text: "interface a.Two\ntype Same (p: Part)\ntype Part (i: float)")
    #expect(try SwiftGenerator.files(for: [one, two])[1].contents.contains("public struct Same"))
  }

  @Test(arguments: [
    ("# [Requires 'oneway' flag]\nmethod M() -> (a: int)", "is oneway"),
    ("# [Requires 'more' flag]\nmethod M() -> (fileDescriptor: int)", "answers many times"),
  ])
  func `a method that a service cannot have is refused to the SDK alone`(text: String, part: String) throws {
    let source = SwiftGenerator.Source(path: "/x/a.Test.varlink", text: "interface a.Test\n" + text)
    #expect { _ = try SwiftGenerator.files(for: [source], purpose: .sdk) } throws: { "\($0)".contains(part) }
    #expect(try SwiftGenerator.files(for: [source]).count == 1)
  }

  @Test(arguments: [
    ("interface a.Test\ntype Reply ()", "'Reply'"), ("interface a.Test\nmethod Type() -> ()", "'Type'"),
    ("interface a.Test\ntype A (x: ?B)\ntype B (y: A)", "contains itself"),
    ("interface a.Test\nmethod M(reply: (a, b)) -> ()", "Give it a name"),
    ("interface a.Test\nerror E (self: int)", "'self'"),
    ("interface a.Test\ntype A (x: (a, b), X: (c, d))", "Give it a name"),
    ("interface a.Test\nmethod GetURL() -> ()\nmethod getURL() -> ()", "capital"),
    ("interface a.Test\nmethod URL() -> ()\nmethod Url() -> ()", "'url'"),
    ("interface a.Other\ntype A ()", "a.Other.varlink"), ("interface a.Test\ntype A (x: B)", ":2:12"),
  ])
  func `a description that Swift cannot express is refused`(text: String, part: String) {
    let error = #expect(throws: GeneratorError.self) { try Self.generate(text) }
    #expect(error.map(\.description)?.contains(part) == true, "\(String(describing: error))")
  }

  @Test func `two interfaces that would become one type are refused`() {
    let sources = ["a.Same", "b.Same"].map {
      SwiftGenerator.Source(path: "\($0).varlink", text: "interface \($0)\ntype A ()")
    }
    #expect(throws: GeneratorError.self) { try SwiftGenerator.files(for: sources) }
  }

  @Test func `a type may contain itself in an array`() throws {
    #expect(try Self.generate("interface a.Test\ntype Tree (children: []Tree)").contains("children: [Tree]"))
  }

  /// There are 2^60 ways from the first type to the last.
  @Test(.timeLimit(.minutes(10))) func `a type that is named in many ways is followed once`() throws {
    let types = (0..<60).map { "type T\($0) (x: T\($0 + 1), y: ?T\($0 + 1))\n" }.joined()
    let last = "interface a.Test\n" + types + "type T60 "
    #expect(try Self.generate(last + "()").contains("public struct T60"))
    #expect(throws: GeneratorError.self) { try Self.generate(last + "(x: T0)") }
  }

  @Test(arguments: [
    ("org.varlink.service", "ServiceInterface"), ("io.extensiond.Broker", "BrokerInterface"),
    ("a.two-words", "TwoWordsInterface"),
  ])
  func `an interface gives the type its name`(interface: String, name: String) {
    #expect(SwiftGenerator.typeName(interface: interface) == name)
  }
}
