internal import CLinux

/// What the kernel can keep from a program that asked for it: landlock(7).
package enum Landlock {
  /// The kernel's ABI; 0 where it has none, or it is switched off.
  package static let level = Int(max(0, clinux_landlock_level()))
  /// From here on it closes the abstract sockets of others, which come with a shared network: Linux 6.12.
  package static let closesAbstractSockets = 6
}
