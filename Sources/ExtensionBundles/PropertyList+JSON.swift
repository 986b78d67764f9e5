internal import Varlink

extension PropertyList {
  /// Reads JSON (RFC 8259). Its objects are dictionaries; there is no null.
  init(json bytes: [UInt8]) throws(PropertyListError) {
    if bytes.isEmpty { throw .empty }
    if bytes.count > Self.maximumSize { throw .tooLarge }
    let json: JSON
    do throws(JSONError) {
      json = try JSON(parsing: bytes, maximumDepth: Self.maximumDepth)
    } catch {
      throw .malformedJSON(error.description)
    }
    self = try Self.value(of: json)
  }

  private static func value(of json: JSON) throws(PropertyListError) -> PropertyList {
    switch json {
    case .null: throw .malformedJSON("It holds null, which says nothing; leave such keys out.")
    case .bool(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .unsigned(let value): return .real(Double(value))
    case .double(let value): return .real(value)
    case .string(let value): return .string(value)
    case .array(let values):
      var list: [PropertyList] = []
      for value in values { list.append(try self.value(of: value)) }
      return .array(list)
    case .object(let object):
      var dictionary: [String: PropertyList] = [:]
      for member in object.members { dictionary[member.name] = try value(of: member.value) }
      return .dictionary(dictionary)
    }
  }
}
