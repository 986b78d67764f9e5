import PackagePlugin

/// Makes Swift of all the `.varlink` files of a target, in one command: a type that two interfaces share is
/// declared once.
@main
struct VarlinkPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let inputs = (target.sourceModule?.sourceFiles(withSuffix: ".varlink").map(\.url) ?? [])
      .sorted { $0.path < $1.path }
    guard !inputs.isEmpty else { return [] }
    let directory = context.pluginWorkDirectoryURL
    let outputs = inputs.map { input in
      directory.appendingPathComponent(
        Self.fileName(interface: input.deletingPathExtension().lastPathComponent))
    }
    return [
      .buildCommand(
        displayName: "Generating Swift for the Varlink interfaces of \(target.name)",
        executable: try context.tool(named: "varlink-generate").url,
        arguments: Self.purpose(target) + ["--output", directory.path] + inputs.map(\.path),
        inputFiles: inputs,
        outputFiles: outputs)
    ]
  }

  /// A target that uses the SDK gets services and proxies.
  private static func purpose(_ target: any Target) -> [String] {
    let usesSDK = target.dependencies.contains { dependency in
      switch dependency {
      case .target(let target): target.name == "ExtensionFoundation"
      case .product(let product): product.targets.contains { $0.name == "ExtensionFoundation" }
      @unknown default: false
      }
    }
    return usesSDK ? ["--sdk"] : []
  }

  /// The same rule as `SwiftGenerator.typeName` of the module VarlinkGenerator, which a plugin cannot import.
  private static func fileName(interface: String) -> String {
    let words = (interface.split(separator: ".").last ?? "").split(separator: "-")
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Interface.swift"
  }
}
