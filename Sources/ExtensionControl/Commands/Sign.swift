internal import ExtensionBundles
internal import ExtensionInterfaces
internal import Varlink

extension Command {
  static let sign = Command(
    name: "sign", arguments: ["PATH"], summary: "sign a bundle with an SSH key",
    details:
      "Writes _Signature into the bundle, in one step; a signature that is there is replaced. It is for the bundle as it "
      + "is: sign it after its last change, and what is inside of an application before the application. ssh-keygen signs, "
      + "and asks for the passphrase if the key has one. One that fails a check of 'extctl lint' is not signed.",
    options: [
      .init(
        name: "key", letter: "k", value: "FILE",
        help: "the private key, or the .pub file of one that ssh-agent or the file beside it holds"),
      .init(
        name: "statement",
        help: "print what would be signed and write nothing, for those who sign it elsewhere"),
    ]
  ) { invocation in
    let signing = try BundleSigning(path: Path.absolute(invocation.arguments[0]))
    if invocation.has("statement") {
      try invocation.show(document: signing.statement.text)
      return .success
    }
    let key = try SigningKey(path: invocation.required("key", "--key ~/.ssh/id_ed25519"))
    let signer = try signing.sign(with: key)
    try invocation.show(json: [
      "path": .string(signing.path), "publisher": .string(signer.fingerprint),
      "publisherKeyType": .string(signer.label),
    ]) {
      Terminal.visible("signed \(signing.path) by \(signer)")
    }
    return .success
  }
}
