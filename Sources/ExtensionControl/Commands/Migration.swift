internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let export = Command(
    name: "export", summary: "print all decisions that hold, for another machine or a new installation",
    details:
      "JSON, for 'extctl import'. A decision is about exact content: on another machine it holds for the same content, and "
      + "for what its publisher or root makes of it."
  ) { invocation in
    let reply = try invocation.admin(AdminInterface.ExportDecisions())
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("schema", 1)
    reply.writeMembers(to: &writer)
    writer.endObject()
    try Terminal.write(String(decoding: writer.bytes, as: UTF8.self))
    return .success
  }

  static let `import` = Command(
    name: "import", arguments: ["[FILE]"],
    summary: "take over the decisions that 'extctl export' printed",
    details:
      "From FILE or standard input; all of them, or none. What was decided here is kept. Look at the file before: it "
      + "approves what it names.",
    options: [
      .init(name: "replace", help: "decisions of the file take the place of those that were made here")
    ]
  ) { invocation in
    let bytes = try read(invocation.arguments.first)
    let object: JSONObject
    do {
      guard case .object(let value) = try JSON(parsing: bytes) else {
        throw ControlError(.usage, "the file is no JSON object; 'extctl export' writes one")
      }
      object = value
    } catch let error as JSONError {
      throw ControlError(.usage, "the file is not JSON: \(error); 'extctl export' writes it")
    }
    var call: AdminInterface.ImportDecisions
    do { call = try AdminInterface.ImportDecisions(object: object, unknownMembers: .ignored) } catch {
      throw ControlError(.usage, "the file has no decisions that can be read: \(error)")
    }
    call.replace = invocation.has("replace")
    let reply = try invocation.admin(call)
    try invocation.show(reply) { "imported \(reply.imported) of \(call.decisions.count) decisions" }
    return .success
  }

  private static func read(_ path: String?) throws(ControlError) -> [UInt8] {
    do throws(Errno) {
      guard let path, path != "-" else {
        return try FileDescriptor.ownStandardInput().readToEnd(limit: 1 << 20)
      }
      return try File.read(path, limit: 1 << 20)
    } catch .messageTooLong {
      throw ControlError(.failed, "the file is longer than 1 MiB; import it in parts")
    } catch {
      throw ControlError(.failed, "cannot read \(path ?? "standard input"): \(error)")
    }
  }

  static let forget = Command(
    name: "forget", arguments: ["ID"],
    summary: "remove what an extension that is gone has stored, and the decisions about it",
    details: "Without it both are kept until the extension was gone for 180 days."
  ) { invocation in
    let name = try invocation.subject()
    let reply = try invocation.admin(AdminInterface.Forget(extension: name))
    try invocation.show(reply) { "nothing is left of \(Terminal.visible(name))" }
    return .success
  }
}
