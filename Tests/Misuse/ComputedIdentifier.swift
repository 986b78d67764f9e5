import ExtensionFoundation

func bind(host: String) -> AppExtensionPoint.Identifier {
  // error: cannot convert value of type 'String' to expected argument type 'StaticString'
  AppExtensionPoint.Identifier(host: host, name: "Greeting")
}
