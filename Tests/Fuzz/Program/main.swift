import CFuzzer
import LinuxSystem

// fuzz [OPTION…] [DIRECTORY|FILE…], with the options of libFuzzer, for the target that FUZZ_TARGET names. libFuzzer starts
// this program anew with its own arguments, so the name cannot be one of them. `--list` prints the targets.

enum Selection {
  static let target: FuzzTarget = {
    let name = CurrentProcess.environment("FUZZ_TARGET") ?? ""
    if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
    CurrentProcess.printError(
      "fuzz: FUZZ_TARGET is “\(name)”; write one of \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    CurrentProcess.exit(64)
  }()
}

if CommandLine.arguments.dropFirst().first == "--list" {
  for target in FuzzTarget.all { print(target.name) }
} else {
  _ = Selection.target
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
  let status = unsafe LLVMFuzzerRunDriver(&count, &arguments) { start, count in
    Selection.target.run(unsafe [UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
  CurrentProcess.exit(status)
}
