public import ExtensionFoundation

// Names that cannot exist here: the compiler tells whoever brings code from macOS what to write instead.
// docs/differences.md has a row for each of them; run-names-tests compares.

@available(*, unavailable, message: "people use 'extctl list', 'approve' and 'disable'")
@MainActor
public final class EXAppExtensionBrowserViewController {
  public init() {}
}

extension HostSceneController {
  @available(*, unavailable, renamed: "makeConnection()")
  public func makeXPCConnection() throws -> AppExtensionConnection { fatalError() }

  @available(*, unavailable, message: "show it yourself while 'state' is .placeholder")
  public var placeholderView: Any {
    get { fatalError() }
    set { fatalError() }
  }
}
