/// A name on the person's bus that an extension may ask to talk to: D-Bus Specification, "Bus names". With `.*` at its
/// end all names below it too, as xdg-dbus-proxy reads it.
public struct SessionBusName: Hashable, Sendable {
  /// Why a name is refused; one clause.
  public struct Refusal: Error, Hashable, Sendable {
    public let reason: String
  }

  public let text: String

  public init(_ text: String) throws(Refusal) {
    let isFamily = text.hasSuffix(".*")
    let name = isFamily ? String(text.dropLast(2)) : text
    guard Self.isWellKnown(name) else {
      throw Refusal(
        reason:
          "no name of a bus; write one such as org.example.Player, or org.example.Player.* for all below it too"
      )
    }
    if isFamily, name.utf8.count(where: { $0 == UInt8(ascii: ".") }) < 2 {
      throw Refusal(reason: "too many programs at once; name one, with at least three parts before the .*")
    }
    if let power = Self.power(over: name, isFamily: isFamily) {
      throw Refusal(reason: "\(power), so it is as much as no sandbox; ask for none instead, or do without")
    }
    self.text = text
  }

  /// Two parts at least, none of which is empty or begins with a digit.
  private static func isWellKnown(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return name.utf8.count <= 255 && parts.count >= 2
      && parts.allSatisfy { part in
        part.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
          && part.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
              true
            default: false
            }
          }
      }
  }

  /// What whoever talks to these can do, and what is below them, or has a number or a process at the end. No list can be
  /// whole: any program may offer to start others.
  private static let powers: [(power: String, names: [String])] = [
    ("it rules the bus", ["org.freedesktop.DBus"]),
    (
      "it starts programs outside of the sandbox",
      [
        "ca.desrt.dconf", "org.Cinnamon", "org.freedesktop.Flatpak", "org.freedesktop.systemd1",
        "org.gnome.Console", "org.gnome.Ptyxis", "org.gnome.Shell", "org.gnome.Terminal", "org.kde.KWin",
        "org.kde.klauncher", "org.kde.konsole", "org.kde.krunner", "org.kde.kded", "org.kde.plasmashell",
        "org.kde.yakuake",
      ]
    ),
    (
      "it rules the session",
      [
        "org.cinnamon.SessionManager", "org.gnome.Mutter", "org.gnome.ScreenSaver",
        "org.gnome.SessionManager",
        "org.kde.Shutdown", "org.kde.kglobalaccel", "org.kde.ksmserver", "org.lxqt.session",
        "org.mate.SessionManager", "org.xfce.SessionManager",
      ]
    ),
    (
      "it gives the person's files and programs to whoever is in no sandbox that it knows",
      ["org.freedesktop.impl", "org.freedesktop.portal", "org.gtk.vfs"]
    ),
    (
      "it gives out the person's passwords",
      ["org.freedesktop.secrets", "org.gnome.keyring", "org.kde.kwalletd"]
    ),
    ("it reads and operates all windows", ["org.a11y"]),
  ]

  private static func power(over name: String, isFamily: Bool) -> String? {
    powers.first { power in
      power.names.contains { covers($0, name) || isFamily && $0.utf8.starts(with: "\(name).".utf8) }
    }?.power
  }

  private static func covers(_ owner: String, _ name: String) -> Bool {
    guard name.utf8.starts(with: owner.utf8) else { return false }
    guard let next = name.utf8.dropFirst(owner.utf8.count).first else { return true }
    switch next {
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return true
    default: return false
    }
  }
}
