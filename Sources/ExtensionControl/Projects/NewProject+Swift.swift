internal import ExtensionBundles
internal import Varlink
internal import VarlinkGenerator

/// Where a package finds the SDK.
enum SDKPlace {
  case directory(String)
  case address(String)

  init(_ text: String) throws(ControlError) {
    self =
      text.contains("://") || text.hasPrefix("git@") ? .address(text) : .directory(try Path.absolute(text))
  }

  /// As Package.swift has it.
  var dependency: String {
    switch self {
    case .directory(let path): ".package(name: \"extensiond\", path: \(Self.literal(path)))"
    case .address(let address): ".package(url: \(Self.literal(address)), branch: \"main\")"
    }
  }

  /// What Package.swift calls the package.
  var package: String {
    guard case .address(let address) = self else { return "extensiond" }
    let last = address.split { $0 == "/" || $0 == ":" }.last ?? ""
    return String(last.hasSuffix(".git") ? last.dropLast(4) : last)
  }

  private static func literal(_ text: String) -> String {
    let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\""
  }
}

extension NewProject {
  func swiftFiles(_ sdk: SDKPlace?) throws(ControlError) -> [File] {
    guard let sdk else {
      throw ControlError(
        .usage, "--sdk is missing: the directory or the address of the package with ExtensionFoundation")
    }
    let sources = "Sources/\(name)/"
    let products = (hasWindow ? ["ExtensionKit", "ExtensionKitGTKContent"] : []).map {
      "        .product(name: \"\($0)\", package: \"\(sdk.package)\"),\n"
    }.joined()
    let package = values.merging([
      "SDK": sdk.dependency, "PACKAGE": sdk.package, "PRODUCTS": products,
    ]) { $1 }
    var files = [
      File(path: ".gitignore", text: ".build/\n\(name).appex/\n"),
      File(
        path: "Makefile",
        text: Template(PackageResources.swift_mk_in).text(
          values.merging(["INFO": options.isEmpty ? "" : " --info Info.plist"]) { $1 })),
      File(path: "Package.swift", text: Template(PackageResources.Package_swift_in).text(package)),
      File(path: "protocols.json", text: ConstantValues.protocols + "\n"),
    ]
    if !options.isEmpty {
      files.append(File(path: "Info.plist", text: PropertyList.dictionary(options).xml))
    }
    var handler = [
      "// Each line comes back. Write here what host and extension say to each other.",
      "Task { for await line in connection.lines { try? connection.send(line: line) } }",
    ]
    if let interface {
      let type = SwiftGenerator.typeName(interface: interface.description.name)
      handler = [
        "connection.export(\(type).MyService(), as: \(type).self)", "connection.resume()",
      ]
      files += [
        File(path: sources + interface.fileName, text: interface.text),
        File(path: sources + "MyService.swift", text: try stubs(of: interface)),
      ]
    }
    let code = ["POINT": binding, "HANDLER": handler.map { "      " + $0 }.joined(separator: "\n")]
    files.append(
      File(
        path: sources + "MyExtension.swift",
        text: Template(
          hasWindow ? PackageResources.MyScene_swift_in : PackageResources.MyExtension_swift_in
        ).text(code))
    )
    return files
  }

  private func stubs(of interface: InterfaceFile) throws(ControlError) -> String {
    do throws(GeneratorError) {
      return try SwiftGenerator.stubs(
        for: SwiftGenerator.Source(path: interface.fileName, text: interface.text), type: "MyService")
    } catch {
      throw ControlError(.failed, "no Swift can be made of \(error.path): \(error.message)")
    }
  }

  /// The point as its host's author writes it, where it has a host.
  private var binding: String {
    let parts = point.split(separator: ".")
    guard parts.count > 2, let name = parts.last else { return "Identifier(\"\(point)\")" }
    return "Identifier(host: \"\(parts.dropLast().joined(separator: "."))\", name: \"\(name)\")"
  }
}
