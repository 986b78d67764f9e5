internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  /// For the completions of shells, so no help lists it. Says nothing but the words, starts no broker, and does not wait for
  /// one that hangs: whoever presses Tab wants to go on typing.
  static let words = Command(
    name: "words", arguments: ["bundles,extensions,hosts,instances,points"],
    summary: "print what can be completed, one word a line"
  ) { invocation in
    let kinds = invocation.arguments[0].split(separator: ",").compactMap {
      CompletionWords(rawValue: String($0))
    }
    let found = (try? known(kinds)) ?? []
    try invocation.show(document: Set(found.filter(isSafe)).sorted().joined(separator: "\n"))
    return .success
  }

  private static func known(_ kinds: [CompletionWords]) throws -> [String] {
    // A connection alone would make a service manager start a broker.
    guard File.isLocked(try BrokerLocation.lock) else { return [] }
    let socket = try Socket.connect(to: BrokerLocation.path(.admin), nonBlocking: true)
    let client = VarlinkClient(socket: SharedDescriptor(socket))
    func ask<Method: VarlinkMethod>(_ method: Method) throws -> Method.Reply {
      try client.call(method, timeout: .seconds(2)).reply
    }
    return try kinds.flatMap { kind -> [String] in
      switch kind {
      case .bundles: try ask(AdminInterface.List()).extensions.compactMap(\.identifier)
      case .extensions:
        try ask(AdminInterface.List()).extensions.filter { $0.extensionPoint != nil }.compactMap(\.identifier)
      case .hosts:
        try ask(AdminInterface.ListHosts()).hosts.map(\.identifier)
          + ask(AdminInterface.List()).extensions.filter { $0.path.hasSuffix(".app") }.compactMap(
            \.identifier)
      case .points: try ask(AdminInterface.ListExtensionPoints()).extensionPoints.map(\.identifier)
      case .instances: try ask(AdminInterface.ListInstances()).instances.map(\.id)
      }
    }
  }

  /// Shells expand what they are given, so only what means nothing to any of them is given.
  private static func isSafe(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
