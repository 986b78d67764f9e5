internal import ExtensionInterfaces
internal import LinuxSystem

extension AppExtensionProcess {
  /// Why an extension ended.
  public struct EndReason: Hashable, Sendable, CustomStringConvertible {
    /// One of the closed list in io.extensiond.Broker: exited, crashed, killed, disabled, …
    public let kind: String
    /// With `exited`.
    public let exitStatus: Int?
    /// With `crashed` and `killed`.
    public let signal: Int?
    /// One sentence for people.
    public let detail: String?

    init(_ reason: BrokerInterface.Reason) {
      kind = reason.kind.rawValue
      exitStatus = reason.status
      signal = reason.signal
      detail = reason.detail
    }

    /// One line for people: the kind, and what is known of it.
    public var description: String {
      let facts = [exitStatus.map { "status \($0)" }, signal.map { "signal \($0)" }, detail].compactMap { $0 }
      return facts.isEmpty ? kind : "\(kind) (\(facts.joined(separator: ", ")))"
    }

    /// Asks the broker, for a while also one that is just coming back. Blocks.
    static func find(_ activation: String) -> EndReason {
      let deadline = MonotonicTime.now + .seconds(10)
      repeat {
        do {
          let event = try Broker.call(BrokerInterface.GetActivation(activation: activation)).reply.event
          if event.state == .deactivated, let reason = event.reason { return EndReason(reason) }
        } catch let error as AppExtensionError where error.code == .activationEnded {
          if let reason = error.reason { return reason }
          break
        } catch {}
        CurrentProcess.pause(milliseconds: 50)
      } while MonotonicTime.now < deadline
      return EndReason(.init(kind: .launcherGone, detail: "the broker does not know more"))
    }
  }
}
