internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let new = Command(
    name: "new", arguments: ["NAME"], summary: "write the project of a new extension",
    details:
      "It builds, 'extctl lint' finds nothing, and it runs: 'make install' in it puts the bundle into your root. It "
      + "has a stub for each method of --interface, or of the interface that the point itself carries, as 'extctl points' "
      + "lists it; without one each line of a host comes back. Info.plist says for which version of the point it is made, "
      + "where that is known. Python and C need no library; Swift needs the package with the SDK. With --ui it has a window, which "
      + "its host shows: of GTK 4, in Python and C a program that knows nothing of extensions; 'extctl preview' in the project "
      + "shows it without its host. What exists already is left as it is.",
    options: [
      .init(name: "point", value: "POINT", help: "the extension point; 'extctl points' lists them"),
      .init(name: "language", value: "LANGUAGE", help: "swift, python or c; swift unless given"),
      .init(
        name: "interface", value: "FILE", help: "a .varlink file, instead of the one that the point carries"),
      .init(name: "identifier", value: "ID", help: "the extension's own; org.example.NAME unless given"),
      .init(name: "ui", help: "with a window, for a point with UserInterface"),
      .init(name: "sdk", value: "PLACE", help: "for Swift: the SDK's package, a directory or an address"),
      .init(name: "directory", value: "DIRECTORY", help: "the project; NAME here unless given"),
    ]
  ) { invocation in
    let word = invocation.values["language"] ?? "swift"
    guard let language = NewProject.Language(rawValue: word) else {
      let known = NewProject.Language.allCases.map(\.rawValue).joined(separator: ", ")
      throw ControlError(.usage, "there is no language '\(word)' for a project; there are \(known)")
    }
    let (project, note) = try project(invocation, language)
    let target = try Path.absolute(invocation.values["directory"] ?? project.name)
    guard !File.exists(target) else {
      throw ControlError(.failed, "there is something at \(target) already; give another --directory")
    }
    let files = try project.files(language, sdk: invocation.values["sdk"].map(SDKPlace.init))
    try BundleCopy.put(target) { staging throws(ControlError) in
      for file in files {
        try BundleCopy.write(file.text, to: "\(staging)/\(file.path)", mode: file.isProgram ? 0o755 : 0o644)
      }
    }
    if let note { Terminal.say(Terminal.visible(note)) }
    let names = files.map(\.path)
    try invocation.show(json: [
      "path": .string(target), "identifier": .string(project.identifier),
      "files": .array(names.map(JSON.string)),
    ]) {
      Terminal.visible(
        "made \(target): \(names.joined(separator: ", "))\nnext: make -C \(target) install, "
          + "then extctl approve \(project.identifier)")
    }
    return .success
  }

  /// Also what people should know about it.
  private static func project(
    _ invocation: Invocation, _ language: NewProject.Language
  ) throws(ControlError) -> (NewProject, note: String?) {
    let name = invocation.arguments[0]
    let point = try invocation.required("point", "--point org.example.Editor.Spelling")
    let identifier = invocation.values["identifier"] ?? "org.example.\(name)"
    guard BundleIdentifier.isValid("org.example.\(name)"), name.first?.isLetter == true, !name.contains(".")
    else {
      throw ControlError(
        .usage, "“\(name)” is no name for a project; write letters, digits and -, a letter first")
    }
    for text in [point, identifier] where !BundleIdentifier.isValid(text) {
      throw ControlError(.usage, "“\(text)” is no identifier; write \(BundleIdentifier.form)")
    }
    let file = try invocation.values["interface"].map(InterfaceFile.init)
    let look = PointLook(point)
    let hasWindow = invocation.has("ui")
    // Such a program is not asked anything.
    let isSilent = hasWindow && language != .swift
    if isSilent, file != nil {
      throw ControlError(
        .usage, "a program with a window answers no calls; leave --interface out, or use --language swift")
    }
    var note =
      file == nil ? look.obstacle.map { "\($0), so there are no stubs; --interface FILE makes them" } : nil
    if hasWindow, look.hasUserInterface == false {
      note = "\(point) has no UserInterface: its hosts show nothing of an extension"
    } else if isSilent {
      note = look.interface.map {
        "\($0.description.name) is not answered by a program with a window; --language swift makes stubs"
      }
    }
    return (
      NewProject(
        name: name, identifier: identifier, point: point, interface: file ?? look.interface,
        pointVersion: look.version, hasWindow: hasWindow),
      note
    )
  }
}
