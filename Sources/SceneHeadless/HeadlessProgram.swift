internal import LinuxSystem
internal import SceneCompositor

/// The program extensiond-preview as a library: it shows the scene on the Wayland connection that it inherits as descriptor
/// 3, without a screen, and does what a script says. What the extension prints is its standard input.
public enum HeadlessProgram {
  /// Runs one command line, without the program's name. Returns its exit status: 0 when everything was done, 1 when a step
  /// failed, 64 for a command line that is not understood.
  public static func run(_ arguments: [String]) -> Int32 {
    var values: [String: String] = [:]
    var tokens: [String] = []
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard name.hasPrefix("--"), let value = rest.popFirst() else { return usage("what is '\(name)'?") }
      if name == "--token" { tokens.append(value) } else { values[String(name.dropFirst(2))] = value }
    }
    if let name = values.keys.first(where: { !["size", "scale", "script", "snapshot"].contains($0) }) {
      return usage("there is no --\(name)")
    }
    let size = values["size"].map { $0.split(separator: "x").compactMap { Int($0) } }
    if let size, size.count != 2 || size.contains(where: { $0 < 1 || $0 > 16384 }) {
      return usage("--size is WIDTHxHEIGHT, such as 640x400")
    }
    guard let scale = Double(values["scale"] ?? "1"), scale >= 0.5, scale <= 8 else {
      return usage("--scale is a number from 0.5 to 8")
    }
    guard let display = FileDescriptor.inherited(3) else {
      return usage("descriptor 3 is the connection; 'extctl preview' starts this program")
    }
    do {
      try show(display, tokens, values, size: size.map { ($0[0], $0[1]) }, scale: scale)
      return 0
    } catch {
      CurrentProcess.printError("extensiond-preview: \(error)")
      return 1
    }
  }

  private static func usage(_ message: String) -> Int32 {
    CurrentProcess.printError("extensiond-preview: \(message)")
    return 64
  }

  private static func show(
    _ display: consuming FileDescriptor, _ tokens: [String], _ values: [String: String],
    size: (width: Int, height: Int)?,
    scale: Double
  ) throws {
    let host = try HeadlessHost(display, naming: tokens.isEmpty ? .oneScene : .byToken, scale: scale)
    host.compositor.onNote = { CurrentProcess.printError("extensiond-preview: \($0)") }
    let scenes =
      tokens.isEmpty
      ? [host.makeScene(token: nil, size: size)] : tokens.map { host.makeScene(token: $0, size: size) }
    var text = "wait shown"
    if let path = values["script"] {
      do throws(Errno) { text = String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self) } catch {
        throw HeadlessScript.Failure(description: "\(path) cannot be read: \(error)")
      }
    }
    let input = FileDescriptor.inherited(0)
    try? input?.setNonBlocking()
    var printed = ""
    try HeadlessScript(text).run(host, scenes) {
      while let part = try? input?.read(upTo: 65536), !part.isEmpty {
        printed += String(decoding: part, as: UTF8.self)
        // What is waited for comes soon after what it waits for.
        if printed.utf8.count > 1 << 20 { printed = String(printed.suffix(1 << 19)) }
      }
      return printed
    }
    guard let path = values["snapshot"] else { return }
    guard let picture = scenes[0].picture(scale: Int(scale.rounded(.up))) else {
      throw HeadlessScript.Failure(description: "the scene shows nothing")
    }
    try picture.writePNG(to: path)
  }
}
