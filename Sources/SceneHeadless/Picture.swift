internal import CPng
public import SceneCompositor

extension PixelBuffer {
  /// Writes it as a PNG file, replacing what is there.
  /// - Throws: `PictureError` with what libpng says.
  public func writePNG(to path: String) throws(PictureError) {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    unsafe image.width = UInt32(width)
    unsafe image.height = UInt32(height)
    unsafe image.format = UInt32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
    let done = withPixels { pixels in
      // PNG's colours are not multiplied by alpha, and stand in the order of their names.
      var bytes: [UInt8] = []
      bytes.reserveCapacity(byteCount)
      for index in pixels.indices {
        let pixel = pixels[index]
        let alpha = pixel >> 24
        for shift: UInt32 in [16, 8, 0] {
          let colour = pixel >> shift & 255
          bytes.append(alpha == 0 ? 0 : UInt8(min(255, (colour * 255 + alpha / 2) / alpha)))
        }
        bytes.append(UInt8(alpha))
      }
      return unsafe png_image_write_to_file(&image, path, 0, bytes, 0, nil)
    }
    guard done != 0 else {
      let message = unsafe withUnsafeBytes(of: image.message) { bytes in
        unsafe String(decoding: unsafe bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw PictureError(path: path, message: message)
    }
  }
}

/// Why a picture was not written.
public struct PictureError: Error, CustomStringConvertible {
  /// Where it was to be.
  public let path: String
  /// What libpng says.
  public let message: String

  /// One sentence for people.
  public var description: String { "\(path) cannot be written: \(message)" }
}
