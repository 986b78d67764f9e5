internal import ExtensionInterfaces
internal import LinuxSystem

extension AppExtensionProcess {
  /// Why an extension ended.
  public struct EndReason: Hashable, Sendable, CustomStringConvertible {
    /// One of the closed list in io.extensiond.Broker: exited, crashed, killed, disabled, …
    public let kind: String
    public let exitStatus: Int?
    public let signal: Int?
    public let detail: String?

    init(_ reason: BrokerInterface.Reason) {
      kind = reason.kind.rawValue
      exitStatus = reason.status
      signal = reason.signal
      detail = reason.detail
    }

    public var description: String {
      let facts = [exitStatus.map { "status \($0)" }, signal.map { "signal \($0)" }, detail].compactMap { $0 }
      return facts.isEmpty ? kind : "\(kind) (\(facts.joined(separator: ", ")))"
    }

    /// Asks the broker, for a while also one that is just coming back.
    static func find(_ activation: String) -> EndReason {
      let deadline = MonotonicTime.now + .seconds(10)
      repeat {
        if let broker = try? HostConnection() {
          do {
            let (reply, _) = try broker.call(BrokerInterface.GetActivation(activation: activation))
            if reply.event.state == .deactivated, let reason = reply.event.reason { return EndReason(reason) }
          } catch let error as AppExtensionError where error.code == .activationEnded {
            break
          } catch {}
        }
        CurrentProcess.pause(milliseconds: 50)
      } while MonotonicTime.now < deadline
      return EndReason(BrokerInterface.Reason(kind: .launcherGone))
    }
  }
}
