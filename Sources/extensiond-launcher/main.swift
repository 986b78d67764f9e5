internal import Launcher
internal import LinuxSystem

Signals.prepareProcess()
CurrentProcess.setFileModeMask(0o077)
do {
  let settings = try Settings(arguments: Array(CommandLine.arguments.dropFirst()))
  try Launcher(settings: settings).run()
} catch {
  CurrentProcess.printError("extensiond-launcher: \(error.message)")
  CurrentProcess.exit(error.status.rawValue)
}
