internal import Varlink

/// Why a value cannot be written or read, for people.
struct ValueProblem: CustomStringConvertible {
  /// The way to it, like `lines[2].text`.
  private let path: String
  private let message: String

  init(_ error: any Error) {
    let context: (path: [any CodingKey], message: String)? =
      switch error {
      case EncodingError.invalidValue(_, let it): (it.codingPath, it.debugDescription)
      case DecodingError.typeMismatch(_, let it), DecodingError.valueNotFound(_, let it),
        DecodingError.keyNotFound(_, let it), DecodingError.dataCorrupted(let it):
        (it.codingPath, it.debugDescription)
      default: nil
      }
    path = (context?.path ?? []).reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += (path.isEmpty ? "" : ".") + key.stringValue
      }
    }
    message = context?.message ?? "\(error)"
  }

  var description: String { path.isEmpty ? message : "'\(path)' \(message)" }

  /// As what a peer is told of a parameter.
  func inside(_ parameter: String) -> VarlinkDecodingError {
    VarlinkDecodingError(
      path: path.isEmpty || path.first == "[" ? parameter + path : "\(parameter).\(path)",
      problem: .mismatch(expected: "what the method takes", found: message))
  }
}
