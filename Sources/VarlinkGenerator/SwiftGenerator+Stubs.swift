import Varlink

extension SwiftGenerator {
  /// A service named `type` with every method of the interface, for its author to write. Each answers that it is not
  /// implemented. It belongs into a file of a module that the plugin makes the interface's Swift for.
  public static func stubs(for source: Source, type: String) throws(GeneratorError) -> String {
    _ = try files(for: [source], purpose: .sdk)
    let interface = try parse(source)
    let emitter = InterfaceEmitter(interface, text: source.text, earlier: [])
    let methods = emitter.serviceMethods
    var out = SourceText()
    out.line("import ExtensionFoundation")
    if methods.contains(where: \.hasDescriptors) { out.line("import LinuxSystem") }
    out.line("import Varlink")
    out.line()
    // Inside of the interface's type, the types that it declares have short names.
    out.open("extension \(emitter.typeName) {")
    out.documentation(["Answers the calls of a host."])
    out.open("struct \(type): Service {")
    for method in methods {
      out.gap()
      out.documentation(method.documentation)
      out.open("\(emitter.signature(of: method)) {")
      out.line(
        "throw ServiceInterface.MethodNotImplemented(method: \(SwiftName.literal("\(interface.name).\(method.name)")))"
      )
      out.close()
    }
    out.close()
    out.close()
    return out.text
  }
}
