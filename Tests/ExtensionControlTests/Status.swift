@testable import ExtensionControl

/// Testing has an `ExitStatus` too, so this file does not import it.
typealias Status = ExitStatus
