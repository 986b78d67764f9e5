internal import ExtensionBundles
internal import Varlink
internal import VarlinkGenerator

/// The files of an extension that nobody has written yet. It builds and runs as it is.
struct NewProject {
  enum Language: String, CaseIterable {
    case swift, python, c
  }

  struct File {
    let path: String
    let text: String
    var isProgram = false
  }

  let name: String
  let identifier: String
  let point: String
  /// nil: lines that come back.
  let interface: InterfaceFile?
  /// The version of the point that it is made for; nil where nobody knows it.
  let pointVersion: String?
  /// It has a window, which hosts show.
  var hasWindow = false

  func files(_ language: Language, sdk: SDKPlace?) throws(ControlError) -> [File] {
    switch language {
    case .swift: try swiftFiles(sdk)
    case .python: hasWindow ? pythonWindowFiles : pythonFiles
    case .c: hasWindow ? cWindowFiles : cFiles
    }
  }

  var values: [String: String] { ["NAME": name, "IDENTIFIER": identifier, "POINT": point] }

  private var pythonFiles: [File] {
    let branches = branches(comment: "#", indent: "        ") { method in
      ["case \"\(method)\":"] + ["    raise VarlinkError(NOT_IMPLEMENTED, method=method)"]
    }
    let conversation = Template(
      interface == nil ? PackageResources.lines_py_in : PackageResources.calls_py_in
    ).text(values.merging(["INTERFACE": interface?.description.name ?? "", "BRANCHES": branches]) { $1 })
    let bundle = name + ".appex/"
    return [
      File(path: "Makefile", text: Template(PackageResources.python_mk_in).text(values)),
      File(path: bundle + "Info.plist", text: info(program: "main.py")),
      File(
        path: bundle + "main.py",
        text: Template(PackageResources.main_py_in).text(
          values.merging(["CONVERSATION": conversation]) { $1 }),
        isProgram: true),
    ] + (interface.map { [File(path: bundle + $0.fileName, text: $0.text)] } ?? [])
  }

  private var cFiles: [File] {
    let branches = branches(comment: "//", indent: "  ") { method in
      [
        "if (strcmp(method, \"\(method)\") == 0) {",
        "  return fail(to, \"org.varlink.service.MethodNotImplemented\", method);", "}",
      ]
    }
    let conversation = Template(
      interface == nil ? PackageResources.lines_c_in : PackageResources.calls_c_in
    ).text(["BRANCHES": branches])
    return [
      File(path: ".gitignore", text: "\(name).appex/\n"),
      File(
        path: "Makefile",
        text: Template(PackageResources.c_mk_in).text(values.merging(["PACKAGES": ""]) { $1 })),
      File(path: "Info.plist", text: info(program: name)),
      File(
        path: "extension.c",
        text: Template(PackageResources.extension_c_in).text(
          values.merging(["CONVERSATION": conversation]) { $1 })),
    ] + (interface.map { [File(path: $0.fileName, text: $0.text)] } ?? [])
  }

  // Programs that know nothing of extensions.

  private var pythonWindowFiles: [File] {
    let bundle = name + ".appex/"
    return [
      File(path: "Makefile", text: Template(PackageResources.python_mk_in).text(values)),
      File(path: bundle + "Info.plist", text: info(program: "main.py")),
      File(
        path: bundle + "main.py", text: Template(PackageResources.window_py_in).text(values), isProgram: true),
    ]
  }

  private var cWindowFiles: [File] {
    let packages =
      "CPPFLAGS += $(shell pkg-config --cflags gtk4)\nLDLIBS += $(shell pkg-config --libs gtk4)\n"
    return [
      File(path: ".gitignore", text: "\(name).appex/\n"),
      File(
        path: "Makefile",
        text: Template(PackageResources.c_mk_in).text(values.merging(["PACKAGES": packages]) { $1 })),
      File(path: "Info.plist", text: info(program: name)),
      File(path: "extension.c", text: Template(PackageResources.window_c_in).text(values)),
    ]
  }

  /// One branch a method, under its declaration as a comment.
  private func branches(comment: String, indent: String, _ branch: (String) -> [String]) -> String {
    (interface?.methods ?? []).flatMap { method in
      let declaration = method.documentation + "\(method)".split(separator: "\n").map(String.init)
      // In C a line that ends with a backslash would take the next one into the comment.
      return declaration.map { "\(comment) \($0)\($0.contains("\\") ? " ." : "")" }
        + branch("\(interface?.description.name ?? "").\(method.name)")
    }.map { indent + $0 }.joined(separator: "\n")
  }

  /// What Info.plist says that code does not.
  var options: [String: PropertyList] {
    pointVersion.map { ["Extensiond": .dictionary(["PointVersion": .string($0)])] } ?? [:]
  }

  private func info(program: String) -> String {
    var options = options
    if hasWindow {
      let own = options["Extensiond"]?.dictionary ?? [:]
      options["Extensiond"] = .dictionary(own.merging(["Runtime": .string("wayland")]) { $1 })
    }
    var bundle = NewBundle(
      program: program, identifier: identifier, name: name, version: "1.0", info: options)
    bundle.bind(point)
    return PropertyList.dictionary(bundle.info).xml
  }
}
