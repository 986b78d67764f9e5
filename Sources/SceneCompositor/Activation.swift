internal import CWayland

/// By which a program asks that a window of its own, or of another program, comes to the front (`xdg_activation_v1`). What
/// is in front is the host's to say: it is told of the wish, and no more happens.
final class Activation: GlobalObject {
  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_activation_v1_requests(
      destroy: endResource,
      get_activation_token: { _, global, id in
        let token = unsafe ActivationToken(Activation.of(global).compositor)
        unsafe token.appear(
          for: global, as: xdg_activation_token_v1_type(), id: id, ActivationToken.requests)
      },
      // Any token will do, since nothing but a word to the host comes of it.
      activate: { _, _, _, surface in
        let shell = unsafe Surface.of(surface).top.shell
        (shell?.window?.scene ?? shell?.popup?.scene)?.wantsAttention()
      }))
}

/// What one program gives to another, so that its window may come to the front (`xdg_activation_token_v1`).
final class ActivationToken: WaylandObject {
  private var isUsed = false

  private func commit() {
    guard mayChange(), let resource else { return }
    isUsed = true
    unsafe xdg_activation_token_v1_send_done(resource, "scene-\(compositor.nextSerial())")
  }

  @discardableResult private func mayChange() -> Bool {
    if isUsed {
      fail(XDG_ACTIVATION_TOKEN_V1_ERROR_ALREADY_USED.rawValue, "a change of a token that was given already")
    }
    return !isUsed
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    xdg_activation_token_v1_requests(
      set_serial: { _, token, _, _ in unsafe ActivationToken.of(token).mayChange() },
      set_app_id: { _, token, _ in unsafe ActivationToken.of(token).mayChange() },
      set_surface: { _, token, _ in unsafe ActivationToken.of(token).mayChange() },
      commit: { _, token in unsafe ActivationToken.of(token).commit() },
      destroy: endResource))
}
