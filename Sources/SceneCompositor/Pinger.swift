internal import CWayland

/// Whether a client still answers (`xdg_wm_base.ping`).
final class Pinger {
  private weak var compositor: SceneCompositor?
  /// Who was asked, and what belongs to the answer; nil while there is nothing to wait for.
  private var asked: (base: ShellBase, serial: UInt32)?
  private var timer: LoopSource?
  private(set) var isUnresponsive = false { didSet { if isUnresponsive != oldValue { tell() } } }

  var isWaiting: Bool { asked != nil }

  func begin(in compositor: SceneCompositor) { self.compositor = compositor }

  /// Nothing where it was asked already: the first question's time counts.
  func ping(within limit: Duration) {
    guard asked == nil, let compositor, let base = compositor.shellBases.last, let serial = base.ping() else {
      return
    }
    asked = (base, serial)
    timer = LoopSource(after: limit, in: compositor) { [weak self] in self?.isUnresponsive = true }
  }

  func answered(_ serial: UInt32) { if serial == asked?.serial { end() } }

  /// The client has destroyed it: it does something.
  func isGone(_ base: ShellBase) { if base === asked?.base { end() } }

  /// Before the compositor's loop is gone.
  func end() {
    (asked, timer) = (nil, nil)
    isUnresponsive = false
  }

  private func tell() {
    for scene in compositor?.scenes ?? [] where scene.isShown {
      scene.onEvent?(isUnresponsive ? .unresponsive : .responsive)
    }
  }
}

extension SceneCompositor {
  /// The client was asked and has not answered yet.
  public var isWaitingForAnswer: Bool { pinger.isWaiting }
  /// It has not answered in time, and not since.
  public var isUnresponsive: Bool { pinger.isUnresponsive }

  /// Asks the client whether it still answers. Where it does not in time, each scene that is shown gets `.unresponsive`, and
  /// `.responsive` when it does after all; what to do about it is the host's to decide.
  public func ping(within limit: Duration = .seconds(10)) {
    pinger.ping(within: limit)
    flush()
  }
}
