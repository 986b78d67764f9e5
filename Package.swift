// swift-tools-version: 6.3;(experimentalCGen)
// The feature: a build plugin makes C, as wayland-scanner does.
import PackageDescription

// One entry a target, lowest layer first. A target may depend only on targets above it in this file;
// `make lint` checks that the sources import nothing else.

// `extctl bundle` makes Info.plist and .appextensionpoint from what the compiler writes with these.
let constantValues: [SwiftSetting] = [
  .unsafeFlags([
    "-emit-const-values", "-Xfrontend", "-const-gather-protocols-file",
    "-Xfrontend", "\(Context.packageDirectory)/Sources/Examples/const-protocols.json",
  ])
]

let package = Package(
  name: "extensiond",
  products: [
    .library(name: "ExtensionFoundation", targets: ["ExtensionFoundation"]),
    // Scenes, for hosts and extensions that have a user interface.
    .library(name: "ExtensionKit", targets: ["ExtensionKit"]),
    // The same as a widget of GTK 4.
    .library(name: "ExtensionKitGTK", targets: ["ExtensionKitGTK"]),
    // A compositor for what extensions draw, for hosts that show it; and a host without a screen.
    .library(name: "SceneCompositor", targets: ["SceneCompositor"]),
    .library(name: "SceneHeadless", targets: ["SceneHeadless"]),
    // GTK 4 as what an extension shows.
    .library(name: "ExtensionKitGTKContent", targets: ["ExtensionKitGTKContent"]),
    // Distributed actors over a connection, for those who want them.
    .library(name: "ExtensionDistributed", targets: ["ExtensionDistributed"]),
    .library(name: "Varlink", targets: ["Varlink"]),
    // libextensionkit.so, for C. Its name is what it is linked with: -lextensionkit.
    .library(name: "extensionkit", type: .dynamic, targets: ["ExtensionKitC"]),
    // libextensionkit-gtk4.so: the view for hosts in C, Python and Vala.
    .library(name: "extensionkit-gtk4", type: .dynamic, targets: ["ExtensionKitGTKC"]),
    .executable(name: "extensiond", targets: ["extensiond"]),
    .executable(name: "extensiond-launcher", targets: ["extensiond-launcher"]),
    .executable(name: "extension-init", targets: ["extension-init"]),
    .executable(name: "extensiond-preview", targets: ["extensiond-preview"]),
    .executable(name: "extensiond-preview-window", targets: ["extensiond-preview-window"]),
    .executable(name: "extensiond-browser", targets: ["extensiond-browser"]),
    .executable(name: "extctl", targets: ["extctl"]),
    .plugin(name: "VarlinkPlugin", targets: ["VarlinkPlugin"]),
    .plugin(name: "BundlePlugin", targets: ["BundlePlugin"]),
  ],
  targets: [
    // MARK: C
    .target(name: "CLinux"),
    .target(name: "CMainQueue"),
    .target(name: "CExtensionKit"),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // No pkgConfig: its flags are none that a package may have, and it is in the system's own directories.
    .systemLibrary(name: "CCurses", providers: [.apt(["libncurses-dev"])]),
    // It loads libcrypto, so nothing links that.
    .target(name: "CCrypto"),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CPropertyList", pkgConfig: "libplist-2.0", providers: [.apt(["libplist-dev"])]),
    // Without any library, the C library too: it runs inside sandboxes that may have none, and each launch waits for it.
    .executableTarget(
      name: "extension-init",
      linkerSettings: [
        .unsafeFlags(["-static-executable", "-nostartfiles", "-Xclang-linker", "-nostdlib"]),
        // Each sandbox has a copy.
        .unsafeFlags(["-Xlinker", "-s"], .when(configuration: .release)),
      ]),

    // MARK: System
    .target(name: "LinuxSystem", dependencies: ["CLinux"]),

    // MARK: Wire
    .target(
      name: "Varlink", dependencies: ["LinuxSystem"], exclude: ["Service/org.varlink.service.varlink"]),
    .target(name: "VarlinkGenerator", dependencies: ["Varlink"]),
    .executableTarget(
      name: "varlink-generate", dependencies: ["LinuxSystem", "Varlink", "VarlinkGenerator"]),
    .plugin(
      name: "VarlinkPlugin", capability: .buildTool(), dependencies: ["varlink-generate"],
      path: "Sources/VarlinkPlugin"),
    .target(name: "ExtensionInterfaces", dependencies: ["Varlink"], plugins: ["VarlinkPlugin"]),

    // MARK: Broker
    .target(
      name: "ExtensionBundles",
      dependencies: [
        "CCrypto", "CExpat", "CLinux", "CPropertyList", "ExtensionInterfaces", "LinuxSystem", "Varlink",
      ]),
    .target(
      name: "BrokerCore", dependencies: ["ExtensionInterfaces", "Varlink"], plugins: ["VarlinkPlugin"]),
    .target(name: "LauncherProtocol", dependencies: ["LinuxSystem", "Varlink"], plugins: ["VarlinkPlugin"]),
    .target(
      name: "BrokerDaemon",
      dependencies: [
        "BrokerCore", "CSQLite", "CSystemd", "ExtensionBundles", "ExtensionInterfaces", "LauncherProtocol",
        "LinuxSystem", "Varlink",
      ]),
    // Nobody looks a symbol of it up but the dynamic linker, for each of the libraries' 4,000, and in vain.
    .executableTarget(
      name: "extensiond", dependencies: ["BrokerDaemon"],
      linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"])]),

    // MARK: Launcher
    .target(
      name: "Launcher", dependencies: ["CSeccomp", "CSystemd", "LauncherProtocol", "LinuxSystem", "Varlink"]),
    .executableTarget(name: "extensiond-launcher", dependencies: ["Launcher", "LinuxSystem"]),

    // MARK: SDK
    .target(
      name: "ExtensionFoundation",
      dependencies: ["CMainQueue", "ExtensionInterfaces", "LinuxSystem", "Varlink"]),

    .target(name: "ExtensionKit", dependencies: ["ExtensionFoundation", "LinuxSystem"]),

    // MARK: Scenes on screen
    .systemLibrary(
      name: "CWaylandServer", pkgConfig: "wayland-server", providers: [.apt(["libwayland-dev"])]),
    .systemLibrary(name: "CPng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CKeyboard", pkgConfig: "xkbcommon", providers: [.apt(["libxkbcommon-dev"])]),
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .plugin(name: "WaylandPlugin", capability: .buildTool(), path: "Sources/WaylandPlugin"),
    .target(
      name: "CWayland", dependencies: ["CWaylandServer"], exclude: ["protocols.list"],
      plugins: ["WaylandPlugin"]),
    .systemLibrary(
      name: "CWaylandClient", pkgConfig: "wayland-client", providers: [.apt(["libwayland-dev"])]),
    .target(
      name: "CSceneClient", dependencies: ["CGTK", "CWaylandClient"], exclude: ["protocols.list"],
      // A program may be host and extension: CWayland has the same names.
      cSettings: [
        .define("extk_scene_manager_v1_interface", to: "cscene_manager_interface"),
        .define("extk_scene_v1_interface", to: "cscene_scene_interface"),
      ],
      plugins: ["WaylandPlugin"]),
    .target(
      name: "ExtensionKitGTKContent",
      dependencies: ["CGTK", "CSceneClient", "ExtensionFoundation", "ExtensionKit"]),
    .target(
      name: "SceneCompositor", dependencies: ["CKeyboard", "CWayland", "LinuxSystem"]),
    // The same for views in C, and the view for GTK 4.
    .target(name: "CSceneCompositor"),
    .target(
      name: "SceneCompositorC",
      dependencies: ["CSceneCompositor", "LinuxSystem", "SceneCompositor"]),
    .systemLibrary(
      name: "CKeyboardX11", pkgConfig: "xkbcommon-x11",
      providers: [.apt(["libxkbcommon-x11-dev", "libx11-xcb-dev"])]),
    .target(name: "GTKSupport", dependencies: ["CGTK"]),
    // ExtkSceneView.
    .target(
      name: "CSceneView", dependencies: ["CGTK", "CKeyboard", "CKeyboardX11", "CSceneCompositor"],
      linkerSettings: [.linkedLibrary("X11-xcb")]),
    .target(
      name: "ExtensionKitGTK",
      dependencies: [
        "CGTK", "CSceneView", "ExtensionFoundation", "ExtensionKit", "GTKSupport", "LinuxSystem",
        "SceneCompositorC",
      ]),
    .target(
      name: "ExtensionKitGTKC", dependencies: ["CSceneView", "SceneCompositorC"], exclude: ["exports.map"],
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld",
          "-Xlinker", "-soname=libextensionkit-gtk4.so.0", "-Xlinker", "-znodelete",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/ExtensionKitGTKC/exports.map",
        ]),
        .unsafeFlags(["-Xlinker", "--strip-all"], .when(configuration: .release)),
      ]),
    // A host without a screen: for tests, and for extension authors' own.
    .target(name: "SceneHeadless", dependencies: ["CPng", "LinuxSystem", "SceneCompositor"]),
    .executableTarget(name: "extensiond-preview", dependencies: ["LinuxSystem", "SceneHeadless"]),
    .executableTarget(
      name: "scene-run", dependencies: ["LinuxSystem", "SceneCompositor", "SceneHeadless"],
      path: "Tests/SceneTests/scene-run"),
    // A client that writes what it likes, for tests and measurements.
    .target(
      name: "WireClient", dependencies: ["LinuxSystem", "SceneCompositor"],
      path: "Tests/SceneTests/WireClient"),
    .target(
      name: "ExtensionDistributed", dependencies: ["ExtensionFoundation", "Varlink"],
      plugins: ["VarlinkPlugin"]),

    // One object for programs that know nothing of Swift: the runtime is inside, only extk_* can be seen, and it is
    // never unloaded, since it has threads.
    .target(
      name: "ExtensionKitC",
      dependencies: ["CExtensionKit", "ExtensionFoundation", "ExtensionInterfaces", "LinuxSystem"],
      exclude: ["exports.map"],
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-use-ld=lld",
          "-Xlinker", "-soname=libextensionkit.so.0", "-Xlinker", "-znodelete",
          "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/ExtensionKitC/exports.map",
        ]),
        .unsafeFlags(["-Xlinker", "--strip-all"], .when(configuration: .release)),
      ]),

    // Static: the sandbox has no Swift libraries.
    .executableTarget(
      name: "extension-stdio", dependencies: ["ExtensionFoundation", "LinuxSystem"],
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),

    // MARK: Examples
    .executableTarget(
      name: "greeting-extension", dependencies: ["ExtensionFoundation"],
      path: "Sources/Examples/greeting-extension", swiftSettings: constantValues,
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "greeting-host", dependencies: ["ExtensionFoundation"], path: "Sources/Examples/greeting-host",
      swiftSettings: constantValues),

    .executableTarget(
      name: "c-greeting", path: "Sources/Examples/c-greeting", exclude: ["Bundle"],
      linkerSettings: [.unsafeFlags(["-static-executable", "-nostartfiles"])]),
    // The documents' samples, as a host's author and an extension's author write them.
    .target(
      name: "SampleSDK", dependencies: ["ExtensionFoundation", "ExtensionKit", "Varlink"],
      path: "Sources/Examples/sample-sdk", plugins: ["VarlinkPlugin"]),
    .executableTarget(
      name: "sample-extension", dependencies: ["ExtensionFoundation", "ExtensionKit", "SampleSDK"],
      path: "Sources/Examples/sample-extension", linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "gtk-extension",
      dependencies: ["CGTK", "ExtensionFoundation", "ExtensionKit", "ExtensionKitGTKContent"],
      path: "Sources/Examples/gtk-extension", linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    .executableTarget(
      name: "sample-host", dependencies: ["ExtensionFoundation", "ExtensionKit", "SampleSDK"],
      path: "Sources/Examples/sample-host"),
    .executableTarget(
      name: "example-word-count",
      dependencies: ["CGTK", "ExtensionFoundation", "ExtensionKit", "ExtensionKitGTKContent"],
      path: "Sources/Examples/editor/WordCount", swiftSettings: constantValues,
      linkerSettings: [.unsafeFlags(["-static-stdlib"])], plugins: ["VarlinkPlugin"]),
    // A host with a window, whose pane shows what extensions draw.
    .executableTarget(
      name: "example-editor",
      dependencies: ["CGTK", "ExtensionFoundation", "ExtensionKit", "ExtensionKitGTK", "LinuxSystem"],
      path: "Sources/Examples/editor/Editor", swiftSettings: constantValues, plugins: ["VarlinkPlugin"]),
    .executableTarget(
      name: "certification", dependencies: ["LinuxSystem", "Varlink"], path: "Sources/Examples/certification",
      plugins: ["VarlinkPlugin"]),

    // For the tests: it must be a program of its own.
    .executableTarget(
      name: "probe-extension", dependencies: ["ExtensionFoundation", "LinuxSystem", "SampleSDK"],
      path: "Tests/ExtensionFoundationTests/probe-extension"),
    .executableTarget(
      name: "probe-host", dependencies: ["ExtensionFoundation", "ExtensionKit", "LinuxSystem", "SampleSDK"],
      path: "Tests/IntegrationTests/probe-host"),
    .target(name: "DistributedNeighbour", path: "Tests/ExtensionDistributedTests/neighbour"),
    .executableTarget(
      name: "probe-distributed",
      dependencies: ["DistributedNeighbour", "ExtensionDistributed", "ExtensionFoundation", "LinuxSystem"],
      path: "Tests/ExtensionDistributedTests/probe-distributed",
      linkerSettings: [.unsafeFlags(["-static-stdlib"])]),

    // MARK: Command
    .target(
      name: "ExtensionControl",
      dependencies: [
        "CCurses", "ExtensionBundles", "ExtensionInterfaces", "LinuxSystem", "Varlink", "VarlinkGenerator",
      ],
      // What `extctl new` writes is inside the program.
      resources: [.embedInCode("Projects/Templates")]),
    .executableTarget(name: "extctl", dependencies: ["ExtensionControl", "LinuxSystem"]),
    // The same decisions in a window.
    .executableTarget(
      name: "extensiond-preview-window",
      dependencies: ["CGTK", "CSceneView", "GTKSupport", "LinuxSystem", "SceneCompositorC"]),
    .executableTarget(
      name: "extensiond-browser",
      dependencies: ["CGTK", "ExtensionControl", "ExtensionInterfaces", "GTKSupport", "LinuxSystem"]),
    .plugin(
      name: "BundlePlugin",
      capability: .command(
        intent: .custom(verb: "bundle", description: "Build an extension or a host, and make its bundle"),
        permissions: [.writeToPackageDirectory(reason: "the bundle is put where -o says")]),
      dependencies: ["extctl"], path: "Sources/BundlePlugin"),

    // MARK: Benchmarks
    .target(name: "CBench", linkerSettings: [.linkedLibrary("crypto")]),
    .executableTarget(
      name: "bench-extension", linkerSettings: [.unsafeFlags(["-static-executable", "-nostartfiles"])]),
    .executableTarget(name: "bench-line", linkerSettings: [.unsafeFlags(["-static-stdlib"])]),
    // What it leaves out runs where the benchmark finds it.
    .executableTarget(
      name: "bench-peers", dependencies: ["CSystemd"], exclude: ["gdbus", "varlink-service"]),
    .executableTarget(
      name: "extension-bench",
      dependencies: [
        "CBench", "CLinux", "ExtensionFoundation", "ExtensionInterfaces", "LauncherProtocol", "LinuxSystem",
        "SceneCompositor", "Varlink", "WireClient",
      ],
      plugins: ["VarlinkPlugin"]),

    // MARK: Tests
    .testTarget(
      name: "BrokerCoreTests", dependencies: ["BrokerCore", "ExtensionInterfaces", "LinuxSystem", "Varlink"]),
    .testTarget(
      name: "ExtensionBundlesTests",
      dependencies: ["CLinux", "ExtensionBundles", "ExtensionInterfaces", "LinuxSystem"]),
    .testTarget(
      name: "ExtensionControlTests",
      dependencies: ["CLinux", "ExtensionControl", "ExtensionInterfaces", "LinuxSystem", "Varlink"]),
    .testTarget(
      name: "ExtensionDistributedTests",
      dependencies: [
        "DistributedNeighbour", "ExtensionDistributed", "ExtensionFoundation", "LinuxSystem", "Varlink",
      ],
      exclude: ["neighbour", "probe-distributed"]),
    .testTarget(
      name: "ExtensionFoundationTests",
      dependencies: ["ExtensionFoundation", "ExtensionInterfaces", "LinuxSystem", "Varlink"],
      exclude: ["probe-extension"], plugins: ["VarlinkPlugin"]),
    .testTarget(
      name: "LauncherTests", dependencies: ["Launcher", "LauncherProtocol", "LinuxSystem", "Varlink"]),
    .testTarget(
      name: "SceneCompositorTests", dependencies: ["LinuxSystem", "SceneCompositor", "WireClient"],
      path: "Tests/SceneTests/SceneCompositorTests"),
    .testTarget(
      name: "VarlinkTests",
      dependencies: ["ExtensionInterfaces", "LinuxSystem", "Varlink", "VarlinkGenerator"],
      exclude: ["Golden"], plugins: ["VarlinkPlugin"]),
  ]
)

// `make fuzz` builds this, and nobody else: it needs libFuzzer, whose directory the variable names.
if let libraries = Context.environment["EXTENSIOND_FUZZER"] {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "BrokerCore", "BrokerDaemon", "CFuzzer", "ExtensionBundles", "ExtensionInterfaces",
        "LauncherProtocol", "LinuxSystem", "SceneCompositor", "Varlink", "VarlinkGenerator",
      ],
      path: "Tests/Fuzz/Program",
      linkerSettings: [
        .unsafeFlags([
          "-L\(libraries)", "-lclang_rt.fuzzer_no_main-x86_64", "-lstdc++",
        ])
      ]),
  ]
}

// The same rules for every Swift target.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]
let languageC = Set([
  "CBench", "CCrypto", "CExtensionKit", "CLinux", "CMainQueue", "CSceneClient", "CSceneCompositor",
  "CSceneView", "CWayland", "bench-extension",
  "bench-peers",
  "extension-init",
])
// Every line of theirs calls GTK, of which Swift knows nothing: marks on all of them would say nothing.
let callsOnlyC = Set([
  "example-editor",
  "example-word-count",
  "extensiond-browser",
  "extensiond-preview-window",
])
for target in package.targets
where [.regular, .executable, .test].contains(target.type) && !languageC.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + settings
  if !callsOnlyC.contains(target.name) {
    target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
  }
}
