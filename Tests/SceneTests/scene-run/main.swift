import LinuxSystem
import SceneCompositor
import SceneHeadless

// scene-run SCRIPT WIDTHxHEIGHT SCALE PROGRAM [ARGUMENTS]: an unmodified program as a scene, for tests.

let arguments = CommandLine.arguments
guard arguments.count >= 5 else {
  CurrentProcess.printError("usage: scene-run SCRIPT WIDTHxHEIGHT SCALE PROGRAM [ARGUMENTS]")
  CurrentProcess.exit(64)
}
let size = arguments[2].split(separator: "x").compactMap { Int($0) }
do {
  let (own, its) = try Socket.pair()
  let output = try Pipe.make()
  let null = SharedDescriptor(try File.open("/dev/null", .readWrite))
  var environment = CurrentProcess.allEnvironment.filter {
    !["DISPLAY=", "WAYLAND_", "XDG_CURRENT_DESKTOP=", "QT_QPA_PLATFORMTHEME="].contains(where: $0.hasPrefix)
  }
  environment += [
    "WAYLAND_SOCKET=3", "GDK_BACKEND=wayland", "QT_QPA_PLATFORM=wayland", "SDL_VIDEODRIVER=wayland",
    "GSK_RENDERER=cairo",
  ]
  let child = try Spawn(
    path: arguments[4], arguments: Array(arguments.dropFirst(5)), environment: environment,
    descriptors: [null, output.writing, output.writing, its]
  ).run()
  let process = child.takeProcess()
  let host = try HeadlessHost(
    own.descriptor.duplicate(), naming: .oneScene, scale: Double(arguments[3]) ?? 1)
  let scene = host.makeScene(token: nil, size: size.count == 2 ? (size[0], size[1]) : nil)
  host.compositor.onNote = { CurrentProcess.printError("scene-run: \($0)") }
  var printed = ""
  let script = HeadlessScript(
    String(decoding: try File.read(arguments[1], limit: 1 << 20), as: UTF8.self))
  var failure: (any Error)?
  do {
    try script.run(host, scene) {
      printed += String(decoding: output.written(upTo: 65536), as: UTF8.self)
      return printed
    }
  } catch { failure = error }
  try? process.send(signal: Signals.kill)
  _ = try? Poll.readable(process.descriptor.rawValue, deadline: .now + .seconds(5))
  _ = try? process.reap()
  printed += String(decoding: output.written(upTo: 65536), as: UTF8.self)
  print(printed, terminator: "")
  if let failure {
    CurrentProcess.printError("scene-run: \(failure)")
    CurrentProcess.exit(1)
  }
} catch {
  CurrentProcess.printError("scene-run: \(error)")
  CurrentProcess.exit(2)
}
