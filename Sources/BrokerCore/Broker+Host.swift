internal import ExtensionInterfaces
internal import Varlink

// What hosts ask.

extension Broker {
  mutating func handle(_ call: BrokerInterface.Call, _ request: RequestID, more: Bool) {
    guard let session = sessions[request.peer] else { return }
    if case .hello(let hello) = call { return greet(hello, request, session) }
    guard let host = session.host else { return fail(request, BrokerInterface.HelloRequired()) }
    switch call {
    case .hello: break
    case .discover(let discover):
      guard permits(session, points: discover.extensionPoints, request) else { return }
      reply(
        request,
        BrokerInterface.Discover.Reply(
          snapshot: snapshot(of: Set(discover.extensionPoints), in: session.languages ?? languages)))
    case .subscribe(let subscribe):
      guard more else { return fail(request, ServiceInterface.ExpectedMore()) }
      guard permits(session, points: subscribe.extensionPoints, request) else { return }
      self.subscribe(Set(subscribe.extensionPoints), in: session.languages ?? languages, request)
    case .activate(let activate): self.activate(activate, request, host, session)
    case .connect(let connect): self.connect(connect, request, host)
    case .report(let report): self.report(report, request, host, session)
    case .getActivation(let get): describe(get.activation, request, host)
    }
  }

  private mutating func greet(_ hello: BrokerInterface.Hello, _ request: RequestID, _ session: Session) {
    guard session.host == nil else {
      return fail(
        request,
        BrokerInterface.InvalidHost(
          message: "this connection belongs to \(session.host?.identifier ?? "") already; open another one"))
    }
    guard BundleIdentifier.isValid(hello.hostIdentifier) else {
      return fail(
        request,
        BrokerInterface.InvalidHost(
          message:
            "'\(hello.hostIdentifier.prefix(64))' is not a reverse-DNS identifier; use \(BundleIdentifier.form)"
        ))
    }
    let verified = isVerified(hello.hostIdentifier, session.peer)
    let languages = languages(hello.languages)
    sessions[request.peer]?.host = HostKey(identifier: hello.hostIdentifier, process: session.peer.process)
    sessions[request.peer]?.verified = verified
    sessions[request.peer]?.languages = languages
    reply(request, BrokerInterface.Hello.Reply(verified: verified, generation: generation))
    note(
      .debug, "host.connected", hello.hostIdentifier,
      "\(hello.hostIdentifier) connected (\(verified ? "verified" : "claimed"), process \(session.peer.process.processID))"
    )
  }

  /// What is kept of the languages that a peer names.
  func languages(_ named: [String]?) -> [String]? {
    named.map { $0.filter { $0.utf8.count <= limits.languageBytes }.prefix(limits.languages).map(\.self) }
  }

  private mutating func permits(_ session: Session, points: [String], _ request: RequestID) -> Bool {
    if points.count > limits.pointsPerSubscription {
      fail(
        request,
        BrokerInterface.LimitReached(limit: "pointsPerSubscription", value: limits.pointsPerSubscription))
      return false
    }
    for point in points where !permits(session, point: point) {
      refuse(request, session, point: point)
      return false
    }
    return true
  }

  /// A sandboxed host may use only what is its own.
  func permits(_ session: Session, point: String) -> Bool {
    guard session.peer.sandboxed else { return true }
    guard session.verified, let host = session.host else { return false }
    return point.hasPrefix(host.identifier + ".")
  }

  mutating func refuse(_ request: RequestID, _ session: Session, point subject: String) {
    let host = session.host?.identifier ?? ""
    fail(
      request,
      BrokerInterface.NotPermitted(
        message:
          "the caller is sandboxed and \(session.verified ? "is \(host)" : "only claims to be \(host)"), so it may not use \(subject)"
      ))
  }

  private mutating func describe(_ id: String, _ request: RequestID, _ host: HostKey) {
    if let activation = activations[id], activation.host == host, !activation.isPending {
      reply(request, BrokerInterface.GetActivation.Reply(event: event(of: activation)))
    } else if let ended = endedActivations[id], ended.host == host {
      reply(request, BrokerInterface.GetActivation.Reply(event: event(of: ended)))
      markTold(id)
    } else {
      fail(request, BrokerInterface.ActivationNotFound(activation: id))
    }
  }
}
