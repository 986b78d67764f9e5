import ExtensionFoundation

extension AppExtensionPoint {
  @Definition
  static var greeting: AppExtensionPoint {
    // error: 'AppExtensionPoint.Scope' to expected argument type 'AppExtensionPoint.Name'
    Scope(restriction: .none)
  }
}
