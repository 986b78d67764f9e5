public import ExtensionInterfaces

/// Every bound on what others can make grow, in one place. `extctl status` and docs/limits.md print it.
public struct Limits: Hashable, Sendable {
  public var messageBytes = 1 << 20
  public var jsonDepth = 32
  public var connections = 512
  public var connectionsPerProcess = 64
  public var queuedBytesPerConnection = 1 << 20
  public var answerBytes = 16 << 20
  public var pendingCallsPerConnection = 16
  public var messagesPerTurn = 1
  public var pointsPerSubscription = 64
  public var languages = 16
  public var languageBytes = 64
  public var activationsPerHost = 256
  public var launchesPerMinute = 240
  public var reportsPerMinute = 10
  public var reportsPerExtension = 8
  public var reportBytes = 1024
  public var waitingEvents = 1024
  public var instances = 512
  public var launchesInFlight = 64
  public var connectsInFlightPerInstance = 64
  public var controlMessageBytes = 32 << 10
  public var rememberedEnds = 1024
  public var noteBytes = 4096
  public var logLinesPerExtension = 500
  public var instanceMemory = 2 << 30
  public var instanceProcesses = 256
  public var instanceOpenFiles = 4096
  public var instanceFileSize = 2 << 30
  public var rememberedAnnouncements = 4096
  public var announcementDelay: Int64 = 1_000
  public var announcementInterval: Int64 = 10_000
  public var announcementTries = 5
  public var temporaryBytes = 512 << 20
  public var runtimeBytes = 64 << 20
  public var sharedMemoryBytes = 256 << 20
  public var containerBytes = 2 << 30
  public var containerFiles = 100_000
  public var containerInterval: Int64 = 30_000
  public var scanDeadline: Int64 = 10_000
  public var startDeadline: Int64 = 10_000
  public var answerDeadline: Int64 = 10_000
  public var stopDeadline: Int64 = 5_000
  public var terminateDeadline: Int64 = 2_000
  public var untoldEndDeadline: Int64 = 60_000

  public init() {}

  /// The table for people.
  public var table: [AdminInterface.Limit] {
    func row(_ name: String, _ value: Int, _ meaning: String) -> AdminInterface.Limit {
      AdminInterface.Limit(name: name, value: value, meaning: meaning)
    }
    return [
      row("messageBytes", messageBytes, "bytes of one message; a longer one closes the connection"),
      row("jsonDepth", jsonDepth, "nested objects and arrays in one message"),
      row("connections", connections, "connections to the broker at once"),
      row("connectionsPerProcess", connectionsPerProcess, "connections of one process at once"),
      row(
        "queuedBytesPerConnection", queuedBytesPerConnection,
        "bytes that wait for a peer that does not read; more closes the connection"),
      row(
        "answerBytes", answerBytes,
        "bytes of one answer, such as a list of very many extensions; it waits beside those, and further calls wait for it"
      ),
      row(
        "pendingCallsPerConnection", pendingCallsPerConnection,
        "calls of one connection that are not answered yet; further ones wait in its socket"),
      row(
        "messagesPerTurn", messagesPerTurn,
        "messages of one connection that are handled before others get a turn"),
      row("pointsPerSubscription", pointsPerSubscription, "extension points in one Subscribe or Discover"),
      row("languages", languages, "languages of one Hello or List; further ones are left out"),
      row("languageBytes", languageBytes, "bytes of one language's name; a longer one is left out"),
      row("activationsPerHost", activationsPerHost, "activations of one host at once"),
      row("launchesPerMinute", launchesPerMinute, "instances that one host has started in a minute"),
      row("reportsPerMinute", reportsPerMinute, "reports of one host about extensions in a minute"),
      row("reportsPerExtension", reportsPerExtension, "reports that are kept of one extension, the newest"),
      row("reportBytes", reportBytes, "bytes of a report that are kept"),
      row(
        "waitingEvents", waitingEvents, "events that wait for a host that does not read; more ends its stream"
      ),
      row("instances", instances, "running instances at once"),
      row("launchesInFlight", launchesInFlight, "instances that are being started at once"),
      row(
        "connectsInFlightPerInstance", connectsInFlightPerInstance,
        "connections that wait for one extension's answer"),
      row("controlMessageBytes", controlMessageBytes, "bytes of one message between broker and extension"),
      row("rememberedEnds", rememberedEnds, "ended activations that GetActivation still knows"),
      row("noteBytes", noteBytes, "bytes of state that the launcher keeps for an instance or activation"),
      row(
        "logLinesPerExtension", logLinesPerExtension,
        "lines of standard error that are kept for 'extctl logs'"),
      row(
        "instanceMemory", instanceMemory,
        "bytes of memory of one instance, where its bundle does not say another number"),
      row("instanceProcesses", instanceProcesses, "processes and threads of one instance, likewise"),
      row("instanceOpenFiles", instanceOpenFiles, "open files of each process of an instance, likewise"),
      row("instanceFileSize", instanceFileSize, "bytes of one file that an instance writes, likewise"),
      row("temporaryBytes", temporaryBytes, "bytes in an instance's /tmp"),
      row("runtimeBytes", runtimeBytes, "bytes in an instance's /run"),
      row("sharedMemoryBytes", sharedMemoryBytes, "bytes in an instance's /dev/shm"),
      row(
        "containerBytes", containerBytes,
        "bytes in an extension's container, where it may store what it likes; past that it is stopped and not started"
      ),
      row("containerFiles", containerFiles, "files and directories in an extension's container, likewise"),
      row(
        "containerInterval", Int(containerInterval),
        "milliseconds from one look at the container of a running extension to the next"),
      row(
        "rememberedAnnouncements", rememberedAnnouncements,
        "contents of which the person was told that they wait for approval; the oldest are told of again"),
      row(
        "announcementDelay", Int(announcementDelay),
        "milliseconds from a new extension to its notification; those that come meanwhile go with it"),
      row(
        "announcementInterval", Int(announcementInterval), "milliseconds between two notifications at least"),
      row("announcementTries", announcementTries, "further tries where nobody shows notifications"),
      row(
        "scanDeadline", Int(scanDeadline),
        "milliseconds to read all roots; then the broker answers without those whose file system does not"),
      row(
        "startDeadline", Int(startDeadline),
        "milliseconds from the request to the extension's answer to Start"),
      row("answerDeadline", Int(answerDeadline), "milliseconds for an answer to AcceptConnection"),
      row(
        "stopDeadline", Int(stopDeadline), "milliseconds for an orderly end after Stop, then comes SIGTERM"),
      row("terminateDeadline", Int(terminateDeadline), "milliseconds after SIGTERM, then comes SIGKILL"),
      row(
        "untoldEndDeadline", Int(untoldEndDeadline),
        "milliseconds for which an end is kept for a host that lost its event stream"),
    ]
  }
}
