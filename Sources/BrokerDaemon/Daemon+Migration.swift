internal import BrokerCore
internal import LinuxSystem

// Decisions from elsewhere, and what extensions leave behind.

extension Daemon {
  func importDecisions(_ decisions: [Decision], _ request: RequestID) {
    let store = store
    storeWorker.perform {
      Result { try store.add(decisions) }
    } completion: { [unowned self] result in
      switch result {
      case .success: self.handle(.decisionsImported(request, decisions))
      case .failure(let error): self.handle(.decisionFailed(request, message: "\(error)"))
      }
    }
  }

  /// The first part of forgetting: if it fails, it can be asked for again. Nobody who decides something meanwhile waits for it.
  func removeContainer(of identifier: String, _ request: RequestID?, by peer: String) {
    let container = places.containers + "/" + identifier
    removing[identifier, default: 0] += 1
    removalWorker.perform { () -> Result<Void, Remainder> in
      do throws(Remainder) { return .success(try Self.remove(container)) } catch { return .failure(error) }
    } completion: { [unowned self] result in
      self.removing[identifier, default: 1] -= 1
      if self.removing[identifier] == 0 { self.removing[identifier] = nil }
      switch result {
      case .success: self.handle(.containerRemoved(request, identifier, by: peer))
      case .failure(let error): self.handle(.decisionFailed(request, message: "\(error)"))
      }
    }
  }

  func forgetExtension(_ identifier: String, _ decisions: [Decision], _ request: RequestID?) {
    let store = store
    storeWorker.perform {
      Result { try store.add(decisions) }
    } completion: { [unowned self] result in
      switch result {
      case .success: self.handle(.forgotten(request, identifier, decisions))
      case .failure(let error): self.handle(.decisionFailed(request, message: "\(error)"))
      }
    }
  }

  /// Not longer than this: whoever asked waits for it.
  private static let patience: Duration = .seconds(5)

  private struct Remainder: Error, CustomStringConvertible { let description: String }

  private static func remove(_ container: String) throws(Remainder) {
    do throws(Errno) { try File.removeTree(container, within: patience) } catch .noEntry {
      return
    } catch .timedOut {
      throw Remainder(description: "\(container) holds so much that it is not yet empty; ask again to go on")
    } catch {
      throw Remainder(description: "cannot remove \(container): \(error); remove it yourself and ask again")
    }
  }

  /// Once for each start, when everything was read.
  func notePresent(_ present: Set<String>) {
    let (store, containers, now) = (store, places.containers, WallClock.milliseconds)
    storeWorker.perform { () -> [String] in
      var left: Set<String> = []
      if let directory = try? File.open(containers, [.directory]),
        let entries = try? DirectoryReader.entries(of: directory.rawValue)
      {
        left = Set(entries.filter(\.isText).map(\.name))
      }
      // Neither keys nor pins leave anything behind.
      let decided = (try? store.current()) ?? []
      left.formUnion(
        decided.filter { $0.verdict != .reset && !$0.identifier.contains(":") }.map(\.identifier))
      return (try? store.absent(left, present: present, now: now)) ?? []
    } completion: { [unowned self] expired in
      if !expired.isEmpty { self.handle(.expired(expired)) }
    }
  }
}
