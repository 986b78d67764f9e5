internal import ExtensionBundles
internal import ExtensionInterfaces
internal import LinuxSystem

extension Command {
  static let bundle = Command(
    name: "bundle", arguments: ["[PROGRAM]"], summary: "make a bundle of a program and of what its code says",
    details:
      "For NAME.appex the point is the one that the code binds with @Bind; for NAME.app the points are those that it "
      + "defines with @Definition. So the program must be built with -emit-const-values: extctl bundle --protocols > "
      + "protocols.json; swift build -Xswiftc -emit-const-values -Xswiftc -Xfrontend -Xswiftc "
      + "-const-gather-protocols-file -Xswiftc -Xfrontend -Xswiftc $PWD/protocols.json. 'swift package bundle' of a "
      + "package that uses the SDK does all of it. A bundle of the same name is replaced, in one step; one that 'extctl "
      + "lint' would complain about is not made.",
    options: [
      .init(name: "output", letter: "o", value: "PATH", help: "the bundle: NAME.appex or NAME.app"),
      .init(
        name: "identifier", value: "ID",
        help: "the bundle's own; for NAME.app the points' names begin with it"),
      .init(name: "name", value: "TEXT", help: "for people; the output's NAME unless given"),
      .init(name: "version", value: "VERSION", help: "1.0 unless given"),
      .init(name: "interface", value: "FILE", help: "for NAME.app with one point: its .varlink file"),
      .init(name: "info", value: "FILE", help: "a property list with more for Info.plist"),
      .init(
        name: "const-values", value: "PATH",
        help: "what the compiler wrote: a file, or a directory with such; found beside PROGRAM unless given"),
      .init(name: "protocols", help: "print the list for -const-gather-protocols-file, and make nothing"),
    ]
  ) { invocation in
    if invocation.has("protocols") {
      try invocation.show(document: ConstantValues.protocols)
      return .success
    }
    let target = try Path.absolute(invocation.required("output", "-o NAME.appex"))
    let bundle = try newBundle(invocation, target)
    try bundle.write(to: target)
    let rows = try BundleLook.rows(at: target)
    try invocation.show(AdminInterface.List.Reply(extensions: rows)) {
      let identifiers = bundle.points.keys.sorted()
      let role =
        rows.first?.extensionPoint.map { "an extension for \($0)" }
        ?? "a host with \(identifiers.joined(separator: ", "))"
      return Terminal.visible("made \(target): \(role); next: extctl install \(target)")
    }
    return .success
  }

  private static func newBundle(_ invocation: Invocation, _ target: String) throws -> NewBundle {
    guard let word = invocation.arguments.first else {
      throw ControlError(.usage, "the program is missing; usage: \(bundle.synopsis)")
    }
    let isHost = target.hasSuffix(".app")
    guard isHost || target.hasSuffix(".appex") else {
      throw ControlError(.usage, "\(target) must end with .appex, for an extension, or .app, for a host")
    }
    let program = try Path.absolute(word)
    guard File.exists(program) else { throw ControlError(.failed, "there is no \(program); build it first") }
    let identifier = try invocation.required("identifier", "--identifier org.example.Name")
    guard BundleIdentifier.isValid(identifier) else {
      throw ControlError(.usage, "“\(identifier)” is no identifier; write \(BundleIdentifier.form)")
    }
    let values = try ConstantValues(
      files: ConstantValues.files(for: program, at: invocation.values["const-values"].map(Path.absolute)))
    var result = NewBundle(
      program: program, identifier: identifier, name: invocation.values["name"] ?? Path.stem(target),
      version: invocation.values["version"] ?? "1.0", info: try info(invocation))
    if isHost {
      try result.define(values, interface: invocation.values["interface"].map(InterfaceFile.init))
    } else {
      try result.bind(values)
    }
    return result
  }

  private static func info(_ invocation: Invocation) throws(ControlError) -> [String: PropertyList] {
    guard let file = invocation.values["info"] else { return [:] }
    let bytes: [UInt8]
    do throws(Errno) { bytes = try File.read(file, limit: PropertyList.maximumSize) } catch {
      throw ControlError(.failed, "\(file) cannot be read: \(error)")
    }
    do throws(PropertyListError) { return try PropertyList.dictionary(from: bytes) } catch {
      throw ControlError(.failed, "\(file) \(error)")
    }
  }
}
