public import CSceneCompositor
internal import LinuxSystem
internal import SceneCompositor

/// What an `extk_compositor` points to.
@safe final class CompositorBox {
  let compositor: SceneCompositor
  private let events: extk_compositor_events
  private let data: UnsafeMutableRawPointer?
  /// After input a client is asked whether it still answers, but not for each key.
  private var lastPing: MonotonicTime?

  init(
    _ socket: consuming FileDescriptor, isUnmodified: Bool, _ events: extk_compositor_events,
    _ data: UnsafeMutableRawPointer?
  ) throws(Errno) {
    compositor = try SceneCompositor(naming: isUnmodified ? .oneScene : .byToken)
    self.events = events
    unsafe self.data = unsafe data
    try compositor.attach(socket)
    compositor.onEnd = { [unowned self] fault in
      guard let fault else { return unsafe self.events.ended(self.data, nil) }
      unsafe self.events.ended(self.data, fault)
    }
    watch(compositor.clipboard, isPrimary: false)
    watch(compositor.primarySelection, isPrimary: true)
    compositor.flush()
  }

  /// The extension's text is asked for at once: a toolkit wants to have what it offers to others.
  private func watch(_ selection: Selection, isPrimary: Bool) {
    selection.onSelection = { [unowned self, unowned selection] types in
      guard !types.isEmpty else { return }
      selection.requestText { [unowned self] answer in
        guard let text = try? answer.get() else { return }
        unsafe self.events.copied(self.data, isPrimary, text)
      }
    }
  }

  func offer(_ isPrimary: Bool, _ hasText: Bool) {
    let selection = isPrimary ? compositor.primarySelection : compositor.clipboard
    guard hasText else { return selection.withdraw() }
    selection.offer { [unowned self] _, answer in
      let wish = unsafe Unmanaged.passRetained(Wish(answer))
      unsafe self.events.wanted(self.data, isPrimary, OpaquePointer(wish.toOpaque()))
    }
  }

  func noteInput() {
    let now = MonotonicTime.now
    if let lastPing, now - lastPing < .seconds(1) { return }
    lastPing = now
    compositor.ping(within: .seconds(5))
  }

  static func at(_ pointer: OpaquePointer?) -> CompositorBox {
    guard let pointer = unsafe pointer else {
      preconditionFailure("a null pointer was given for a compositor")
    }
    return unsafe Unmanaged<CompositorBox>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }
}

/// What an `extk_wish` points to.
private final class Wish {
  let answer: (String?) -> Void
  init(_ answer: @escaping (String?) -> Void) { self.answer = answer }
}

@c @implementation
public func extk_compositor_new(
  _ socket: CInt, _ unmodified: Bool, _ events: UnsafePointer<extk_compositor_events>?,
  _ data: UnsafeMutableRawPointer?, _ failure: UnsafeMutablePointer<CInt>?
) -> OpaquePointer? {
  let socket = FileDescriptor(owning: socket)
  guard let events = unsafe events?.pointee else { preconditionFailure("a compositor without callbacks") }
  do throws(Errno) {
    let box = try unsafe CompositorBox(socket, isUnmodified: unmodified, events, data)
    return unsafe OpaquePointer(Unmanaged.passRetained(box).toOpaque())
  } catch {
    unsafe failure?.pointee = error.rawValue
    return nil
  }
}

@c @implementation
public func extk_compositor_free(_ compositor: OpaquePointer?) {
  guard let compositor = unsafe compositor else { return }
  unsafe Unmanaged<CompositorBox>.fromOpaque(UnsafeRawPointer(compositor)).release()
}

@c @implementation
public func extk_compositor_descriptor(_ compositor: OpaquePointer?) -> CInt {
  unsafe CompositorBox.at(compositor).compositor.descriptor
}

@c @implementation
public func extk_compositor_dispatch(_ compositor: OpaquePointer?) {
  let box = unsafe CompositorBox.at(compositor)
  // A callback may free it.
  withExtendedLifetime(box) { box.compositor.dispatch() }
}

@c @implementation
public func extk_compositor_set_scale(_ compositor: OpaquePointer?, _ scale: Double) {
  let compositor = unsafe CompositorBox.at(compositor).compositor
  compositor.scale = scale
  compositor.flush()
}

@c @implementation
public func extk_compositor_set_keymap(_ compositor: OpaquePointer?, _ description: UnsafePointer<CChar>?) {
  guard let description = unsafe description,
    let keymap = try? Keymap(description: unsafe String(cString: description))
  else { return }
  let compositor = unsafe CompositorBox.at(compositor).compositor
  compositor.keymap = keymap
  compositor.flush()
}

@c @implementation
public func extk_compositor_offer(_ compositor: OpaquePointer?, _ isPrimary: Bool, _ hasText: Bool) {
  unsafe CompositorBox.at(compositor).offer(isPrimary, hasText)
}

@c @implementation
public func extk_wish_grant(_ wish: OpaquePointer?, _ text: UnsafePointer<CChar>?) {
  guard let wish = unsafe wish else { return }
  let owned = unsafe Unmanaged<Wish>.fromOpaque(UnsafeRawPointer(wish)).takeRetainedValue()
  owned.answer(unsafe text.map { unsafe String(cString: $0) })
}
