import Foundation
import PackagePlugin

/// Builds a product so that the compiler writes down what stands in `@Bind` and `@Definition`, then runs `extctl bundle`.
@main
struct BundlePlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) throws {
    var extractor = ArgumentExtractor(arguments)
    let word = extractor.extractOption(named: "configuration").last ?? "release"
    guard let configuration = PackageManager.BuildConfiguration(rawValue: word) else {
      throw Failure("there is no configuration \(word); give debug or release")
    }
    let words = extractor.remainingArguments
    guard let product = words.first, !product.hasPrefix("-") else {
      throw Failure("usage: swift package bundle PRODUCT --identifier ID -o PATH; see 'extctl help bundle'")
    }
    let extctl = try context.tool(named: "extctl").url
    let protocols = context.pluginWorkDirectoryURL.appendingPathComponent("protocols.json")
    try Data(try run(extctl, ["bundle", "--protocols"]).utf8).write(to: protocols)

    var parameters = PackageManager.BuildParameters(configuration: configuration)
    parameters.echoLogs = true
    parameters.otherSwiftcFlags = [
      "-emit-const-values", "-Xfrontend", "-const-gather-protocols-file", "-Xfrontend", protocols.path,
    ]
    let result = try packageManager.build(.product(product), parameters: parameters)
    guard result.succeeded else { throw Failure("\(product) could not be built") }
    guard let program = result.builtArtifacts.first(where: { $0.kind == .executable })?.url else {
      throw Failure("\(product) is no program; name an executable product")
    }
    print(try run(extctl, ["bundle", program.path] + words.dropFirst()), terminator: "")
  }

  /// Standard output of a program, which must succeed. What it says on standard error is shown.
  private func run(_ program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("no bundle is made") }
    return String(decoding: data, as: UTF8.self)
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
