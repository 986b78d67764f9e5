internal import CExpat

/// Reads the elements of an XML document, one after the other. No document type is accepted, so that no entity is expanded
/// and nothing outside is looked for.
@safe final class XMLElements {
  struct Element {
    /// The names from the outermost element to this one.
    let path: [String]
    let attributes: [String: String]
    /// The text that is directly in it.
    fileprivate(set) var text = ""
  }

  /// What is wrong, and on which line.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let maximumDepth = 32

  private let parser: XML_Parser
  private var open: [Element] = []
  private var ended: [Element] = []
  /// Why the reading was stopped by us.
  private var refusal: String?

  /// The elements in the order of their ends.
  static func read(_ bytes: [UInt8]) throws(Failure) -> [Element] {
    let reading = Self()
    let status = unsafe bytes.withUnsafeBytes { buffer in
      unsafe XML_Parse(
        reading.parser, buffer.bindMemory(to: CChar.self).baseAddress, CInt(buffer.count), 1)
    }
    if status == XML_STATUS_OK { return reading.ended }
    let error = unsafe String(cString: XML_ErrorString(XML_GetErrorCode(reading.parser)))
    let line = unsafe XML_GetCurrentLineNumber(reading.parser)
    throw Failure(description: "line \(line): \(reading.refusal ?? error)")
  }

  private init() {
    guard let parser = unsafe XML_ParserCreate(nil) else { preconditionFailure("expat has no memory") }
    unsafe self.parser = parser
    // The pointer lives as long as the parser, which ends in deinit.
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser, { unsafe XMLElements.from($0).start($1, $2) },
      { data, _ in unsafe XMLElements.from(data).end() })
    unsafe XML_SetCharacterDataHandler(parser) { unsafe XMLElements.from($0).text($1, Int($2)) }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      unsafe XMLElements.from(data).stop("it declares a document type; leave <!DOCTYPE …> out")
    }
  }

  deinit { unsafe XML_ParserFree(parser) }

  private static func from(_ data: UnsafeMutableRawPointer?) -> XMLElements {
    guard let data = unsafe data else { preconditionFailure("the parser belongs to one") }
    return unsafe Unmanaged.fromOpaque(data).takeUnretainedValue()
  }

  private func stop(_ reason: String) {
    if refusal == nil { refusal = reason }
    unsafe XML_StopParser(parser, 0)
  }

  private func start(
    _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    if open.count >= Self.maximumDepth {
      return stop("elements stand deeper than \(Self.maximumDepth) in each other")
    }
    var attributes: [String: String] = [:]
    var next = unsafe list
    // Names and values by turns, then NULL.
    while let pair = unsafe next, let key = unsafe pair[0], let value = unsafe pair[1] {
      attributes[unsafe String(cString: key)] = unsafe String(cString: value)
      unsafe next = pair + 2
    }
    let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
    open.append(Element(path: (open.last?.path ?? []) + [name], attributes: attributes))
  }

  private func end() {
    if let element = open.popLast() { ended.append(element) }
  }

  private func text(_ characters: UnsafePointer<CChar>?, _ count: Int) {
    guard !open.isEmpty else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: characters, count: count)
    open[open.count - 1].text += unsafe String(decoding: bytes, as: UTF8.self)
  }
}
