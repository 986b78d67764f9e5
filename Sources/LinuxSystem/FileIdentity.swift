internal import CLinux

/// Which file it is. What stands here never asks the file system that the file is on: a user can mount one whose server
/// never answers, and whoever asks it waits for ever.
package struct FileIdentity: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  /// That of an open file.
  package init(of descriptor: CInt) throws(Errno) {
    var device: UInt64 = 0
    var inode: UInt64 = 0
    try check { unsafe clinux_file_identity(descriptor, &device, &inode) }
    self.device = device
    self.inode = inode
  }

  /// That of the program that a process runs: proc_pid_exe(5). The link leads to the file without a look at its path.
  package init(programOf process: Int32) throws(Errno) {
    let program = try File.open("/proc/\(process)/exe", .path)
    self = try FileIdentity(of: program.rawValue)
  }

  /// That of what is at `path`, if the kernel remembers the whole way there, as it does for a program that runs. Throws
  /// `again` where only the file system could tell, and `invalidArgument` before Linux 5.12.
  package init(remembered path: String) throws(Errno) {
    if path.utf8.contains(0) { throw .noEntry }
    // A mount or a rename somewhere else makes the kernel give up too, so it is asked more than once.
    for attempt in 1...16 {
      do throws(Errno) {
        let file = try checkDescriptor {
          unsafe path.withCString {
            unsafe clinux_openat2(
              AT_FDCWD, $0, UInt64(File.Flags.path.rawValue), UInt64(CLINUX_RESOLVE_CACHED))
          }
        }
        self = try FileIdentity(of: file.rawValue)
        return
      } catch .again where attempt < 16 {}
    }
    throw .again
  }
}
