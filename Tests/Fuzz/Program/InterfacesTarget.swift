import Varlink
import VarlinkGenerator

extension FuzzTarget {
  /// A description that was read is written so that it is read as the same again, and Swift is made of it, or a reason
  /// given.
  static let interfaces = FuzzTarget("interfaces") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    guard let interface = try? InterfaceDescription(parsing: text) else { return }
    let written = interface.description
    let again = must("reading what was written") { try InterfaceDescription(parsing: written) }
    expect(again == interface, "it was written as \(written)")
    let source = SwiftGenerator.Source(path: interface.name + ".varlink", text: text)
    // The purpose for which the most is made.
    _ = try? SwiftGenerator.files(for: [source], purpose: .sdk)
  }
}
