import ExtensionBundles
import ExtensionInterfaces
import LinuxSystem

extension FuzzTarget {
  /// The input as the keys of an extension, of an application, and of a file of points, in a root that is scanned as any
  /// other. What is found usable holds nothing that the launch would read otherwise.
  static let bundles = FuzzTarget("bundles") { bytes in
    let scan = must("writing the bundles") { try root.scan(bytes) }
    for record in scan.records where record.isUsable {
      if record.kind != .pointFile {
        expect(BundleIdentifier.isValid(record.identifier ?? ""), "no identifier")
      }
      for text in [record.executable ?? ""] + record.programs + record.options.arguments {
        expect(!text.utf8.contains(0), "NUL in “\(text)”")
      }
      if record.kind == .appExtension {
        expect(record.executable != nil, "no program")
        expect(BundleIdentifier.isValid(record.extensionPoint ?? ""), "no point")
      }
      for point in record.points { expect(BundleIdentifier.isValid(point.identifier), "no point") }
    }
  }

  private static let root = must("making the root") { try Root() }

  /// A directory that is used again and again. Whoever runs this removes it: a fault leaves no time for that.
  private struct Root {
    private let path: String
    private let scanner = BundleScanner(systemVersion: "1.0")

    init() throws {
      path = (CurrentProcess.environment("TMPDIR") ?? "/tmp") + "/extensiond-fuzz-\(CurrentProcess.processID)"
      try? File.removeTree(path)
      for directory in ["/Greeter.appex/en.lproj", "/Host.app/Extensions"] {
        try File.makeDirectories(path + directory)
      }
      try File.open(path + "/Greeter.appex/greeter", [.writeOnly, .create], mode: 0o755)
        .write(all: Array("#!/bin/sh\n".utf8))
      try write(Array("CFBundleName = \"Greeter\";".utf8), "/Greeter.appex/en.lproj/InfoPlist.strings")
      try write(
        Array("interface org.example.Greet\nerror No ()\n".utf8),
        "/Host.app/Extensions/org.example.Greet.varlink")
    }

    func scan(_ bytes: [UInt8]) throws -> RootScan {
      // Only JSON starts so.
      let names =
        bytes.first == UInt8(ascii: "{") ? ["Info.json", "Info.plist"] : ["Info.plist", "Info.json"]
      for bundle in ["/Greeter.appex/", "/Host.app/"] {
        try? File.remove(path + bundle + names[1])
        try write(bytes, bundle + names[0])
      }
      try write(bytes, "/Host.app/Extensions/Host.appextensionpoint")
      try write(bytes, "/Everybody.appextensionpoint")
      return scanner.scan(root: path)
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
      try File.open(path + name, [.writeOnly, .create, .truncate], mode: 0o644).write(all: bytes)
    }
  }
}
