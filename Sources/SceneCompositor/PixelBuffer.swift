internal import CWayland

/// Pixels of one surface: 32 bits each, alpha, red, green and blue from the highest byte on, colours multiplied by alpha;
/// line after line without gaps. The compositor keeps this copy, since the client may change or cut its own at any time.
@safe public final class PixelBuffer {
  /// In pixels of the buffer.
  public let width: Int
  /// In pixels of the buffer.
  public let height: Int
  private let pixels: UnsafeMutableBufferPointer<UInt32>

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    let count = max(1, width * height)
    // Zeros that take no time, and no memory until something is drawn.
    guard let memory = unsafe calloc(count, 4) else { fatalError("no memory for \(count) pixels") }
    unsafe pixels = UnsafeMutableBufferPointer(
      start: memory.bindMemory(to: UInt32.self, capacity: count), count: count)
  }

  deinit { unsafe free(pixels.baseAddress) }

  /// The length of a line.
  public var bytesPerLine: Int { width * 4 }
  /// Of all lines.
  public var byteCount: Int { width * height * 4 }

  /// The pixels, for as long as `body` runs.
  public func withPixels<Result>(_ body: (Span<UInt32>) throws -> Result) rethrows -> Result {
    try body(unsafe Span(_unsafeElements: UnsafeBufferPointer(rebasing: pixels[..<(width * height)])))
  }

  /// Where they begin, for views that copy them at once.
  package var address: UnsafeRawPointer? { unsafe UnsafeRawPointer(pixels.baseAddress) }

  /// One pixel; nil outside.
  public subscript(x: Int, y: Int) -> UInt32? {
    guard x >= 0, y >= 0, x < width, y < height else { return nil }
    return unsafe pixels[y * width + x]
  }

  var bounds: SceneRectangle { SceneRectangle(width: width, height: height) }

  /// Copies a part of a client's buffer, which has the same size.
  /// - Parameters:
  ///   - stride: bytes from one of its lines to the next.
  ///   - opaque: its highest byte says nothing.
  func copy(_ part: SceneRectangle, from source: UnsafeRawPointer, stride: Int, opaque: Bool) {
    let part = part.intersection(bounds)
    guard !part.isEmpty, let target = unsafe UnsafeMutableRawPointer(pixels.baseAddress) else { return }
    let whole = part.width == width && stride == bytesPerLine
    let lines = whole ? 1 : part.height
    let bytes = whole ? part.height * stride : part.width * 4
    for line in 0..<lines {
      let offset = part.x * 4 + (part.y + line) * bytesPerLine
      unsafe target.advanced(by: offset).copyMemory(
        from: source.advanced(by: part.x * 4 + (part.y + line) * stride), byteCount: bytes)
    }
    if opaque { makeOpaque(part) }
  }

  private func makeOpaque(_ part: SceneRectangle) {
    for y in part.y..<part.y + part.height {
      for index in y * width + part.x..<y * width + part.x + part.width {
        unsafe pixels[index] |= 0xff00_0000
      }
    }
  }

  /// Draws another one over this one, as large as it is shown.
  /// - Parameters:
  ///   - target: where, in pixels of this one.
  ///   - part: what of the source, in its pixels.
  func draw(_ source: PixelBuffer, part: SceneRectangle, into target: SceneRectangle) {
    let visible = target.intersection(bounds)
    guard !visible.isEmpty, !part.isEmpty else { return }
    for y in visible.y..<visible.y + visible.height {
      let sourceY = part.y + (y - target.y) * part.height / target.height
      guard sourceY >= 0, sourceY < source.height else { continue }
      for x in visible.x..<visible.x + visible.width {
        let sourceX = part.x + (x - target.x) * part.width / target.width
        guard sourceX >= 0, sourceX < source.width else { continue }
        let index = y * width + x
        unsafe pixels[index] = Self.over(source.pixels[sourceY * source.width + sourceX], pixels[index])
      }
    }
  }

  /// One colour over another one (Porter and Duff's operator). Both halves of two bytes at once.
  @inline(__always) private static func over(_ top: UInt32, _ bottom: UInt32) -> UInt32 {
    let alpha = top >> 24
    if alpha == 255 { return top }
    if alpha == 0 && top == 0 { return bottom }
    let rest = 255 - alpha
    let first = (((bottom & 0x00ff_00ff) &* rest) >> 8) & 0x00ff_00ff
    let second = (((bottom >> 8) & 0x00ff_00ff) &* rest) & 0xff00_ff00
    return top &+ (first | second)
  }
}
