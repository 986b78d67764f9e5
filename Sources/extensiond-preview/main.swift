import LinuxSystem
import SceneHeadless

Signals.ignorePipe()
CurrentProcess.exit(HeadlessProgram.run(Array(CommandLine.arguments.dropFirst())))
