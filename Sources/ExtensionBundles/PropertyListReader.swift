internal import CLinux
internal import CPropertyList

extension PropertyList {
  /// Reads XML (UTF-8) or binary bytes.
  public init(_ bytes: [UInt8]) throws(PropertyListError) {
    if bytes.isEmpty { throw .empty }
    if bytes.count > Self.maximumSize { throw .tooLarge }
    guard let plain = PlainPropertyList.read(bytes) else {
      self = try Self(byLibrary: bytes)
      return
    }
    self = plain
  }

  /// The same for bytes of any kind and fault. Not empty, and not too large.
  package init(byLibrary bytes: [UInt8]) throws(PropertyListError) {
    // The C library recurses without a limit and copies what is shared, so it is shown only what is flat and small.
    let isBinary = bytes.starts(with: BinaryPropertyListShape.magic)
    if isBinary {
      try BinaryPropertyListShape.check(bytes)
    } else {
      try XMLPropertyListShape.check(bytes)
    }
    var root = unsafe plist_t(bitPattern: 0)
    unsafe bytes.withUnsafeBytes { buffer in
      let characters = unsafe buffer.bindMemory(to: CChar.self).baseAddress
      if isBinary {
        unsafe plist_from_bin(characters, UInt32(buffer.count), &root)
      } else {
        unsafe plist_from_xml(characters, UInt32(buffer.count), &root)
      }
    }
    guard let node = unsafe root else { throw .malformed }
    defer { unsafe plist_free(node) }
    self = try unsafe Self.value(of: node)
  }

  /// Reads bytes whose outermost value must be a dictionary. `isJSON`: they are JSON, which no look at them can tell.
  public static func dictionary(
    from bytes: [UInt8], isJSON: Bool = false
  ) throws(PropertyListError) -> [String: PropertyList] {
    let value = try isJSON ? PropertyList(json: bytes) : PropertyList(bytes)
    guard case .dictionary(let dictionary) = value else { throw .notDictionary(value.kindName) }
    return dictionary
  }

  private static func value(of node: plist_t) throws(PropertyListError) -> PropertyList {
    switch unsafe plist_get_node_type(node) {
    case PLIST_BOOLEAN:
      var value: UInt8 = 0
      unsafe plist_get_bool_val(node, &value)
      return .boolean(value != 0)
    case PLIST_UINT:
      // Negative numbers come as their two's complement.
      var value: UInt64 = 0
      unsafe plist_get_uint_val(node, &value)
      return .integer(Int64(bitPattern: value))
    case PLIST_REAL:
      var value = 0.0
      unsafe plist_get_real_val(node, &value)
      return .real(value)
    case PLIST_STRING:
      return .string(String(decoding: unsafe bytes(of: node, plist_get_string_ptr), as: UTF8.self))
    case PLIST_DATA:
      return .data(unsafe bytes(of: node, plist_get_data_ptr))
    case PLIST_DATE:
      var seconds: Int32 = 0
      var microseconds: Int32 = 0
      unsafe plist_get_date_val(node, &seconds, &microseconds)
      return .date(Double(seconds) + Double(microseconds) / 1e6)
    case PLIST_ARRAY:
      return .array(try unsafe array(node))
    case PLIST_DICT:
      return .dictionary(try unsafe dictionary(node))
    default:
      throw .malformed
    }
  }

  private static func bytes(
    of node: plist_t, _ get: (plist_t?, UnsafeMutablePointer<UInt64>?) -> UnsafePointer<CChar>?
  ) -> [UInt8] {
    var length: UInt64 = 0
    guard let pointer = unsafe get(node, &length) else { return [] }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: pointer, count: Int(length)))
  }

  private static func array(_ node: plist_t) throws(PropertyListError) -> [PropertyList] {
    var iterator = unsafe plist_array_iter(bitPattern: 0)
    unsafe plist_array_new_iter(node, &iterator)
    defer { unsafe free(iterator) }
    var values: [PropertyList] = []
    while true {
      var item = unsafe plist_t(bitPattern: 0)
      unsafe plist_array_next_item(node, iterator, &item)
      guard let item = unsafe item else { return values }
      values.append(try unsafe value(of: item))
    }
  }

  private static func dictionary(_ node: plist_t) throws(PropertyListError) -> [String: PropertyList] {
    var iterator = unsafe plist_dict_iter(bitPattern: 0)
    unsafe plist_dict_new_iter(node, &iterator)
    defer { unsafe free(iterator) }
    var values: [String: PropertyList] = [:]
    while true {
      var key = unsafe UnsafeMutablePointer<CChar>(bitPattern: 0)
      var item = unsafe plist_t(bitPattern: 0)
      unsafe plist_dict_next_item(node, iterator, &key, &item)
      defer { unsafe free(key) }
      guard let item = unsafe item, let key = unsafe key else { return values }
      let name = unsafe String(cString: key)
      values[name] = try unsafe value(of: item)
    }
  }
}
