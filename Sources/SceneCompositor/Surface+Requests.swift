internal import CWayland

extension Surface {
  private func attach(_ buffer: OpaquePointer?, _ x: Int32, _ y: Int32) {
    if has(version: 5), x != 0 || y != 0 {
      return fail(WL_SURFACE_ERROR_INVALID_OFFSET.rawValue, "an offset comes with its own request now")
    }
    if case .buffer(let old) = pending.content { old.release() }
    pending.content = unsafe buffer.map { unsafe .buffer(ClientBuffer($0)) } ?? .none
  }

  private func setScale(_ scale: Int32) {
    guard scale >= 1, scale <= 64 else {
      return fail(WL_SURFACE_ERROR_INVALID_SCALE.rawValue, "a scale of \(scale)")
    }
    pending.scale = Int(scale)
  }

  private func setTransform(_ transform: Int32) {
    guard (0...7).contains(transform) else {
      return fail(WL_SURFACE_ERROR_INVALID_TRANSFORM.rawValue, "a transform of \(transform)")
    }
    pending.transform = transform
  }

  private func addFrame(for surface: OpaquePointer?, id: UInt32) {
    guard pending.frames.count < compositor.limits.frames else {
      return fail(
        WL_DISPLAY_ERROR_NO_MEMORY.rawValue, "more than \(compositor.limits.frames) frame callbacks")
    }
    let frame = FrameCallback(compositor)
    unsafe frame.appear(for: surface, as: wl_callback_type(), version: 1, id: id)
    pending.frames.append(frame)
  }

  private static func rectangle(_ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32) -> SceneRectangle {
    SceneRectangle(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
  }

  private static func area(_ region: OpaquePointer?) -> Region.Area? {
    unsafe region == nil ? nil : Region.of(region).area
  }

  nonisolated(unsafe) static let requests = unsafe requestTable(
    wl_surface_requests(
      destroy: endResource,
      attach: { _, surface, buffer, x, y in unsafe Surface.of(surface).attach(buffer, x, y) },
      damage: { _, surface, x, y, width, height in
        let surface = unsafe Surface.of(surface)
        surface.pending.damage = surface.pending.damage.union(Surface.rectangle(x, y, width, height))
      },
      frame: { _, surface, id in unsafe Surface.of(surface).addFrame(for: surface, id: id) },
      set_opaque_region: { _, surface, region in
        unsafe Surface.of(surface).pending.opaque = .some(Surface.area(region))
      },
      set_input_region: { _, surface, region in
        unsafe Surface.of(surface).pending.input = .some(Surface.area(region))
      },
      commit: { _, surface in unsafe Surface.of(surface).commit() },
      set_buffer_transform: { _, surface, transform in unsafe Surface.of(surface).setTransform(transform) },
      set_buffer_scale: { _, surface, scale in unsafe Surface.of(surface).setScale(scale) },
      damage_buffer: { _, surface, x, y, width, height in
        let surface = unsafe Surface.of(surface)
        surface.pending.bufferDamage = surface.pending.bufferDamage.union(
          Surface.rectangle(x, y, width, height))
      },
      // Where a window stands is the host's to say.
      offset: { _, _, _, _ in }))
}
