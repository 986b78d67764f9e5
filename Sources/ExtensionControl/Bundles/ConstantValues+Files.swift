internal import LinuxSystem

extension ConstantValues {
  static let suffix = ".swiftconstvalues"

  /// What the compiler wrote: at `path`, a file or a directory in which all count, or else where SwiftPM and swiftc put
  /// them for the program.
  static func files(for program: String, at path: String?) throws(ControlError) -> [String] {
    let (directory, name) = Path.split(program)
    // SwiftPM's directory has the name of the module.
    let module = String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
    let places = path.map { [$0] } ?? ["\(directory)/\(module).build", program + suffix]
    let found = places.flatMap { place in
      place.hasSuffix(suffix) && File.exists(place) ? [place] : files(beneath: place).sorted()
    }
    if !found.isEmpty { return found }
    throw ControlError(
      .failed,
      "there is no *\(suffix) in \(places.joined(separator: " nor at ")); build with -emit-const-values, "
        + "see 'extctl help bundle'")
  }

  private static func files(beneath directory: String) -> [String] {
    guard let opened = try? File.open(directory, .directory),
      let entries = try? DirectoryReader.entries(of: opened.rawValue)
    else { return [] }
    return entries.flatMap { entry in
      let path = directory + "/" + entry.name
      // Links are not followed: .build/debug and .build/release are links into what is beside them.
      if (try? FileStatus(at: path).kind) == .directory { return files(beneath: path) }
      return entry.name.hasSuffix(suffix) ? [path] : []
    }
  }
}
