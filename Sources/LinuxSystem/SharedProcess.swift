/// A process that several values may hold.
public final class SharedProcess: Sendable {
  public let process: ProcessDescriptor

  public init(_ process: consuming ProcessDescriptor) { self.process = process }

  public init(_ child: consuming Spawn.Child) { process = child.process }

  /// Any process, by its number; whoever gives the number knows that it is that process's still.
  public convenience init(processID: Int32) throws(Errno) {
    self.init(try ProcessDescriptor(processID: processID))
  }

  public var rawValue: CInt { process.descriptor.rawValue }

  /// Sends a signal. Nothing happens where the process has ended already.
  public func send(signal: CInt) { try? process.send(signal: signal) }

  /// A second descriptor for it, to be given away.
  public func duplicate() throws(Errno) -> SharedDescriptor {
    SharedDescriptor(try process.descriptor.duplicate())
  }
}
