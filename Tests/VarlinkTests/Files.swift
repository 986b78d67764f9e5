import LinuxSystem

/// The files that the tests compare with.
enum Files {
  static let tests = String(#filePath.dropLast("/Files.swift".utf8.count))
  static let sources = tests + "/../../Sources"
  static let everything = tests + "/org.example.Everything.varlink"
  static let service = sources + "/Varlink/Service/org.varlink.service.varlink"
  static let interfaces = ["Admin", "Broker", "Extension"].map {
    "\(sources)/ExtensionInterfaces/io.extensiond.\($0).varlink"
  }
  static let descriptions = interfaces + [service, everything]

  static func read(_ path: String) throws -> String {
    String(decoding: try File.read(path, limit: 1 << 20), as: UTF8.self)
  }
}
