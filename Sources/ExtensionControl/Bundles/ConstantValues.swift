internal import LinuxSystem
internal import Varlink

/// What the compiler wrote about a program's `@Bind` and `@Definition` with `-emit-const-values`.
struct ConstantValues {
  /// The types that the compiler shall write about, for `-const-gather-protocols-file`: those that conform to these.
  static let protocols = #"["AppExtension","ExtensionPointDefining"]"#

  /// What stands in a `@Definition`.
  struct Definition: Hashable {
    var name = ""
    var attributes: [String: Attribute] = [:]
    let place: String
  }

  enum Attribute: Hashable {
    case word(String)
    case boolean(Bool)
  }

  /// The identifiers of the points that `@Bind` names.
  private(set) var bindings: Set<String> = []
  private(set) var definitions: [Definition] = []

  /// Reads the files; each must be newer than the sources that it tells of.
  init(files: [String]) throws(ControlError) {
    for file in files {
      let content: JSON
      do {
        content = try JSON(parsing: File.read(file, limit: 1 << 26), maximumDepth: 512)
      } catch {
        throw ControlError(.failed, "\(file) cannot be read as what -emit-const-values writes: \(error)")
      }
      for type in content.elements {
        for property in type["properties"]?.elements ?? [] { try read(property, from: file) }
      }
    }
  }

  private mutating func read(_ property: JSON, from file: String) throws(ControlError) {
    guard property["type"]?.string == "ExtensionFoundation.AppExtensionPoint" else { return }
    let place = "\(property["file"]?.string ?? file):\(property["line"]?.number ?? 0)"
    let value = property["value"]
    guard property["valueKind"]?.string == "Builder", let builder = value?["type"]?.string else {
      // Others that hold a point are none of ours.
      guard ["boundAppExtensionPoint", "extensionPoint"].contains(property["label"]?.string) else { return }
      throw ControlError(
        .failed, "\(place): the point is not constant; write it with @Bind and an Identifier in it")
    }
    if let source = property["file"]?.string, let written = try? FileStatus(at: file).modified,
      let changed = try? FileStatus(at: source, followLinks: true).modified, changed > written,
      !Self.stillSays(property, source)
    {
      throw ControlError(.failed, "\(file) is older than \(source); build again with -emit-const-values")
    }
    let lines = value?["members"]?.elements ?? []
    switch builder {
    case "ExtensionFoundation.AppExtensionPoint.Bind":
      for line in lines { bindings.insert(try identifier(of: line, place)) }
    case "ExtensionFoundation.AppExtensionPoint.Definition":
      definitions.append(try definition(of: lines, place))
    default: break
    }
  }

  /// The compiler writes a file only when it says something else than before. So after a change of other lines it is older
  /// than its source: it counts while the same words are where they were.
  private static func stillSays(_ property: JSON, _ source: String) -> Bool {
    guard let text = try? File.read(source, limit: 1 << 24), let line = property["line"]?.number, line > 0
    else { return false }
    let lines = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropFirst(Int(line) - 1)
    guard let first = lines.first, let label = property["label"]?.string, first.contains(label) else {
      return false
    }
    let rest = lines.prefix(64).joined(separator: "\n")
    return property["value"]?.literals.allSatisfy { rest.contains($0) } == true
  }

  private func identifier(of line: JSON, _ place: String) throws(ControlError) -> String {
    let (_, arguments) = try call(line, place)
    return try arguments.map { argument throws(ControlError) in try word(argument, place) }
      .joined(separator: ".")
  }

  private func definition(of lines: [JSON], _ place: String) throws(ControlError) -> Definition {
    var definition = Definition(place: place)
    for line in lines {
      let (name, arguments) = try call(line, place)
      guard let argument = arguments.first else { continue }
      switch name {
      case "Name": definition.name = try word(argument, place)
      case "Scope": definition.attributes["Scope"] = .word(try word(argument, place))
      case "UserInterface":
        definition.attributes["UserInterface"] = .boolean(try word(argument, place) == "true")
      // Every extension is sandboxed.
      case "EnhancedSecurity": break
      default: throw ControlError(.failed, "\(place): extctl knows no attribute \(name) of a point")
      }
    }
    return definition
  }

  /// One line of a builder: the type that it makes, without the types around it, and the arguments.
  private func call(_ line: JSON, _ place: String) throws(ControlError) -> (name: String, arguments: [JSON]) {
    guard let element = line["element"], element["valueKind"]?.string == "InitCall",
      let type = element["value"]?["type"]?.string, let arguments = element["value"]?["arguments"]?.elements
    else { throw notConstant(place) }
    return (String(type.split(separator: ".").last ?? ""), arguments)
  }

  private func word(_ argument: JSON, _ place: String) throws(ControlError) -> String {
    switch argument["valueKind"]?.string {
    case "RawLiteral": if let text = argument["value"]?.string { return text }
    case "Enum": if let name = argument["value"]?["name"]?.string { return name }
    default: break
    }
    throw notConstant(place)
  }

  private func notConstant(_ place: String) -> ControlError {
    ControlError(.failed, "\(place): what stands here is not constant; write literals only")
  }
}

extension JSON {
  fileprivate subscript(name: String) -> JSON? {
    if case .object(let object) = self { object[name] } else { nil }
  }
  fileprivate var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
  fileprivate var string: String? { if case .string(let value) = self { value } else { nil } }
  /// All words that stand in quotes, or as they are.
  fileprivate var literals: [String] {
    switch self {
    case .object(let object):
      if object["valueKind"] == .string("RawLiteral"), let word = object["value"]?.string { return [word] }
      return object.members.flatMap(\.value.literals)
    case .array(let values): return values.flatMap(\.literals)
    default: return []
    }
  }
  fileprivate var number: Int64? { if case .integer(let value) = self { value } else { nil } }
}
