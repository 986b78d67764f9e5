internal import ExtensionFoundation
internal import SampleSDK

/// What an author may do wrong with a connection; the scene says what.
enum Misuse: String {
  case stranger = "exports a stranger"
  case noInterface = "exports without an interface"
  case noSocket = "resumes without its socket"
  case twice = "takes its socket twice"
  case late = "takes its socket after it resumed"
  case again = "resumes again and again"

  private struct Stranger: Sendable {}

  func commit(on connection: AppExtensionConnection) {
    switch self {
    case .stranger:
      connection.exportedObject = Stranger()
      connection.exportedInterface = .init(with: HostInterface.self)
      connection.resume()
    case .noInterface:
      connection.exportedObject = Stranger()
      connection.resume()
    case .noSocket:
      let socket = connection.takeSocket()
      connection.resume()
      withExtendedLifetime(socket) {}
    case .twice:
      let socket = connection.takeSocket()
      _ = connection.takeSocket()
      withExtendedLifetime(socket) {}
    case .late:
      connection.resume()
      _ = connection.takeSocket()
    case .again:
      connection.exportedInterface = .init(with: HostInterface.self)
      connection.resume()
      connection.resume()
      connection.invalidate()
      connection.resume()
    }
  }
}
