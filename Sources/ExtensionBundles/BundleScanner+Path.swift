public import LinuxSystem

extension BundleScanner {
  /// Reads what lies at an absolute path, in a root or not, as it would be read in a root. Never empty: what no root would
  /// look at is a near miss that says what it should be called.
  ///
  /// `followingLink`: whether a symbolic link there stands for what it names, as for somebody who copies it.
  public func read(path: String, followingLink: Bool = false) throws(Errno) -> [BundleRecord] {
    let (directory, name) = Self.parts(path)
    let status = try FileStatus(at: path)
    if let inner = readInner(path) { return inner }
    if followingLink, status.kind == .symbolicLink {
      let target = try File.open(path, .path)
      let real = Self.parts(try File.readLink("/proc/self/fd/\(target.rawValue)"))
      return read(real.name, in: try Root(real.directory), asked: true, shown: name)
    }
    let records = read(name, in: try Root(directory), asked: true)
    // It was there a moment ago.
    if records.isEmpty { throw .noEntry }
    return records
  }

  /// What is inside an application is read with it: it has a name and a place from there. nil where there is none around.
  private func readInner(_ path: String) -> [BundleRecord]? {
    let parts = path.split(separator: "/")
    for count in parts.indices.dropFirst() where parts[count - 1].hasSuffix(".app") {
      let (directory, name) = Self.parts("/" + parts[..<count].joined(separator: "/"))
      guard let root = try? Root(directory), case let records = read(name, in: root),
        let application = records.first, !application.problems.contains(where: { $0.check == .infoMissing })
      else { continue }
      let found = records.filter { $0.path == path }
      if !found.isEmpty { return found }
      // The application tells of its points.
      if path.hasSuffix(PointDefinition.suffix) { return [application] }
    }
    return nil
  }

  private static func parts(_ path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (
      slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...])
    )
  }
}
