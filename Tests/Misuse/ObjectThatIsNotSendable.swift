import ExtensionFoundation

final class Counter {
  var count = 0
}

func export(on connection: AppExtensionConnection) {
  // error: does not conform to the 'Sendable' protocol
  connection.exportedObject = Counter()
}
