internal import LinuxSystem

/// The filters of all instances: each is made once. The one that most use is made at the launcher's start.
final class SystemCallFilters {
  private var made: [SystemCallFilter.Profile: Result<SystemCallFilter, Errno>] = [:]

  init() { _ = try? filter(for: .init()) }

  func filter(for profile: SystemCallFilter.Profile) throws(Errno) -> SystemCallFilter {
    let known = made[profile]
    let result =
      known ?? Result { () throws(Errno) -> SystemCallFilter in try SystemCallFilter(profile) }
    made[profile] = result
    return try result.get()
  }
}
