public import CExtensionKit
internal import ExtensionFoundation

/// A failure as C sees it.
struct Failure: Error {
  let code: extk_error_code
  let message: String
  var reason: String?
  var standardError: [String] = []

  static func invalidArgument(_ message: String) -> Self {
    Failure(code: EXTK_ERROR_INVALID_ARGUMENT, message: message)
  }

  static var freed: Self {
    Failure(code: EXTK_ERROR_ACTIVATION_ENDED, message: "the activation was freed")
  }

  init(code: extk_error_code, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as AppExtensionError:
      self.init(code: Self.code(error.code), message: error.message)
      reason = error.reason?.kind
      standardError = error.standardError
    case let error as AppExtensionPoint.Error: self = .invalidArgument(Self.message(error))
    default: self.init(code: EXTK_ERROR_FAILED, message: "\(error)")
    }
  }

  private static func code(_ code: AppExtensionError.Code) -> extk_error_code {
    switch code {
    case .brokerUnavailable: EXTK_ERROR_BROKER_UNAVAILABLE
    case .brokerIncompatible: EXTK_ERROR_BROKER_INCOMPATIBLE
    case .extensionNotFound: EXTK_ERROR_EXTENSION_NOT_FOUND
    case .extensionNotEnabled: EXTK_ERROR_EXTENSION_NOT_ENABLED
    case .sceneNotFound: EXTK_ERROR_SCENE_NOT_FOUND
    case .activationFailed: EXTK_ERROR_ACTIVATION_FAILED
    case .connectionRejected: EXTK_ERROR_CONNECTION_REJECTED
    case .activationEnded: EXTK_ERROR_ACTIVATION_ENDED
    case .notPermitted: EXTK_ERROR_NOT_PERMITTED
    case .limitReached: EXTK_ERROR_LIMIT_REACHED
    case .timedOut: EXTK_ERROR_TIMED_OUT
    case .displayUnavailable: EXTK_ERROR_DISPLAY_UNAVAILABLE
    case .connectionClosed, .malformedMessage, .notImplemented, .invalidParameter, .remoteError, .failed:
      EXTK_ERROR_FAILED
    }
  }

  private static func message(_ error: AppExtensionPoint.Error) -> String {
    switch error {
    case .hostMustHaveBundleIdentifier:
      "this host has no identifier: give one to extk_host_new(), or set EXTENSIOND_HOST_IDENTIFIER"
    case .invalidAppExtensionPoint:
      "the extension point is no reverse-DNS identifier, such as org.example.Editor.Spelling"
    case .unspecifiedAppExtensionPointName: "the extension point is empty"
    case .hostMustBeApplicationOrAppExtension, .hostMustDefineAppExtensionPoint: "\(error)"
    }
  }

  /// A new structure, which `extk_error_free` frees.
  func copy() -> UnsafeMutablePointer<extk_error> {
    let copy = UnsafeMutablePointer<extk_error>.allocate(capacity: 1)
    unsafe copy.initialize(
      to: extk_error(
        code: code, message: CText.copy(message), reason: CText.copyIfThere(reason),
        standard_error: CText.copyIfThere(standardError.isEmpty ? nil : standardError.joined(separator: "\n"))
      ))
    return unsafe copy
  }

  /// A structure for the time of the body.
  func lend(_ body: (UnsafePointer<extk_error>) -> Void) {
    let copy = unsafe copy()
    unsafe body(UnsafePointer(copy))
    unsafe extk_error_free(copy)
  }

  /// What `body` returns, or `failed` and the error at `place`.
  static func report<Result>(
    at place: UnsafeMutablePointer<UnsafeMutablePointer<extk_error>?>?, else failed: Result,
    _ body: () throws -> Result
  ) -> Result {
    do { return try body() } catch {
      if let place = unsafe place { unsafe place.pointee = Failure(error).copy() }
      return failed
    }
  }
}

@c @implementation
public func extk_error_free(_ error: UnsafeMutablePointer<extk_error>?) {
  guard let error = unsafe error else { return }
  unsafe error.pointee.message?.deallocate()
  unsafe error.pointee.reason?.deallocate()
  unsafe error.pointee.standard_error?.deallocate()
  unsafe error.deallocate()
}
