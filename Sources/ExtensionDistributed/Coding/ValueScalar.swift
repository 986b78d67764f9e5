internal import Varlink

/// A value that is one JSON value: booleans, numbers and strings.
protocol ValueScalar: StandardType {
  /// As JSON; nil where JSON has no such value.
  var json: JSON? { get }
  /// nil where it is of another kind, or does not fit.
  init?(json: JSON)
}

extension ValueScalar {
  static var parts: [any Any.Type] { [] }
}

extension Bool: ValueScalar {
  var json: JSON? { .bool(self) }

  init?(json: JSON) {
    guard case .bool(let value) = json else { return nil }
    self = value
  }
}

extension String: ValueScalar {
  var json: JSON? { .string(self) }

  init?(json: JSON) {
    guard case .string(let value) = json else { return nil }
    self = value
  }
}

extension ValueScalar where Self: FixedWidthInteger {
  var json: JSON? { Int64(exactly: self).map(JSON.integer) ?? UInt64(exactly: self).map(JSON.unsigned) }

  init?(json: JSON) {
    let value: Self?
    switch json {
    case .integer(let number): value = Self(exactly: number)
    case .unsigned(let number): value = Self(exactly: number)
    default: value = nil
    }
    guard let value else { return nil }
    self = value
  }
}

extension Int: ValueScalar {}
extension Int8: ValueScalar {}
extension Int16: ValueScalar {}
extension Int32: ValueScalar {}
extension Int64: ValueScalar {}
extension UInt: ValueScalar {}
extension UInt8: ValueScalar {}
extension UInt16: ValueScalar {}
extension UInt32: ValueScalar {}
extension UInt64: ValueScalar {}

extension Double: ValueScalar {
  var json: JSON? { isFinite ? .double(self) : nil }

  init?(json: JSON) {
    switch json {
    case .double(let value): self = value
    case .integer(let value): self = Double(value)
    case .unsigned(let value): self = Double(value)
    default: return nil
    }
  }
}

extension Float: ValueScalar {
  var json: JSON? { Double(self).json }

  init?(json: JSON) {
    guard let value = Double(json: json).map(Float.init), value.isFinite else { return nil }
    self = value
  }
}
