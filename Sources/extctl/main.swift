import ExtensionControl
import LinuxSystem

Signals.ignoreBrokenPipe()
CurrentProcess.exit(ExtensionControl.run(Array(CommandLine.arguments.dropFirst())).rawValue)
