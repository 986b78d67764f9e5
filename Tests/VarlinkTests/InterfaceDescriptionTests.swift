import LinuxSystem
import Testing
import Varlink

@Suite("Interface descriptions") struct InterfaceDescriptionTests {
  /// The example of UAPI.20, "Types", and the forms of the other declarations.
  static let example = """
    # About jumps.
    #
    #  Indented by one.
    interface org.example.ftl-2.v1

    # Not about anything.

    # The type.
    type MyType (
       example_bool: bool,
       example_int: int, # not documentation
       example_float: float,
       # A string.
       # In two lines.
       example_string: string,
       example_object: object,
       example_any: any,
       example_enum: (one, two, three),
       example_struct: (first: int, second: string),
       example_array: []string,
       example_dictionary: [string]string,
       example_stringset: [string](),
       example_nullable: ?string,
       example_nullable_array_struct: ?[](first: int, second: string),
       example_other_type: MyOtherType
    )
    type MyOtherType (
      # Idle.
      idle,
      busy
    )
    # Jumps.
    method Jump(to: []?MyType)->()
    error NotEnoughEnergy ()
    """

  @Test func `the example of the specification is read`() throws {
    let interface = try InterfaceDescription(parsing: Self.example)
    #expect(interface.name == "org.example.ftl-2.v1")
    #expect(interface.documentation == ["About jumps.", "", " Indented by one."])
    #expect(interface.members.map(\.name) == ["MyType", "MyOtherType", "Jump", "NotEnoughEnergy"])
    #expect(interface.members.map(\.documentation) == [["The type."], [], ["Jumps."], []])
    let fields = try #require(interface.member("MyType")).fields
    let pair = [
      InterfaceDescription.Field(name: "first", shape: .int),
      InterfaceDescription.Field(name: "second", shape: .string),
    ]
    #expect(
      fields.map(\.shape) == [
        .bool, .int, .float, .string, .object, .any,
        .enumeration(["one", "two", "three"].map { InterfaceDescription.Case(name: $0) }), .structure(pair),
        .array(.string), .dictionary(.string), .dictionary(.structure([])), .nullable(.string),
        .nullable(.array(.structure(pair))), .named("MyOtherType"),
      ])
    #expect(fields[3].documentation == ["A string.", "In two lines."])
    #expect(fields.filter { !$0.documentation.isEmpty }.count == 1)
    #expect(
      interface.member("Jump")?.kind
        == .method(
          input: [.init(name: "to", shape: .array(.nullable(.named("MyType"))))], output: []))
    #expect(interface.member("NotEnoughEnergy")?.kind == .error([]))
  }

  @Test(arguments: [
    ("", 1, 1), ("type A ()", 1, 1), ("interface a\ntype A ()", 1, 11), ("interface a.b", 1, 14),
    ("interface 1a.b\ntype A ()", 1, 11), ("interface a.-b\ntype A ()", 1, 11),
    ("interface a.b type A ()", 1, 15), ("interface a.b\ntype A () type B ()", 2, 11),
    ("interface a.b\ntypeA ()", 2, 1), ("interface a.b\ntype a ()", 2, 6),
    ("interface a.b\ntype A int", 2, 8),
    ("interface a.b\ntype A (x: int,)", 2, 16), ("interface a.b\ntype A (x: int", 2, 15),
    ("interface a.b\ntype A (x: int y: int)", 2, 16), ("interface a.b\ntype A (x, y: int)", 2, 13),
    ("interface a.b\ntype A (x: int, y)", 2, 18), ("interface a.b\ntype A (x: int, x: int)", 2, 17),
    ("interface a.b\ntype A (x, x)", 2, 12), ("interface a.b\ntype A (_x: int)", 2, 9),
    ("interface a.b\ntype A (x__y: int)", 2, 9), ("interface a.b\ntype A (x_: int)", 2, 9),
    ("interface a.b\ntype A (1x: int)", 2, 9), ("interface a.b\ntype A (x: ??int)", 2, 12),
    ("interface a.b\ntype A (x: )", 2, 12), ("interface a.b\ntype A (x: integer)", 2, 12),
    ("interface a.b\n# c\n\n  type A (x: B)", 4, 14),
    ("interface a.b\ntype A (x: M)\nmethod M() -> ()", 2, 12),
    ("interface a.b\ntype A ()\nerror A ()", 3, 1), ("interface a.b\nmethod M()", 2, 11),
    ("interface a.b\nmethod M(a, b) -> ()", 2, 9), ("interface a.b\nerror E (a)", 2, 9),
    ("interface a.b\r\ntype A ()\r\nerror A ()", 3, 1), ("interface a.b\ntype A (x: [int]string)", 2, 12),
  ])
  func `an error is found at its line and column`(text: String, line: Int, column: Int) {
    let error = #expect(throws: InterfaceDescriptionError.self) { try InterfaceDescription(parsing: text) }
    #expect(error?.line == line, "\(String(describing: error))")
    #expect(error?.column == column, "\(String(describing: error))")
  }

  @Test func `nesting is bounded`() throws {
    func nested(_ depth: Int) -> String {
      let arrays = "interface a.b\ntype A (x: \(String(repeating: "[]", count: depth))int)"
      return arrays
    }
    #expect(throws: Never.self) { try InterfaceDescription(parsing: nested(20)) }
    #expect(throws: InterfaceDescriptionError.self) { try InterfaceDescription(parsing: nested(100_000)) }
    let structures = "interface a.b\ntype A " + String(repeating: "(x: ", count: 100_000)
    #expect(throws: InterfaceDescriptionError.self) { try InterfaceDescription(parsing: structures) }
  }

  /// Names are looked up, not searched for: otherwise this would compare billions of them.
  @Test(.timeLimit(.minutes(10))) func `a description of very many types is read`() throws {
    let count = 50_000
    let types = (0..<count).map { "type T\($0) (x: T\(count - 1 - $0))\n" }.joined()
    #expect(try InterfaceDescription(parsing: "interface a.b\n" + types).members.count == count)
    let error = #expect(throws: InterfaceDescriptionError.self) {
      try InterfaceDescription(parsing: "interface a.b\n" + types + "error T0 ()")
    }
    #expect(error?.line == count + 2)
  }

  @Test func `each truncation of a description fails cleanly or is complete`() throws {
    let scalars = Array(Self.example.unicodeScalars)
    for count in 0..<scalars.count {
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars[..<count])
      _ = try? InterfaceDescription(parsing: text)
    }
    #expect(throws: InterfaceDescriptionError.self) {
      try InterfaceDescription(parsing: String(Self.example.dropLast(2)))
    }
  }

  @Test func `the canonical text reads back as the same interface`() throws {
    for text in [Self.example] + (try Files.descriptions.map { try Files.read($0) }) {
      let interface = try InterfaceDescription(parsing: text)
      let again = try InterfaceDescription(parsing: interface.description)
      #expect(again == interface)
      #expect(again.description == interface.description)
    }
  }

  @Test func `the canonical text is laid out for people`() throws {
    let interface = try InterfaceDescription(
      parsing:
        "# I.\ninterface a.b\ntype A(\n# X.\nx:?[](a:int,b:(c,d))\n,y:[string]())\n\n#M.\nmethod M ( ) -> ( )"
    )
    #expect(
      interface.description == """
        # I.
        interface a.b

        type A (
          # X.
          x: ?[](a: int, b: (c, d)),
          y: [string]()
        )

        # M.
        method M() -> ()

        """)
  }
}
