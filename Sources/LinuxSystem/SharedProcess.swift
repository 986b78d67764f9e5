/// A process that several values may hold.
package final class SharedProcess: Sendable {
  package let process: ProcessDescriptor

  package init(_ process: consuming ProcessDescriptor) { self.process = process }

  package init(_ child: consuming Spawn.Child) { process = child.process }

  /// Any process, by its number; whoever gives the number knows that it is that process's still.
  package convenience init(processID: Int32) throws(Errno) {
    self.init(try ProcessDescriptor(processID: processID))
  }

  package var rawValue: CInt { process.descriptor.rawValue }

  /// Sends a signal. Nothing happens where the process has ended already.
  package func send(signal: CInt) { try? process.send(signal: signal) }

  /// A second descriptor for it, to be given away.
  package func duplicate() throws(Errno) -> SharedDescriptor {
    SharedDescriptor(try process.descriptor.duplicate())
  }
}
