internal import BrokerCore
internal import LinuxSystem

extension Limits {
  /// For tests, which cannot wait for gigabytes, and measurements, which start more than any person does.
  static var ofEnvironment: Limits {
    var limits = Limits()
    func value(_ name: String) -> Int? { CurrentProcess.environment(name).flatMap { Int($0) } }
    if let bytes = value("EXTENSIOND_CONTAINER_BYTES") { limits.containerBytes = bytes }
    if let time = value("EXTENSIOND_CONTAINER_MS") { limits.containerInterval = Int64(time) }
    if let time = value("EXTENSIOND_SCAN_MS") { limits.scanDeadline = Int64(time) }
    if let connections = value("EXTENSIOND_CONNECTIONS") {
      limits.connections = connections
      limits.connectionsPerProcess = connections
    }
    if let launches = value("EXTENSIOND_LAUNCHES_PER_MINUTE") { limits.launchesPerMinute = launches }
    return limits
  }
}
