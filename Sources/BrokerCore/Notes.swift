internal import ExtensionInterfaces
internal import Varlink

// The state that outlives the broker, as text in the launcher's keeping.

extension HostKey {
  init(_ note: NotesInterface.Host) {
    self.init(
      identifier: note.identifier,
      process: ProcessIdentity(processID: Int32(clamping: note.processID), startTime: Int64(note.startTime)))
  }

  func note(verified: Bool) -> NotesInterface.Host {
    NotesInterface.Host(
      identifier: identifier, processID: Int(process.processID), startTime: Int(process.startTime),
      verified: verified)
  }
}

let noteFormat = 1

extension Instance {
  var note: String {
    var stopReason: String?
    let phase: NotesInterface.Instance.Phase
    switch self.phase {
    case .running: phase = .running
    case .stopping(let reason, _):
      phase = .stopping
      stopReason = reason.kind.rawValue
    default: phase = .starting
    }
    return encodeNote(
      NotesInterface.Instance(
        format: noteFormat, extension: identifier, extensionPoint: extensionPoint, path: path,
        version: version,
        digest: digest, policy: .init(rawValue: policy.rawValue) ?? .perHost,
        host: host?.note(verified: hostVerified), phase: phase, stopReason: stopReason, scenes: scenes,
        since: Int(since), memoryPressure: hearsMemoryPressure ? true : nil, display: noteOfDisplay))
  }
}

extension Instance {
  /// An end that waits here goes with this broker.
  private var noteOfDisplay: NotesInterface.Instance.Display? {
    switch display {
    case .none: nil
    case .possible: .possible
    case .waiting, .given: .given
    }
  }
}

extension Activation {
  func note(verified: Bool) -> String {
    encodeNote(
      NotesInterface.Activation(
        format: noteFormat, extension: identifier, instance: instance, host: host.note(verified: verified),
        scene: scene, since: Int(since)))
  }
}

private func encodeNote(_ value: some VarlinkStructure) -> String {
  var writer = JSONWriter()
  value.write(to: &writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

/// nil where the text is no note of this format.
func decodeNote<Note: VarlinkStructure>(_ text: String, as _: Note.Type) -> Note? {
  guard let json = try? JSON(parsing: Array(text.utf8)) else { return nil }
  return try? Note(json: json, unknownMembers: .ignored)
}
