internal import CSystemd

/// A message of D-Bus, while it is read or written: sd-bus(3).
@safe struct BusMessage {
  let pointer: OpaquePointer

  var isError: Bool { unsafe sd_bus_message_is_method_error(pointer, nil) > 0 }

  /// The name of the connection that it came from, which no other one ever has.
  var sender: String? {
    guard let name = unsafe sd_bus_message_get_sender(pointer) else { return nil }
    return unsafe String(cString: name)
  }

  var member: String {
    guard let name = unsafe sd_bus_message_get_member(pointer) else { return "" }
    return unsafe String(cString: name)
  }

  /// What an error says.
  var errorText: String {
    guard let error = unsafe sd_bus_message_get_error(pointer) else { return "" }
    let name = unsafe error.pointee.name.map { unsafe String(cString: $0) } ?? ""
    let message = unsafe error.pointee.message.map { unsafe String(cString: $0) } ?? ""
    return "\(message) (\(name))"
  }

  // MARK: Reading

  func number() -> UInt32? {
    var value: UInt32 = 0
    return unsafe sd_bus_message_read_basic(pointer, code("u"), &value) > 0 ? value : nil
  }

  func boolean() -> Bool? {
    // As sd-bus has it: an int.
    var value: CInt = 0
    return unsafe sd_bus_message_read_basic(pointer, code("b"), &value) > 0 ? value != 0 : nil
  }

  func string() -> String? {
    var value: UnsafePointer<CChar>?
    guard unsafe sd_bus_message_read_basic(pointer, code("s"), &value) > 0, let value = unsafe value else {
      return nil
    }
    return unsafe String(cString: value)
  }

  /// An array of strings, of which at most so many are read.
  func strings(limit: Int) -> [String] {
    guard unsafe sd_bus_message_enter_container(pointer, code("a"), "s") > 0 else { return [] }
    var result: [String] = []
    while result.count < limit, let next = string() { result.append(next) }
    return result
  }

  // MARK: Writing

  // Fails only without memory, or for text that is no UTF-8 without NUL, which no String of ours has.

  func append(_ text: String) { _ = unsafe sd_bus_message_append_basic(pointer, code("s"), text) }

  func append(_ value: UInt32) {
    var value = value
    _ = unsafe sd_bus_message_append_basic(pointer, code("u"), &value)
  }

  func append(_ value: Int32) {
    var value = value
    _ = unsafe sd_bus_message_append_basic(pointer, code("i"), &value)
  }

  func append(_ value: UInt8) {
    var value = value
    _ = unsafe sd_bus_message_append_basic(pointer, code("y"), &value)
  }

  func append(_ value: Bool) {
    var value: CInt = value ? 1 : 0
    _ = unsafe sd_bus_message_append_basic(pointer, code("b"), &value)
  }

  func append(_ texts: [String]) { array("s") { for text in texts { append(text) } } }

  func array(_ contents: String, _ body: () -> Void) { container("a", contents, body) }
  func structure(_ contents: String, _ body: () -> Void) { container("r", contents, body) }
  func entry(_ contents: String, _ body: () -> Void) { container("e", contents, body) }
  func variant(_ contents: String, _ body: () -> Void) { container("v", contents, body) }

  private func container(_ type: Unicode.Scalar, _ contents: String, _ body: () -> Void) {
    _ = unsafe sd_bus_message_open_container(pointer, code(type), contents)
    body()
    _ = unsafe sd_bus_message_close_container(pointer)
  }

  private func code(_ type: Unicode.Scalar) -> CChar { CChar(type.value) }
}
