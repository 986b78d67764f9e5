internal import ExtensionBundles
internal import ExtensionInterfaces

/// A bundle that is made of a program and of what its code says.
struct NewBundle {
  let program: String
  /// What Info.plist says beside the point.
  var info: [String: PropertyList]
  /// The file of points in `Extensions`.
  var points: [String: PropertyList] = [:]
  /// Beside that file.
  var interface: InterfaceFile?

  /// `info`: keys of the author's own.
  init(
    program: String, identifier: String, name: String, version: String, info: [String: PropertyList] = [:]
  ) {
    self.program = program
    self.info = [
      "CFBundleIdentifier": .string(identifier), "CFBundleName": .string(name),
      "CFBundleExecutable": .string(Path.split(program).name),
      "CFBundleShortVersionString": .string(version),
    ].merging(info) { $1 }
  }

  /// Makes it an extension of the one point that the code binds.
  mutating func bind(_ values: ConstantValues) throws(ControlError) {
    guard let point = values.bindings.first else {
      throw ControlError(
        .failed, "no @Bind is in the code of \(program); bind a point, or make a host: -o NAME.app")
    }
    guard values.bindings.count == 1 else {
      throw ControlError(
        .failed,
        "the code of \(program) binds several points: \(values.bindings.sorted().joined(separator: ", ")); "
          + "name the files of one extension with --const-values")
    }
    bind(point)
  }

  /// Makes it an extension of a point.
  mutating func bind(_ point: String) {
    var attributes = info["EXAppExtensionAttributes"]?.dictionary ?? [:]
    attributes["EXExtensionPointIdentifier"] = .string(point)
    info["EXAppExtensionAttributes"] = .dictionary(attributes)
  }

  /// Makes it a host of the points that the code defines. `interface`: that of the one point.
  mutating func define(_ values: ConstantValues, interface: InterfaceFile?) throws(ControlError) {
    guard let host = info["CFBundleIdentifier"]?.string, !values.definitions.isEmpty else {
      throw ControlError(
        .failed,
        "no @Definition is in the code of \(program); where a library has it, name its files with --const-values"
      )
    }
    guard interface == nil || values.definitions.count == 1 else {
      throw ControlError(.failed, "the code of \(program) defines several points; --interface is for one")
    }
    self.interface = interface
    for definition in values.definitions {
      let identifier = host + "." + definition.name
      if points[identifier] != nil {
        throw ControlError(.failed, "\(definition.place): the point \(identifier) is defined twice")
      }
      var attributes: [String: PropertyList] = definition.attributes.mapValues { attribute in
        switch attribute {
        case .word(let word): .string(word)
        case .boolean(let value): .boolean(value)
        }
      }
      attributes["Interface"] = interface.map { .string($0.fileName) }
      points[identifier] = .dictionary(attributes)
    }
  }

  /// Puts it at `target`, in one step; one with a fault is not put there.
  func write(to target: String) throws(ControlError) {
    try BundleCopy.put(target) { staging throws(ControlError) in
      try BundleCopy.write(PropertyList.dictionary(info).xml, to: staging + "/Info.plist")
      if !points.isEmpty {
        let file = "\(staging)/Extensions/\(Path.stem(target)).appextensionpoint"
        try BundleCopy.write(PropertyList.dictionary(points).xml, to: file)
      }
      if let interface {
        try BundleCopy.write(interface.text, to: "\(staging)/Extensions/\(interface.fileName)")
      }
      try BundleCopy.copy(program, to: staging + "/" + Path.split(program).name)
      let faults = BundleLook.faultsOfCopy(try BundleLook.rows(at: staging))
      if faults.isEmpty { return }
      throw ControlError(
        .failed,
        "nothing is made, since \(target) would be invalid:\n"
          + faults.flatMap(\.problems).map { "  \($0.check): \($0.message)" }.joined(separator: "\n"))
    }
  }
}
