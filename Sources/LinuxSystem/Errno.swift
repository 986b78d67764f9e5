internal import CLinux

/// An error number of the kernel, as errno(3) lists them.
public struct Errno: Error, Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  public let rawValue: CInt

  public init(rawValue: CInt) { self.rawValue = rawValue }

  /// The error of the last call on this thread. Read it before anything else can run.
  static var last: Errno { Errno(rawValue: clinux_errno()) }

  public static let again = Errno(rawValue: EAGAIN)
  public static let badDescriptor = Errno(rawValue: EBADF)
  public static let brokenPipe = Errno(rawValue: EPIPE)
  public static let busy = Errno(rawValue: EBUSY)
  public static let canceled = Errno(rawValue: ECANCELED)
  public static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  public static let connectionReset = Errno(rawValue: ECONNRESET)
  public static let exists = Errno(rawValue: EEXIST)
  public static let familyNotSupported = Errno(rawValue: EAFNOSUPPORT)
  public static let interrupted = Errno(rawValue: EINTR)
  public static let invalidArgument = Errno(rawValue: EINVAL)
  public static let isDirectory = Errno(rawValue: EISDIR)
  public static let loop = Errno(rawValue: ELOOP)
  public static let messageTooLong = Errno(rawValue: EMSGSIZE)
  public static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  public static let noEntry = Errno(rawValue: ENOENT)
  public static let notEmpty = Errno(rawValue: ENOTEMPTY)
  public static let noSpace = Errno(rawValue: ENOSPC)
  public static let noSuchProcess = Errno(rawValue: ESRCH)
  public static let notDirectory = Errno(rawValue: ENOTDIR)
  public static let notImplemented = Errno(rawValue: ENOSYS)
  public static let notPermitted = Errno(rawValue: EPERM)
  public static let notSupported = Errno(rawValue: EOPNOTSUPP)
  public static let permission = Errno(rawValue: EACCES)
  public static let protocolNotSupported = Errno(rawValue: EPROTONOSUPPORT)
  public static let timedOut = Errno(rawValue: ETIMEDOUT)
  public static let tooManyDescriptors = Errno(rawValue: EMFILE)

  /// The kernel's sentence, such as "No such file or directory".
  public var description: String {
    var buffer = [CChar](repeating: 0, count: 128)
    unsafe clinux_strerror(rawValue, &buffer, buffer.count)
    return text(buffer)
  }
}
