internal import LauncherProtocol
internal import LinuxSystem

/// A start that worked: the launcher's ends of everything. One that fails leaves nothing behind.
struct InstanceStart {
  let processID: Int32
  let process: SharedProcess
  let group: ControlGroup?
  let control: SharedDescriptor
  let errors: SharedDescriptor
  let report: SharedDescriptor
  let sandboxReport: SharedDescriptor
  let bus: SessionBusProxy?

  init(
    _ request: LauncherInterface.Launch, bundle: SharedDescriptor?, channels: InstanceChannels, tools: Tools,
    groups: ControlGroups?, loop: EventLoop
  ) throws(LaunchFailure) {
    try Self.check(request, bundle)
    do throws(Errno) {
      group = try groups?.make(instance: request.instance)
    } catch {
      throw LaunchFailure(stage: "controlGroup", errno: error)
    }
    var bus: SessionBusProxy?
    do throws(LaunchFailure) {
      if let group { try Self.limit(group, groups, request) }
      if let names = request.sessionBus, !names.isEmpty, request.sandboxed {
        bus = try SessionBusProxy(
          names, instance: request.instance, tools: tools, errors: channels.errors.writing,
          group: group?.directory, loop: loop)
      }
      let ends = InstanceCommand.Ends(
        control: channels.control.instance, errors: channels.errors.writing, report: channels.report.writing,
        sandboxReport: channels.sandboxReport.writing, bundle: bundle, bus: bus)
      let command = try InstanceCommand(
        request, tools: tools, ends: ends, group: group?.directory, controllers: groups?.controllers ?? [])
      let child = try Self.run(command.spawn)
      processID = child.processID
      process = child.process
    } catch {
      bus?.end()
      if group != nil { try? groups?.remove(instance: request.instance) }
      throw error
    }
    self.bus = bus
    control = channels.control.broker
    errors = channels.errors.reading
    report = channels.report.reading
    sandboxReport = channels.sandboxReport.reading
  }

  private static func limit(
    _ group: ControlGroup, _ groups: ControlGroups?, _ request: LauncherInterface.Launch
  ) throws(LaunchFailure) {
    do throws(Errno) { try groups?.limit(group, to: request) } catch {
      // Nothing runs without the limits that were asked for.
      throw LaunchFailure(stage: "controlGroup", errno: error)
    }
  }

  private static func run(_ spawn: Spawn) throws(LaunchFailure) -> (processID: Int32, process: SharedProcess)
  {
    do throws(Spawn.Failure) {
      let child = try spawn.run()
      let processID = child.processID
      return (processID, SharedProcess(child))
    } catch {
      throw LaunchFailure(stage: error.stage.rawValue, errno: error.errno)
    }
  }

  /// What the kernel would not refuse by itself.
  private static func check(
    _ request: LauncherInterface.Launch, _ bundle: SharedDescriptor?
  ) throws(LaunchFailure) {
    let name = request.instance.utf8
    let isName =
      (1...64).contains(name.count)
      && name.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
          true
        default: false
        }
      }
    let texts =
      [request.program, request.directory] + request.arguments + request.environment
      + (request.sessionBus ?? [])
    let isInBundle = !request.sandboxed && bundle != nil && request.program.hasPrefix("./")
    // A NUL would cut a text short.
    guard isName, request.program.hasPrefix("/") || isInBundle, request.directory.hasPrefix("/"),
      request.note.utf8.count <= Launcher.noteLimit, !texts.contains(where: { $0.utf8.contains(0) })
    else { throw .invalid }
  }
}
