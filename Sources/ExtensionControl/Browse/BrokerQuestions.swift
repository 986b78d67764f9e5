internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

/// Questions to the broker, one after the other, for programs that wait for more than the answers. One thread.
final class BrokerQuestions {
  private let admin: VarlinkClient
  /// Those that were not sent yet; and what is done with the answer to the one that was.
  private var waiting: [() throws -> (() throws -> Void)] = []
  private var answered: (() throws -> Void)?
  /// A question was sent, or answered.
  var onChange: (() -> Void)?

  init() throws { admin = try BrokerLocation.connect(.admin) }

  /// Readable when `receive()` has something to do.
  var socket: SharedDescriptor { admin.socket }
  /// An answer is on its way.
  var isWaiting: Bool { answered != nil }

  /// Asks when its turn comes: call `sendNext()`.
  /// - Parameter failed: takes the broker's errors; all others are thrown to whoever calls `receive()`.
  func ask<Method: VarlinkMethod>(
    _ method: Method, done: @escaping (Method.Reply) -> Void, failed: @escaping (ControlError) -> Void
  ) {
    waiting.append { [admin] in
      try admin.send(method.call())
      return {
        do throws(VarlinkClientError) {
          done(try admin.next(Method.self, timeout: .zero).reply)
        } catch {
          guard case .errorReply = error else { throw error }
          failed(ControlError(error))
        }
      }
    }
  }

  /// Sends the next question, where none waits for its answer.
  func sendNext() throws {
    guard answered == nil, !waiting.isEmpty else { return }
    answered = try waiting.removeFirst()()
    onChange?()
  }

  /// Takes an answer.
  func receive() throws {
    guard let take = answered else {
      // It said nothing wrong unless it is gone.
      _ = try admin.arrived(AdminInterface.List.self)
      return
    }
    answered = nil
    do { try take() } catch VarlinkClientError.timedOut {
      // Only a part of it has come.
      answered = take
      return
    }
    onChange?()
    try sendNext()
  }
}
