import Foundation
import PackagePlugin

/// Makes C of the Wayland protocols that a target's `protocols.list` names, with the system's wayland-scanner: for a server,
/// or where a line says `client` for that.
@main
struct WaylandPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL
    let list = folder.appending(path: "protocols.list")
    let lines = try String(contentsOf: list, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    let side = lines.contains("client") ? "client" : "server"
    return lines.filter { $0 != "client" }.map { name in
      let description = URL(filePath: String(name), relativeTo: folder).absoluteURL
      let output = context.pluginWorkDirectoryURL
      let plain = description.deletingPathExtension().lastPathComponent
      // Public headers of what is generated must be in a folder with this name.
      let header = output.appending(path: "include/\(plain)-\(side)-protocol.h")
      let code = output.appending(path: "\(plain)-protocol.c")
      // Both in one command: whoever waits for the code, as the compiler does, has the header too.
      return .buildCommand(
        displayName: "Generating C for the Wayland protocol \(plain)",
        executable: URL(filePath: "/bin/sh"),
        arguments: [
          "-c",
          #"wayland-scanner -c "$4-header" "$1" "$2" && wayland-scanner -c private-code "$1" "$3""#,
          "wayland-scanner", description.path, header.path, code.path, side,
        ],
        inputFiles: [description, list],
        outputFiles: [header, code])
    }
  }
}
