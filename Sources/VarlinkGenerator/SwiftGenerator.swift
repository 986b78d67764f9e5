import Varlink

/// Makes Swift source of Varlink interfaces.
public enum SwiftGenerator {
  /// A description and the file that it is from.
  public struct Source: Sendable {
    public let path: String
    public let text: String

    public init(path: String, text: String) {
      self.path = path
      self.text = text
    }
  }

  /// What the source is for.
  public enum Purpose: Sendable {
    /// The module Varlink itself.
    case varlink
    /// A module that uses Varlink.
    case types
    /// A module that uses ExtensionFoundation: with a service protocol and a proxy.
    case sdk
  }

  /// A file to write.
  public struct File: Hashable, Sendable {
    public let name: String
    public let contents: String
  }

  /// Makes one Swift file of each description. A type that an interface before, in the order of the names,
  /// declares alike becomes an alias.
  public static func files(
    for sources: [Source], purpose: Purpose = .types
  ) throws(GeneratorError) -> [File] {
    var files: [File] = []
    var earlier: [InterfaceDescription] = []
    for source in sources.sorted(by: { interfaceName(path: $0.path) < interfaceName(path: $1.path) }) {
      let interface = try parse(source)
      let typeName = typeName(interface: interface.name)
      if let other = earlier.first(where: { Self.typeName(interface: $0.name) == typeName }) {
        throw GeneratorError(
          path: source.path,
          message: "'\(interface.name)' and '\(other.name)' would both become \(typeName). Rename one.")
      }
      if let problem = NameCheck(interface, isForSDK: purpose == .sdk).problem {
        throw GeneratorError(path: source.path, message: problem)
      }
      var emitter = InterfaceEmitter(interface, text: source.text, earlier: earlier)
      let contents = emitter.source(purpose)
      files.append(File(name: typeName + ".swift", contents: contents))
      earlier.append(interface)
    }
    return files
  }

  /// The last part of the name, without hyphens, and "Interface". The build plugin follows the same rule.
  public static func typeName(interface: String) -> String {
    let words = (interface.split(separator: ".").last ?? "").split(separator: "-")
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Interface"
  }

  static func parse(_ source: Source) throws(GeneratorError) -> InterfaceDescription {
    let interface: InterfaceDescription
    do { interface = try InterfaceDescription(parsing: source.text) } catch {
      throw GeneratorError(path: "\(source.path):\(error.line):\(error.column)", message: error.message)
    }
    guard interface.name == interfaceName(path: source.path) else {
      throw GeneratorError(
        path: source.path, message: "The file must be named after its interface: \(interface.name).varlink")
    }
    return interface
  }

  private static func interfaceName(path: String) -> Substring {
    let file = path.split(separator: "/").last ?? ""
    return file.hasSuffix(".varlink") ? file.dropLast(".varlink".count) : file
  }
}
