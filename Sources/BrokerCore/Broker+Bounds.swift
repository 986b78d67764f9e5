internal import ExtensionInterfaces

// What an instance may use, and what holds it to that.

extension Broker {
  /// What the bundle asks for, or else what everybody has; the policy caps both.
  func bounds(of facts: BundleFacts) -> ResourceBounds {
    let usual = ResourceBounds(
      memory: limits.instanceMemory, processes: limits.instanceProcesses,
      openFiles: limits.instanceOpenFiles, fileSize: limits.instanceFileSize)
    return facts.bounds.completed(by: usual).capped(by: catalog.ruling(facts).bounds)
  }

  func boundRows(_ facts: BundleFacts) -> [AdminInterface.Bound] {
    let bounds = bounds(of: facts)
    let isSandboxed = !facts.entitlements.contains("none") && !runsWithoutSandbox(facts)
    let values: [(AdminInterface.Bound.Name, KeyPath<ResourceBounds, Int?>)] = [
      (.memory, \.memory), (.processes, \.processes), (.cpuWeight, \.cpuWeight), (.openFiles, \.openFiles),
      (.fileSize, \.fileSize),
    ]
    return values.compactMap { name, value in
      bounds[keyPath: value].map {
        AdminInterface.Bound(
          name: name, value: $0, holds: holds(name, isSandboxed: isSandboxed),
          asked: facts.bounds[keyPath: value] == nil ? nil : true)
      }
    }
  }

  /// None can be made here, and the policy lets it run all the same.
  func runsWithoutSandbox(_ facts: BundleFacts) -> Bool {
    sandboxFault != nil && catalog.ruling(facts).allowsNoSandbox != nil
  }

  /// nil where that is not known, since no launcher is there.
  private func holds(
    _ name: AdminInterface.Bound.Name, isSandboxed: Bool
  ) -> AdminInterface.Bound.Holds? {
    guard case .connected(let launcher) = launcher else { return nil }
    return switch name {
    case .memory: launcher.controllers.contains("memory") ? .instance : .process
    // Without a controller they are counted for each user name space, and the person's own is everybody's.
    case .processes where launcher.controllers.contains("pids"): .instance
    case .processes: launcher.limitsProcesses && isSandboxed ? .instance : .nothing
    case .cpuWeight: launcher.controllers.contains("cpu") ? .instance : .nothing
    case .openFiles, .fileSize: .process
    }
  }

  /// For `extctl explain`.
  func boundsText(_ facts: BundleFacts) -> String { boundRows(facts).map(\.text).joined(separator: ", ") }
}

extension ResourceBounds {
  /// `usual` counts where this says nothing.
  func completed(by usual: Self) -> Self {
    Self(
      memory: memory ?? usual.memory, processes: processes ?? usual.processes,
      cpuWeight: cpuWeight ?? usual.cpuWeight, openFiles: openFiles ?? usual.openFiles,
      fileSize: fileSize ?? usual.fileSize)
  }
}
