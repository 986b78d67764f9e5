internal import CExtensionKit
internal import ExtensionFoundation

/// An identity that C can point to, as long as this lives.
@safe
final class Identity: @unchecked Sendable {
  let value: AppExtensionIdentity
  let pointer: UnsafePointer<extk_identity>

  init(_ value: AppExtensionIdentity) {
    self.value = value
    let place = UnsafeMutablePointer<extk_identity>.allocate(capacity: 1)
    unsafe place.initialize(
      to: extk_identity(
        id: CText.copy(value.id), bundle_identifier: CText.copy(value.bundleIdentifier),
        localized_name: CText.copy(value.localizedName),
        extension_point: CText.copy(value.extensionPointIdentifier), version: CText.copy(value.version),
        localized_description: CText.copyIfThere(value.localizedDescription),
        developer: CText.copyIfThere(value.developer), license: CText.copyIfThere(value.license),
        home_page: CText.copyIfThere(value.homePage), icon: CText.copyIfThere(value.icon)))
    unsafe pointer = unsafe UnsafePointer(place)
  }

  deinit {
    let texts = unsafe pointer.pointee
    unsafe texts.id.deallocate()
    unsafe texts.bundle_identifier.deallocate()
    unsafe texts.localized_name.deallocate()
    unsafe texts.extension_point.deallocate()
    unsafe texts.version.deallocate()
    unsafe texts.localized_description?.deallocate()
    unsafe texts.developer?.deallocate()
    unsafe texts.license?.deallocate()
    unsafe texts.home_page?.deallocate()
    unsafe texts.icon?.deallocate()
    unsafe pointer.deallocate()
  }
}
