import LinuxSystem
import SceneCompositor
import SceneHeadless

// scene-run SCRIPT WIDTHxHEIGHT SCALE PROGRAM [ARGUMENTS]: an unmodified program as a scene, for tests. Prints what the
// program printed; on standard error how often its connection has ended, why, and the most memory that this host had.

let arguments = CommandLine.arguments
guard arguments.count >= 5 else {
  CurrentProcess.printError("usage: scene-run SCRIPT WIDTHxHEIGHT SCALE PROGRAM [ARGUMENTS]")
  CurrentProcess.exit(64)
}
let size = arguments[2].split(separator: "x").compactMap { Int($0) }

/// The program, and the host's end of its connection. Only the program keeps the other one, so that its end can be seen.
func start(_ environment: [String], _ output: Pipe) throws -> (SharedDescriptor, SharedProcess) {
  let (own, its) = try Socket.pair()
  let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
  let child = try Spawn(
    path: arguments[4], arguments: Array(arguments.dropFirst(5)), environment: environment,
    descriptors: [null, output.writing, output.writing, its]
  ).run()
  return (own, SharedProcess(child))
}

do {
  let output = try Pipe.make()
  var environment = CurrentProcess.allEnvironment.filter {
    !["DISPLAY=", "WAYLAND_", "XDG_CURRENT_DESKTOP=", "QT_QPA_PLATFORMTHEME="].contains(where: $0.hasPrefix)
  }
  environment += [
    "WAYLAND_SOCKET=3", "GDK_BACKEND=wayland", "QT_QPA_PLATFORM=wayland", "SDL_VIDEODRIVER=wayland",
    "GSK_RENDERER=cairo",
  ]
  let (own, process) = try start(environment, output)
  let host = try HeadlessHost(
    own.descriptor.duplicate(), naming: .oneScene, scale: Double(arguments[3]) ?? 1)
  let scene = host.makeScene(token: nil, size: size.count == 2 ? (size[0], size[1]) : nil)
  host.compositor.onNote = { CurrentProcess.printError("scene-run: \($0)") }
  var printed = ""
  let script = HeadlessScript(
    String(decoding: try File.read(arguments[1], limit: 1 << 20), as: UTF8.self))
  var failure: (any Error)?
  do {
    try script.run(host, [scene]) {
      printed += String(decoding: output.written(upTo: 65536), as: UTF8.self)
      return printed
    }
  } catch { failure = error }
  process.send(signal: Signals.kill)
  _ = try? Poll.readable(process.rawValue, deadline: .now + .seconds(5))
  _ = try? process.process.reap()
  printed += String(decoding: output.written(upTo: 65536), as: UTF8.self)
  try? FileDescriptor.standardOutput().write(all: Array(printed.utf8))
  if case .some(let reason) = host.end {
    CurrentProcess.printError("scene-run: ended \(host.ends) time: \(reason ?? "by itself")")
  }
  let status = String(decoding: try File.read("/proc/self/status", limit: 1 << 16), as: UTF8.self)
  let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
  CurrentProcess.printError("scene-run: \(peak)")
  if let failure {
    CurrentProcess.printError("scene-run: \(failure)")
    CurrentProcess.exit(1)
  }
} catch {
  CurrentProcess.printError("scene-run: \(error)")
  CurrentProcess.exit(2)
}
