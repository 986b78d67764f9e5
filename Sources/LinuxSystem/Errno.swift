internal import CLinux

/// An error number of the kernel, as errno(3) lists them.
public struct Errno: Error, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  /// The number, such as 2 for ENOENT.
  public let rawValue: CInt

  /// The error with this number; the kernel need not know it.
  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the last call on this thread. Read it before anything else can run.
  package static var last: Errno { Errno(rawValue: clinux_errno()) }

  /// Nothing is there, or there is no room, and the call was not to wait: EAGAIN.
  public static let again = Errno(rawValue: EAGAIN)
  /// The descriptor is not open, or not for this: EBADF.
  public static let badDescriptor = Errno(rawValue: EBADF)
  /// The other end reads no more: EPIPE.
  public static let brokenPipe = Errno(rawValue: EPIPE)
  /// It is in use: EBUSY.
  public static let busy = Errno(rawValue: EBUSY)
  /// It was cancelled: ECANCELED.
  public static let canceled = Errno(rawValue: ECANCELED)
  /// Nobody listens there: ECONNREFUSED.
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// The other end has ended the connection: ECONNRESET.
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  /// The file is there already: EEXIST.
  public static let exists = Errno(rawValue: EEXIST)
  /// The kernel has no such sockets, or a filter keeps them away: EAFNOSUPPORT.
  public static let familyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  /// A signal came first: EINTR. Calls of this package are made again.
  public static let interrupted = Errno(rawValue: EINTR)
  /// An argument has no meaning here: EINVAL.
  public static let invalidArgument = Errno(rawValue: EINVAL)
  /// It is a directory: EISDIR.
  public static let isDirectory = Errno(rawValue: EISDIR)
  /// Too many symbolic links, or one where none is followed: ELOOP.
  public static let loop = Errno(rawValue: ELOOP)
  /// More bytes than the call or its caller permits: EMSGSIZE.
  public static let messageTooLong = Errno(rawValue: EMSGSIZE)
  /// The path, or a name in it, is too long: ENAMETOOLONG.
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// There is no such file: ENOENT.
  public static let noEntry = Errno(rawValue: ENOENT)
  /// The directory is not empty: ENOTEMPTY.
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// There is no room, on the disk or in a table of the kernel: ENOSPC.
  public static let noSpace = Errno(rawValue: ENOSPC)
  /// The bytes are no text: EILSEQ.
  public static let noText = Errno(rawValue: EILSEQ)
  /// There is no such process: ESRCH.
  public static let noSuchProcess = Errno(rawValue: ESRCH)
  /// It is no directory: ENOTDIR.
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  /// The kernel has no such call, or a filter keeps it away: ENOSYS.
  public static let notImplemented = Errno(rawValue: ENOSYS)
  /// It takes rights that this process does not have: EPERM.
  public static let notPermitted = Errno(rawValue: EPERM)
  /// This file or socket cannot do it: EOPNOTSUPP.
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// A file's mode or its directory's forbids it: EACCES.
  public static let permission = Errno(rawValue: EACCES)
  /// Sockets of this kind have no such protocol: EPROTONOSUPPORT.
  public static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
  /// The time has passed: ETIMEDOUT.
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// This process has no descriptors left: EMFILE.
  public static let tooManyDescriptors = Errno(rawValue: EMFILE)

  /// The kernel's sentence, such as "No such file or directory".
  public var description: String {
    var buffer = [CChar](repeating: 0, count: 128)
    unsafe clinux_strerror(rawValue, &buffer, buffer.count)
    return text(buffer)
  }
}
