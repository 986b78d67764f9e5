extension AdminInterface.Bound {
  /// For people, such as "memory 512 MiB".
  public var text: String {
    let what =
      switch name {
      case .memory: "memory \(Self.bytes(value))"
      case .processes: "\(value) processes"
      case .cpuWeight: "CPU weight \(value)"
      case .openFiles: "\(value) open files"
      case .fileSize: "files of \(Self.bytes(value))"
      }
    return switch (holds, name) {
    case (.process?, .memory): what + " of each process"
    case (.nothing?, _): what + " (not enforced: nothing on this machine holds it)"
    default: what
    }
  }

  private static func bytes(_ value: Int) -> String {
    value >= 10 << 20 ? "\(value >> 20) MiB" : "\(value) bytes"
  }
}
