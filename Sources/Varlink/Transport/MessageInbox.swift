internal import LinuxSystem

/// What came over a stream: bytes with messages that end with NUL, and descriptors that belong to them.
///
/// One value, since each access to a stream's property is checked while the program runs, and those inside a value
/// are not.
struct MessageInbox {
  typealias Message = (bytes: ArraySlice<UInt8>, descriptors: [SharedDescriptor])

  private var bytes: [UInt8] = []
  /// Where the next message begins.
  private var start = 0
  /// No NUL stands before this index, from `start` on.
  private var searched = 0
  /// Descriptors, each batch with the index of the last byte of its read.
  private var arrived: [(last: Int, descriptors: [SharedDescriptor])] = []

  /// The bytes that were not taken out.
  var count: Int { bytes.count - start }
  /// The descriptors that were not taken out.
  var descriptorCount: Int { arrived.reduce(0) { $0 + $1.descriptors.count } }

  mutating func add(_ new: ArraySlice<UInt8>, _ descriptors: [SharedDescriptor]) {
    bytes.append(contentsOf: new)
    if !descriptors.isEmpty { arrived.append((bytes.count - 1, descriptors)) }
  }

  /// Whether there is a whole message.
  var hasMessage: Bool { mutating get { end() != nil } }

  /// Takes the next message out.
  mutating func next() -> Message? {
    guard let end = end() else { return nil }
    let message = bytes[start..<end]
    start = end + 1
    searched = start
    var descriptors: [SharedDescriptor] = []
    while let batch = arrived.first, batch.last < start { descriptors += arrived.removeFirst().descriptors }
    return (message, descriptors)
  }

  /// Forgets what was taken out. While more than that is left it stays: of many messages that are taken out one by one,
  /// those behind would be moved with each.
  mutating func compact() {
    guard start > 0, start >= bytes.count - start else { return }
    if start < bytes.count {
      bytes.removeFirst(start)
    } else if bytes.capacity <= 1024 {
      // Little room is kept for the next one: most are small.
      bytes.removeAll(keepingCapacity: true)
    } else {
      // Whoever keeps a message keeps the bytes that it lies in; they are not copied for that.
      bytes = []
    }
    for index in arrived.indices { arrived[index].last -= start }
    searched -= start
    start = 0
  }

  private mutating func end() -> Int? {
    guard searched < bytes.count else { return nil }
    let end = bytes.firstNUL(from: searched)
    searched = end ?? bytes.count
    return end
  }
}
