internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// A command line that was understood, and what its command needs to do its work.
struct Invocation: Sendable {
  let command: Command
  let arguments: [String]
  /// The options' values, by name; empty for a switch.
  let values: [String: String]
  /// The values of options that may be given several times, by name.
  var lists: [String: [String]] = [:]

  var isJSON: Bool { has("json") }

  func has(_ option: String) -> Bool { values[option] != nil }

  /// The value of an option that may not be left out; `example` shows how it is written.
  func required(_ option: String, _ example: String) throws(ControlError) -> String {
    if let value = values[option] { return value }
    throw ControlError(.usage, "--\(option) is missing, as in \(example); see 'extctl help \(command.name)'")
  }

  /// The argument that names an extension: an identifier, or a path, made absolute.
  func subject() throws -> String { try arguments.first.map(Path.subject) ?? "" }

  /// Calls the administration's interface. Once more where the broker died before it answered: every one of its methods
  /// may be called twice.
  func admin<Method: VarlinkMethod>(_ method: Method, timeout: Duration? = .seconds(60)) throws
    -> Method.Reply
  {
    func call() throws(VarlinkClientError) -> Method.Reply {
      try client.call(method, timeout: timeout).reply
    }
    var client = try BrokerLocation.connect(.admin)
    do throws(VarlinkClientError) { return try call() } catch {
      guard case .closed = error else { throw ControlError(error) }
    }
    client = try BrokerLocation.connect(.admin)
    do throws(VarlinkClientError) { return try call() } catch { throw ControlError(error) }
  }

  /// The bundles with this identifier or path, or all, named in the person's language.
  func bundles(_ name: String?) throws -> AdminInterface.List.Reply {
    try admin(AdminInterface.List(extension: name, languages: CurrentProcess.languages))
  }

  /// Prints the result: one JSON object with the members of all values, or what `text` makes of it.
  func show(_ values: any VarlinkStructure..., text: () -> String) throws {
    guard isJSON else { return try Terminal.write(text()) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("schema", 1)
    for value in values { value.writeMembers(to: &writer) }
    writer.endObject()
    try Terminal.write(String(decoding: writer.bytes, as: UTF8.self))
  }

  /// The same for what is no reply.
  func show(json: JSONObject, text: () -> String) throws {
    guard isJSON else { return try Terminal.write(text()) }
    try Terminal.write(
      JSON.object(JSONObject([("schema", 1)] + json.members.map { ($0.name, $0.value) })).text)
  }

  /// The same for text that is one for people and programs.
  func show(document: String) throws { try show(json: ["text": .string(document)]) { document } }
}
