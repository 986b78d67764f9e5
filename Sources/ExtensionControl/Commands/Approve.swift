internal import ExtensionInterfaces
internal import LinuxSystem
internal import Varlink

extension Command {
  static let approve = Command(
    name: "approve", aliases: ["enable"], arguments: ["ID|PATH"],
    summary: "let hosts use an extension, or approve a host with all that is inside it",
    details:
      "What is approved is shown first, with what it asks for in plain words; what it did not ask for when it was approved "
      + "last is marked as new. The approval is for exactly this content and these entitlements. If they are others by "
      + "then, nothing is approved, the difference is shown, and the exit status is 5.",
    options: [
      .init(name: "yes", letter: "y", help: "do not ask; needed where standard input is no terminal"),
      .init(
        name: "publisher",
        help:
          "approve updates signed with the same key as well, as long as they ask for nothing more and are not older"
      ),
    ]
  ) { invocation in
    let item = try subject(invocation)
    guard let digest = item.digest else {
      throw ControlError(
        .failed,
        "\(item.path) cannot be approved: \(item.explanation); 'extctl lint \(item.path)' lists every fault")
    }
    if invocation.has("publisher"), item.publisher == nil {
      throw ControlError(
        .failed, "\(item.path) is not signed, so there is no publisher to approve; leave --publisher out")
    }
    if !invocation.isJSON { try Terminal.write(item.text(approved: approvedBefore(item, invocation))) }
    if !invocation.isJSON, invocation.has("publisher"), let promise = item.publisherPromise {
      try Terminal.write(promise)
    }
    if !invocation.has("yes") { try confirm("Approve exactly this?") }
    do {
      _ = try invocation.admin(
        AdminInterface.Approve(
          extension: item.path, digest: digest, entitlements: item.entitlements,
          publisher: invocation.has("publisher") ? item.publisher : nil))
    } catch let error as ControlError where error.status == .changed {
      throw ControlError(.changed, difference(item, invocation), reply: error.reply)
    }
    let reply = try invocation.bundles(item.path)
    try invocation.show(reply) {
      reply.extensions.map { Terminal.visible("approved \($0.identifier ?? $0.path): \($0.state.rawValue)") }
        .joined(separator: "\n")
    }
    return .success
  }

  /// The one bundle that is meant.
  private static func subject(_ invocation: Invocation) throws -> AdminInterface.Extension {
    let name = try invocation.subject()
    let found = try invocation.bundles(name).extensions
    let candidates = found.count > 1 ? found.filter { $0.state != .shadowed } : found
    guard let item = candidates.first else { throw ControlError(.failed, ControlError.notFound(name)) }
    guard candidates.count == 1 else {
      throw ControlError(.failed, ControlError.ambiguous(name, found.map(\.path)))
    }
    return item
  }

  /// What it asked for when it was approved last; nil where it never was, or that was taken back.
  private static func approvedBefore(_ item: AdminInterface.Extension, _ invocation: Invocation) -> [String]?
  {
    guard !item.entitlements.isEmpty, let identifier = item.identifier,
      let history = try? invocation.admin(AdminInterface.History(extension: identifier))
    else { return nil }
    let last = history.decisions.first { $0.decision == .enabled || $0.decision == .reset }
    return last?.decision == .enabled ? last?.entitlements : nil
  }

  private static func confirm(_ question: String) throws {
    guard CurrentProcess.isTerminal(0) else {
      throw ControlError(
        .usage, "nobody can be asked, since standard input is no terminal; give --yes to approve")
    }
    Terminal.say("\(question) [y/N]")
    guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
      throw ControlError(.failed, "nothing was approved")
    }
  }

  private static func difference(_ shown: AdminInterface.Extension, _ invocation: Invocation) -> String {
    let found = (try? invocation.bundles(shown.path))?.extensions.first
    let lines = found.map { ApprovalDifference.lines(from: shown, to: $0) } ?? ["it is gone"]
    return "\(shown.path) changed since it was shown, so nothing was approved:\n"
      + lines.map { "  \($0)\n" }.joined() + "look at it again: extctl approve \(invocation.arguments[0])"
  }
}

extension AdminInterface.Extension {
  /// What an approval means that counts for its publisher too; nil where nobody signed it.
  var publisherPromise: String? {
    publisherText.map {
      "Updates signed with the same key, \($0), are approved as well, as long as they ask for nothing more and are not older."
    }
  }
}

/// What is different between what a person saw and what is there.
enum ApprovalDifference {
  static func lines(from old: AdminInterface.Extension, to new: AdminInterface.Extension) -> [String] {
    let fields = [
      ("identifier", old.identifier, new.identifier), ("name", old.localizedName, new.localizedName),
      ("version", old.version, new.version), ("build", old.buildVersion, new.buildVersion),
      ("point", old.extensionPoint, new.extensionPoint), ("digest", old.digest, new.digest),
      ("signed by", old.publisherText, new.publisherText),
    ]
    return fields.filter { $0.1 != $0.2 }.map { "\($0.0): \($0.1 ?? "none") -> \($0.2 ?? "none")" }
      + new.entitlements.filter { !old.entitlements.contains($0) }.map {
        "entitlement added: \($0)" + (Entitlement($0).map { ". \($0.meaning)" } ?? "")
      }
      + old.entitlements.filter { !new.entitlements.contains($0) }.map { "entitlement gone: \($0)" }
      + (new.programs ?? []).filter { old.programs?.contains($0) != true }.map { "program added: \($0)" }
  }
}
