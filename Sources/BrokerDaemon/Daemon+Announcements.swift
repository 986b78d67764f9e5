internal import BrokerCore
internal import LinuxSystem

// Telling the person that something waits for them.

extension Daemon {
  /// Begins with what was announced before. Where that cannot be known nothing is announced, rather than all again.
  func startAnnouncing() {
    guard broker.announces, CurrentProcess.environment("EXTENSIOND_NOTIFY") != "no" else { return }
    let (store, limit) = (store, limits.rememberedAnnouncements)
    storeWorker.perform {
      Result { () throws(DecisionStore.Failure) in
        (contents: try store.announced(limit: limit), shown: try store.shownNotifications(limit: limit))
      }
    } completion: { [unowned self] result in
      switch result {
      case .success(let (contents, shown)):
        self.notifier.restore(shown)
        self.handle(.announcementsLoaded(contents, open: shown.map(\.content)))
      case .failure(let error): self.warn("nobody is notified of extensions that wait for approval: \(error)")
      }
    }
  }

  /// Remembered first, so that a crash in between does not show them twice.
  func announce(_ announcements: [Announcement], further: Int) {
    let (store, limit, contents) = (store, limits.rememberedAnnouncements, announcements.map(\.content))
    storeWorker.perform {
      Result { try store.announce(contents, limit: limit) }
    } completion: { [unowned self] result in
      if case .failure(let error) = result {
        return self.warn("what was announced cannot be stored, so it is not shown: \(error)")
      }
      self.notifier.show(announcements, further: further) { [unowned self] in self.fail($0) }
    }
  }

  /// So that a later broker finds them.
  func remember(_ place: Notifier.Place, of contents: [AnnouncedContent]) {
    let (store, limit) = (store, limits.rememberedAnnouncements)
    storeWorker.perform {
      Result { try store.add(place, of: contents, limit: limit) }
    } completion: { [unowned self] result in
      if case .failure(let error) = result {
        self.warn("what is on the screen cannot be stored, so it may stay there: \(error)")
      }
    }
  }

  func withdraw(_ contents: [AnnouncedContent]) {
    notifier.withdraw(contents)
    let store = store
    storeWorker.perform {
      try? store.removeShown(contents)
    } completion: { _ in
    }
  }

  private func fail(_ contents: [AnnouncedContent]) {
    let store = store
    storeWorker.perform {
      Result { try store.withdrawAnnouncements(contents) }
    } completion: { [unowned self] _ in
      self.handle(.announcementFailed(contents))
    }
  }
}
