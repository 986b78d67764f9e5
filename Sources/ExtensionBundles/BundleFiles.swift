internal import LinuxSystem

extension BundleReading {
  /// Checks each file of the bundle. One problem a check, however many files have it.
  mutating func checkFiles() {
    for fault in tree.faults { note(fault.problem.check, fault.problem.message) }
    var found: [(check: BundleProblem.Check, path: String)] = []
    for entry in tree.entries {
      let path = entry.path.isEmpty ? "the bundle itself" : entry.path
      if entry.status.isWritableByOthers { found.append((.writableByOthers, path)) }
      if entry.status.userID != 0, entry.status.userID != scanner.userID {
        found.append((.foreignOwner, path))
      }
      switch entry.status.kind {
      case .regular, .directory: break
      case .symbolicLink:
        if leavesBundle(entry.path) { found.append((.symbolicLink, "\(path) -> \(entry.target ?? "")")) }
      default: found.append((.specialFile, path))
      }
    }
    report(found, .writableByOthers, "others can write what is in the bundle; chmod go-w")
    report(
      found, .foreignOwner, "files belong to another person, who can change them; chown them to yourself")
    report(
      found, .symbolicLink, "links lead out of the bundle or nowhere near; copy what they point at into it")
    report(
      found, .specialFile,
      "a bundle may hold only files, directories and links; remove sockets, fifos and devices")
  }

  /// Whether following a link ends outside. The kernel decides, by walking it: a look at the text can be fooled.
  private func leavesBundle(_ path: String) -> Bool {
    do throws(Errno) {
      _ = try File.openBeneath(tree.directory.rawValue, path, .path, followLinks: true)
      return false
    } catch {
      return error == .crossDevice || error == .loop
    }
  }

  private mutating func report(
    _ found: [(check: BundleProblem.Check, path: String)], _ check: BundleProblem.Check, _ message: String
  ) {
    let paths = found.filter { $0.check == check }.map(\.path)
    if paths.isEmpty { return }
    let more = paths.count > 3 ? " and \(paths.count - 3) more" : ""
    note(check, "\(message): \(paths.prefix(3).joined(separator: ", "))\(more)")
  }
}
