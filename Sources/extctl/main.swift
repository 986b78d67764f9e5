import ExtensionControl
import LinuxSystem

// SIGPIPE keeps its meaning: `extctl watch | head` ends when nobody reads any more.
CurrentProcess.exit(ExtensionControl.run(Array(CommandLine.arguments.dropFirst())).rawValue)
