internal import CLinux
internal import CPropertyList

extension PropertyList {
  /// The value as XML, the members of a dictionary in the order of their names.
  public var xml: String {
    let node = unsafe makeNode()
    defer { unsafe plist_free(node) }
    var characters: UnsafeMutablePointer<CChar>?
    var length: UInt32 = 0
    unsafe plist_to_xml(node, &characters, &length)
    guard let start = unsafe characters else { return "" }
    defer { unsafe plist_to_xml_free(start) }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(start: start, count: Int(length)), as: UTF8.self)
  }

  private func makeNode() -> plist_t? {
    switch self {
    case .string(let value): return unsafe plist_new_string(value)
    case .integer(let value): return unsafe plist_new_uint(UInt64(bitPattern: value))
    case .real(let value): return unsafe plist_new_real(value)
    case .boolean(let value): return unsafe plist_new_bool(value ? 1 : 0)
    case .data(let bytes):
      return unsafe bytes.withUnsafeBytes { buffer in
        unsafe plist_new_data(buffer.bindMemory(to: CChar.self).baseAddress, UInt64(buffer.count))
      }
    case .date(let seconds):
      let whole = seconds.rounded(.down)
      return unsafe plist_new_date(Int32(clamping: Int64(whole)), Int32((seconds - whole) * 1e6))
    case .array(let values):
      let array = unsafe plist_new_array()
      for value in values { unsafe plist_array_append_item(array, value.makeNode()) }
      return unsafe array
    case .dictionary(let values):
      let dictionary = unsafe plist_new_dict()
      for (key, value) in values.sorted(by: { $0.key < $1.key }) {
        unsafe plist_dict_set_item(dictionary, key, value.makeNode())
      }
      return unsafe dictionary
    }
  }
}
