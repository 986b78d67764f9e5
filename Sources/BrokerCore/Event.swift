public import ExtensionInterfaces

/// Something that happened to the broker. Everything that it ever learns comes as one of these.
public enum Event: Sendable {
  // MARK: Peers
  case peerOpened(PeerID, Peer)
  /// Nothing more comes from the peer, and nothing can be sent to it.
  case peerClosed(PeerID)
  case hostCall(RequestID, BrokerInterface.Call, more: Bool)
  case adminCall(RequestID, AdminInterface.Call, more: Bool)
  /// The peer does not read: streams to it must wait.
  case peerBlocked(PeerID)
  /// The peer has read everything.
  case peerDrained(PeerID)

  // MARK: Bundles and decisions
  case bundles(found: [BundleFacts], removed: [String])
  /// What was found where a developer's bundle should be. Changes come as `bundles`.
  case developed(path: String, [BundleFacts])
  /// Every root was read, or given up for now, and what was found came before this. The number is the one of `scanAll`; 0
  /// where nobody asked.
  case scanned(Int)
  /// Roots of which nobody knows what is in them, since their file systems do not answer: all of these, by now.
  case rootsUnread(Set<String>)
  /// A check of a bundle before its launch is done.
  case bundleChecked(instance: String, BundleCheck)
  case decisionsLoaded([Decision])
  /// The policy files were read, or read again.
  case policyLoaded(Policy)
  /// A decision is on the disk for good; or it is not, and does not hold.
  case decisionStored(RequestID?, Decision)
  case decisionFailed(RequestID?, message: String)
  case decisionsImported(RequestID, [Decision])
  /// What the extension had stored is gone. `by`: who asked for it.
  case containerRemoved(RequestID?, String, by: String)
  case forgotten(RequestID?, String, [Decision])
  /// These were gone for so long that what they left is not kept any more.
  case expired([String])
  case history(RequestID, [Decision])
  /// What was announced before, oldest first, and which of it may still be on the screen. Does not come where nothing is to
  /// be announced.
  case announcementsLoaded([AnnouncedContent], open: [AnnouncedContent] = [])
  /// Nobody was there to show these.
  case announcementFailed([AnnouncedContent])

  // MARK: Launcher
  case launcherConnected(LauncherFacts)
  case restoredInstance(id: String, processID: Int32, executed: Bool, note: String)
  case restoredActivation(id: String, instance: String, note: String, endedByHost: Bool)
  /// The launcher's table is complete.
  case restored
  case launcherGone
  /// There is one with which this broker cannot work; why, and what to do.
  case launcherRefused(message: String)
  case launched(instance: String, processID: Int32)
  /// `detail`: what is missing, and what to do, in one sentence.
  case launchFailed(instance: String, stage: String, errno: Int?, detail: String? = nil)
  case executed(instance: String)
  /// The program is stopped before its first instruction.
  case stopped(instance: String, processID: Int32)
  case ended(instance: String, note: String, InstanceEnd)
  /// It has nearly used up its memory: bytes.
  case memoryPressure(instance: String, used: Int, limit: Int)
  case leaseKept(activation: String)
  case leaseFailed(activation: String, message: String)
  /// `hostLives`: the host's process was still there afterwards.
  case leaseEnded(activation: String, hostLives: Bool)
  case output(instance: String, extension: String, lines: [String], dropped: Int)

  /// nil: its program does not run.
  case inspected(RequestID, AdminInterface.Sandbox?)
  case containerMeasured(instance: String, ContainerFacts)
  case measured(RequestID, [AdminInterface.Usage])

  // MARK: Extensions
  /// A reply to one of its calls. With Start, `scenes` are those that it offers, and `hearsMemoryPressure` says that it
  /// knows that call.
  case answered(instance: String, call: String, scenes: [String]?, hearsMemoryPressure: Bool = false)
  case rejected(instance: String, call: String, message: String)
  case sceneUnknown(instance: String, call: String, scene: String)
  /// There was no room for the display that it should have got with a connection.
  case displayFailed(instance: String)
  /// What came from the extension was not Varlink, or too much.
  case misbehaved(instance: String, message: String)

  // MARK: Time
  case time
  case facts(DaemonFacts)
}

/// Who is at the other end of a connection.
public struct Peer: Hashable, Sendable {
  public enum Door: Hashable, Sendable {
    case host, admin
  }

  public var door: Door
  public var process: ProcessIdentity
  /// The path of its program, as the kernel tells it.
  public var executable: String?
  /// That path leads to this program for us too: in mounts of its own, a process can give itself any path.
  public var isExecutableHere: Bool
  /// The last component of its control group.
  public var controlGroup: String?
  /// It runs in name spaces of its own.
  public var sandboxed: Bool
  public var userID: UInt32 = 0

  public init(
    door: Door, process: ProcessIdentity, executable: String? = nil, controlGroup: String? = nil,
    sandboxed: Bool = false, isExecutableHere: Bool = true
  ) {
    self.isExecutableHere = isExecutableHere
    self.door = door
    self.process = process
    self.executable = executable
    self.controlGroup = controlGroup
    self.sandboxed = sandboxed
  }
}

/// What a bundle is, right before its launch.
public enum BundleCheck: Hashable, Sendable {
  /// Exactly what was decided about.
  case current
  /// Something else; the bundle is read again.
  case changed
  /// Somebody writes to it just now.
  case busy(path: String)
  case unreadable(errno: Int, detail: String)
}

public struct LauncherFacts: Hashable, Sendable {
  public var processID: Int32
  public var controlGroups: Bool
  public var unsettledStarts: Int
  /// Of control groups, those that hold and measure instances: memory, pids, cpu.
  public var controllers: Set<String>
  /// Why no sandbox can be made; nil where one can.
  public var sandboxFault: String?
  /// Without one for processes, the kernel still holds each sandbox to a number of them.
  public var limitsProcesses: Bool

  public init(
    processID: Int32, controlGroups: Bool, unsettledStarts: Int, controllers: Set<String> = [],
    limitsProcesses: Bool = true, sandboxFault: String? = nil
  ) {
    self.sandboxFault = sandboxFault
    self.controllers = controllers
    self.limitsProcesses = limitsProcesses
    self.processID = processID
    self.controlGroups = controlGroups
    self.unsettledStarts = unsettledStarts
  }
}

/// How an instance ended, as the launcher saw it.
public struct InstanceEnd: Hashable, Sendable {
  public var executed: Bool
  public var exitStatus: Int?
  public var signal: Int?
  public var failedStage: String?
  public var errno: Int?
  public var sandboxStatus: Int
  public var outOfMemoryKills: Int
  public var memoryPeak: Int?
  public var memoryLimit: Int?
  public var standardError: [String]

  public init(
    executed: Bool, exitStatus: Int? = nil, signal: Int? = nil, failedStage: String? = nil, errno: Int? = nil,
    sandboxStatus: Int = 0, outOfMemoryKills: Int = 0, memoryPeak: Int? = nil, memoryLimit: Int? = nil,
    standardError: [String] = []
  ) {
    self.executed = executed
    self.exitStatus = exitStatus
    self.signal = signal
    self.failedStage = failedStage
    self.errno = errno
    self.sandboxStatus = sandboxStatus
    self.outOfMemoryKills = outOfMemoryKills
    self.memoryPeak = memoryPeak
    self.memoryLimit = memoryLimit
    self.standardError = standardError
  }
}
