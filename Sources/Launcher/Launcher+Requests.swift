internal import LauncherProtocol
internal import LinuxSystem
internal import Varlink

extension Launcher {
  /// Answers one request. What is no request of the interface ends the connection.
  func handle(_ call: VarlinkCall, _ descriptors: [SharedDescriptor]) {
    guard let broker else { return }
    guard let request = try? LauncherInterface.Call(call), broker.isGreeted || request.isHello else {
      return broker.close()
    }
    switch request {
    case .hello(let request): hello(request)
    case .table(let request): table(request)
    case .launch(let request): launch(request, bundle: descriptors.first)
    case .lease(let request): lease(request, socket: descriptors.first)
    case .endLease(let request):
      leases.removeValue(forKey: request.activation)?.end(.instance)
      answer(LauncherInterface.EndLease.Reply(answers: request.request))
      checkEnd()
    case .setNote(let request): setNote(request)
    case .terminate(let request):
      instances[request.instance]?.terminate()
      answer(LauncherInterface.Terminate.Reply(answers: request.request))
    case .kill(let request):
      instances[request.instance]?.kill()
      answer(LauncherInterface.Kill.Reply(answers: request.request))
    case .inspect(let request): inspect(request)
    case .forget(let request): forget(request)
    case .settled(let request):
      starts.settle()
      answer(LauncherInterface.Settled.Reply(answers: request.request))
    case .stop(let request):
      starts.settle()
      answer(LauncherInterface.Stop.Reply(answers: request.request))
      stop()
    }
  }

  private func answer(_ reply: some VarlinkStructure, descriptors: [SharedDescriptor] = []) {
    broker?.send(reply.reply.encoded(), descriptors: descriptors)
  }

  private func refuse(_ error: some VarlinkErrorReply) { broker?.send(error.reply.encoded()) }

  private func hello(_ request: LauncherInterface.Hello) {
    starts.greet(request.generation)
    broker?.isGreeted = true
    answer(
      LauncherInterface.Hello.Reply(
        answers: request.request, protocol: LauncherPacket.version, pid: Int(CurrentProcess.processID),
        controlGroups: groups != nil, controllers: groups?.controllers.sorted() ?? [],
        unsettledStarts: starts.unsettled, sandboxFault: tools.sandboxFault))
  }

  private func table(_ request: LauncherInterface.Table) {
    for instance in instances.values {
      if let end = instance.ended {
        tell(end)
      } else if let descriptors = try? instance.descriptors() {
        tell(
          LauncherEventsInterface.InstanceRow(
            instance: instance.name, pid: Int(instance.processID), executed: instance.executed,
            note: instance.note),
          descriptors: descriptors)
        if let pressure = instance.memoryPressure { tell(pressure) }
      } else {
        // A row without its descriptors would be worse than none; the broker asks again.
        broker?.close()
        return
      }
    }
    for lease in leases.values { tell(lease.row) }
    answer(LauncherInterface.Table.Reply(answers: request.request, rows: instances.count + leases.count))
  }

  private func launch(_ request: LauncherInterface.Launch, bundle: SharedDescriptor?) {
    guard instances[request.instance] == nil else {
      return refuse(LauncherInterface.InstanceExists(answers: request.request, instance: request.instance))
    }
    do throws(LaunchFailure) {
      guard !isStopping else { throw LaunchFailure(stage: "exec", errno: .canceled) }
      let instance = try Instance(
        request, bundle: bundle, channels: takeChannels(), tools: tools, groups: groups, journal: journal,
        loop: loop, handlers: handlers())
      instances[instance.name] = instance
      do throws(Errno) {
        let descriptors = try instance.descriptors()
        answer(
          LauncherInterface.Launch.Reply(answers: request.request, pid: Int(instance.processID)),
          descriptors: descriptors)
      } catch {
        instance.kill()
        throw LaunchFailure(stage: "descriptors", errno: error)
      }
      reportCount()
    } catch {
      endOrphans()
      refuse(
        LauncherInterface.LaunchFailed(
          answers: request.request, stage: error.stage, errno: Int(error.errno.rawValue)))
    }
  }

  /// The next ones are made while this instance starts, when nobody waits for the launcher.
  private func takeChannels() throws(LaunchFailure) -> InstanceChannels {
    defer { spareChannels = nil }
    loop.schedule(after: .zero) { [weak self] in self?.makeSpareChannels() }
    if let spareChannels { return spareChannels }
    return try InstanceChannels()
  }

  private func lease(_ request: LauncherInterface.Lease, socket: SharedDescriptor?) {
    guard instances[request.instance]?.isLiving == true else {
      return refuse(LauncherInterface.InstanceNotFound(answers: request.request, instance: request.instance))
    }
    guard let socket, request.note.utf8.count <= Self.noteLimit,
      let lease = try? Lease(
        activation: request.activation, instance: request.instance, note: request.note, socket: socket,
        loop: loop,
        onEnd: { [unowned self] in self.leaseEnded($0) })
    else {
      broker?.close()
      return
    }
    leases[request.activation] = lease
    answer(LauncherInterface.Lease.Reply(answers: request.request))
  }

  private func leaseEnded(_ lease: Lease) {
    tell(LauncherEventsInterface.LeaseEnded(activation: lease.activation, instance: lease.instance))
    checkEnd()
  }

  private func setNote(_ request: LauncherInterface.SetNote) {
    guard request.note.utf8.count <= Self.noteLimit else {
      broker?.close()
      return
    }
    instances[request.subject]?.note = request.note
    leases[request.subject]?.note = request.note
    answer(LauncherInterface.SetNote.Reply(answers: request.request))
  }

  private func inspect(_ request: LauncherInterface.Inspect) {
    guard let instance = instances[request.instance], instance.isLiving else {
      return refuse(LauncherInterface.InstanceNotFound(answers: request.request, instance: request.instance))
    }
    let program = instance.program
    answer(
      LauncherInterface.Inspect.Reply(
        answers: request.request, pid: program.map { Int($0.processID) }, landlock: instance.landlock),
      descriptors: program.map { [$0.directory] } ?? [])
  }

  /// An instance that lives cannot be forgotten: it would be lost.
  private func forget(_ request: LauncherInterface.Forget) {
    guard instances[request.instance]?.isLiving != true else {
      return refuse(LauncherInterface.InstanceExists(answers: request.request, instance: request.instance))
    }
    instances[request.instance] = nil
    answer(LauncherInterface.Forget.Reply(answers: request.request))
  }
}

extension LauncherInterface.Call {
  fileprivate var isHello: Bool {
    if case .hello = self { true } else { false }
  }
}
