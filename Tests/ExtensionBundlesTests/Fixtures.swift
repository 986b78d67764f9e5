import ExtensionBundles
import LinuxSystem

enum Fixtures {
  /// A whole Info.plist around the given keys.
  static func plist(_ keys: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \(keys)
    </dict>
    </plist>

    """
  }

  static let point = "org.example.host.Greet"
  static let identity = "<key>CFBundleIdentifier</key><string>org.example.Greeter</string>"
  static let program = "<key>CFBundleExecutable</key><string>greeter</string>"
  static let names =
    "<key>CFBundleName</key><string>Greeter</string><key>CFBundleVersion</key><string>1.2</string>"
  static let attributes = """
    <key>EXAppExtensionAttributes</key><dict>
    <key>EXExtensionPointIdentifier</key><string>\(point)</string></dict>
    """
  static let options = """
    <key>Extensiond</key><dict><key>Arguments</key><array><string>a</string><string>b</string></array>
    <key>StartTimeout</key><real>2.5</real></dict>
    """
  static let info = plist([identity, program, names, attributes, options].joined(separator: "\n"))

  /// Nothing in it but what most have.
  static let plain = plist(
    [
      identity, program, names, attributes,
      "<key>a</key>\n<array><integer>0</integer><integer>17</integer><string/><dict/></array>",
      "<key>d</key><dict><key>t</key><true/><key>f</key><false/><key>ü</key><string>€ </string></dict>",
    ].joined(separator: "\n"))

  /// The same as `info`, as JSON.
  static let infoJSON = """
    {
      "CFBundleIdentifier": "org.example.Greeter", "CFBundleExecutable": "greeter",
      "CFBundleName": "Greeter", "CFBundleVersion": "1.2",
      "EXAppExtensionAttributes": {"EXExtensionPointIdentifier": "\(point)"},
      "Extensiond": {"Arguments": ["a", "b"], "StartTimeout": 2.5}
    }
    """

  /// The start of an ELF program for a machine.
  static func elf(_ machine: Machine) -> [UInt8] {
    [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9) + [2, 0]
      + [UInt8(machine.rawValue & 0xFF), UInt8(machine.rawValue >> 8)] + [UInt8](repeating: 0, count: 44)
  }

  static let scanner = BundleScanner(systemVersion: "1.0")
}

extension TemporaryDirectory {
  /// A whole extension, in the flat layout.
  func makeExtension(_ path: String = "Greeter.appex", info: String = Fixtures.info) throws {
    try write(info, to: path + "/Info.plist")
    try write("#!/bin/sh\n", to: path + "/greeter", mode: 0o755)
  }

  /// An application that defines one point.
  func makeApplication(_ path: String = "Host.app", base: String = "", points: String? = nil) throws {
    try write(
      Fixtures.plist(
        "<key>CFBundleIdentifier</key><string>org.example.host</string>"
          + "<key>CFBundleName</key><string>The Host</string>"), to: "\(path)/\(base)Info.plist")
    try write(
      Fixtures.plist(points ?? "<key>\(Fixtures.point)</key><dict/>"),
      to: "\(path)/\(base)Extensions/Host.appextensionpoint")
  }

  /// Reads one entry of this directory as a root.
  func read(_ name: String = "Greeter.appex", _ scanner: BundleScanner = Fixtures.scanner) -> [BundleRecord] {
    scanner.read(name, inRoot: path)
  }
}

extension BundleRecord {
  var checks: Set<BundleProblem.Check> { Set(problems.map(\.check)) }
}
