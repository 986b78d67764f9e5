extension Entitlement {
  /// What it really means, for the person who decides: whole sentences.
  public var meaning: String {
    switch self {
    case .simple(let simple): simple.meaning
    case .appGroup(let group):
      "It shares a folder with everything else of the group \(group), and reads and writes what they put there."
    case .sessionBus(let name):
      name.text.hasSuffix(".*")
        ? "It can call everything that \(name.text.dropLast(2)), and all names below it, offer on the session bus; what is called acts with all your rights."
        : "It can call everything that \(name.text) offers on the session bus; what is called acts with all your rights."
    }
  }

  /// What the lines mean, in their order. One that says nothing here comes from another version, and is told as that.
  public static func meanings(of lines: [String]) -> [AdminInterface.Entitlement] {
    lines.map { line in
      AdminInterface.Entitlement(
        name: line, meaning: Entitlement(line)?.meaning ?? "This version does not know what it means.")
    }
  }
}

extension Entitlement.Simple {
  fileprivate var meaning: String {
    switch self {
    case .networkClient:
      "It can connect to any computer on the network and on the internet, and to services on this machine that listen on localhost. Datagrams (UDP) go both ways, and it can wait for connections at a port that the kernel picks."
    case .networkServer:
      "It can wait for connections from other computers and from programs on this machine. It can send datagrams (UDP) to any of them."
    case .filesUserSelected:
      "It gets the files that you pick in a host, each handed over by the host. It sees no other file."
    case .wayland:
      "It can open windows of its own on your desktop, which may look like those of other programs, and reads the clipboard while one of them is in front."
    case .gpu:
      "It can use the graphics processor. A fault in its driver, which is part of the system's kernel, is in its reach."
    case .audio:
      "It can play sound, and listen to the microphone and to what other programs play."
    case .home:
      "It can read, change and delete all your files, but for the keys of ssh and gnupg, stored passwords, the files that start programs when you log in, and what belongs to extensiond. Other programs obey what lies there, so it may get out of its sandbox that way."
    case .nestedSandbox:
      "It can make sandboxes inside of its own, as browsers do. More of the system's kernel is in its reach, and so are faults of it."
    case .none:
      "No sandbox: it can do all that you can."
    }
  }
}
