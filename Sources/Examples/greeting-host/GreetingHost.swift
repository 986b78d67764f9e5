import ExtensionFoundation

extension AppExtensionPoint {
  @Definition static var greeting: AppExtensionPoint {
    Name("Greeting")
    Scope(restriction: .none)
  }
}

/// Uses every extension of its point, then does what it is told on standard input: NAME greets again over the open
/// connections.
@main
struct GreetingHost {
  static func main() async throws {
    say("waiting for extensions of the point \(AppExtensionPoint.greeting.id)")
    let monitor = try await AppExtensionPoint.Monitor(appExtensionPoint: .greeting)
    say("\(monitor.identities.count) enabled, \(monitor.state.unapprovedCount) wait for approval")
    var users: [GreetingUser] = []
    while let command = readLine() {
      if command == "use" {
        for identity in monitor.identities {
          for scene in [nil, "GreetingScene"] { users.append(try await GreetingUser(identity, scene: scene)) }
        }
      } else {
        for user in users { await user.greet(command) }
      }
      say("done")
    }
  }
}

/// One activation, with one connection.
final class GreetingUser {
  let name: String
  let process: AppExtensionProcess
  let connection: AppExtensionConnection
  var replies: AppExtensionConnection.Lines.Iterator

  init(_ identity: AppExtensionIdentity, scene: String?) async throws {
    let name = identity.localizedName + (scene.map { " (\($0))" } ?? "")
    self.name = name
    let configuration = AppExtensionProcess.Configuration(appExtensionIdentity: identity, sceneID: scene) {
      reason in
      say("\(name) was interrupted: \(reason)")
    }
    process = try await AppExtensionProcess(configuration: configuration)
    connection = try await process.makeConnection()
    replies = connection.lines.makeAsyncIterator()
    say("\(name) is activated")
  }

  func greet(_ person: String) async {
    guard (try? connection.send(line: person)) != nil, let reply = await replies.next(isolation: #isolation)
    else { return }
    say("\(name): \(reply)")
  }
}

func say(_ text: String) { print("host: \(text)") }
