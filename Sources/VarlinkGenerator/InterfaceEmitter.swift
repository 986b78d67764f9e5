import Varlink

/// Writes the Swift source of one interface.
struct InterfaceEmitter {
  let interface: InterfaceDescription
  let typeName: String
  var out = SourceText()
  private let text: String
  private let earlier: [InterfaceDescription]
  private let anonymousNames: Set<String>
  /// All names that types get here.
  private let names: Set<String>

  init(_ interface: InterfaceDescription, text: String, earlier: [InterfaceDescription]) {
    self.interface = interface
    self.text = text
    self.earlier = earlier
    typeName = SwiftGenerator.typeName(interface: interface.name)
    anonymousNames = Set(interface.members.flatMap { $0.shapes.flatMap(\.anonymousNames) })
    names = anonymousNames.union(interface.members.map(\.name))
  }

  static func methods(of interface: InterfaceDescription) -> [InterfaceDescription.Member] {
    interface.members.filter { if case .method = $0.kind { true } else { false } }
  }

  static func errors(of interface: InterfaceDescription) -> [InterfaceDescription.Member] {
    interface.members.filter { if case .error = $0.kind { true } else { false } }
  }

  mutating func source(_ purpose: SwiftGenerator.Purpose) -> String {
    out.line("// Made by varlink-generate from \(interface.name).varlink. Change that file instead.")
    out.line("// swift-format-ignore-file")
    out.line()
    if purpose == .sdk { out.line("public import ExtensionFoundation") }
    if purpose == .sdk, serviceMethods.contains(where: \.hasDescriptors) {
      out.line("public import LinuxSystem")
    }
    if purpose != .varlink {
      out.line("public import Varlink")
      out.line()
    }
    out.documentation(interface.documentation)
    let conformance = purpose == .sdk ? "AppExtensionInterface" : varlink("VarlinkInterface")
    // In a module whose code is on the main actor by default this is not, and neither is what is inside. Not on the
    // protocol for services: there it would keep the methods of a main actor's class off the main actor.
    out.open("nonisolated public enum \(typeName): \(conformance) {")
    emitDescription()
    for member in interface.members { emit(member) }
    emitCall()
    emitFailure()
    if purpose == .sdk { emitService() }
    out.close()
    return out.text
  }

  private mutating func emitDescription() {
    out.line("public static let name = \(SwiftName.literal(interface.name))")
    // As many # as it takes for the text to hold neither an end of the literal nor an escape.
    var hashes = "#"
    while text.contains("\"\"\"\(hashes)") || text.contains("\\\(hashes)") { hashes += "#" }
    out.open("public static let description = \(hashes)\"\"\"")
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      out.line(String(line))
    }
    out.line("\"\"\"\(hashes)")
    out.dedent()
  }

  private mutating func emit(_ member: InterfaceDescription.Member) {
    out.gap()
    out.documentation(member.documentation)
    switch member.kind {
    case .type(let shape):
      if let original = earlier.first(where: { interface.declaresAlike(member.name, as: $0) }) {
        let other = SwiftGenerator.typeName(interface: original.name)
        out.line("public typealias \(member.name) = \(other).\(member.name)")
      } else {
        emitType(member.name, shape)
      }
    case .method(let input, let output):
      out.open("public struct \(member.name): \(varlink("VarlinkMethod")) {")
      emitFullName(member)
      emitStructureBody(input)
      out.gap()
      out.open("public struct Reply: \(varlink("VarlinkStructure")) {")
      emitStructureBody(output)
      out.close()
      out.close()
    case .error(let fields):
      out.open("public struct \(member.name): \(varlink("VarlinkErrorReply")) {")
      emitFullName(member)
      emitStructureBody(fields)
      out.close()
    }
  }

  private mutating func emitFullName(_ member: InterfaceDescription.Member) {
    out.line("public static let name = \(SwiftName.literal("\(interface.name).\(member.name)"))")
  }
}

// MARK: - Spelling

extension InterfaceEmitter {
  /// The name of something of the standard library, with its module if a type here has the same name.
  func swift(_ name: String) -> String { names.contains(name) ? "Swift.\(name)" : name }

  /// The name of something of the Varlink module, with its module if a type here has the same name.
  func varlink(_ name: String) -> String { names.contains(name) ? "Varlink.\(name)" : name }

  /// The Swift type of a field. `anonymous` is the name of the type without a name that is in it.
  func spelling(of shape: InterfaceDescription.Shape, anonymous: String) -> String {
    switch shape {
    case .bool: swift("Bool")
    case .int: swift("Int")
    case .float: swift("Double")
    case .string: swift("String")
    case .object: varlink("JSONObject")
    case .any: varlink("JSON")
    // A type inside a structure would hide the one that is meant.
    case .named(let name): anonymousNames.contains(name) ? "\(typeName).\(name)" : name
    case .structure, .enumeration: anonymous
    case .array(let element): "[\(spelling(of: element, anonymous: anonymous))]"
    case .dictionary(.structure([])): "\(swift("Set"))<\(swift("String"))>"
    case .dictionary(let value): "[\(swift("String")): \(spelling(of: value, anonymous: anonymous))]"
    case .nullable(let wrapped): "\(spelling(of: wrapped, anonymous: anonymous))?"
    }
  }
}

extension InterfaceDescription.Member {
  fileprivate var shapes: [InterfaceDescription.Shape] {
    switch kind {
    case .type(let shape): [shape]
    case .method(let input, let output): [.structure(input), .structure(output)]
    case .error(let fields): [.structure(fields)]
    }
  }
}

extension InterfaceDescription.Shape {
  /// The names that the types without a name in this structure get.
  fileprivate var anonymousNames: [String] {
    guard case .structure(let fields) = self else { return [] }
    return fields.flatMap { field in
      field.shape.anonymous.map { [SwiftName.capitalized(field.name)] + $0.anonymousNames } ?? []
    }
  }
}
