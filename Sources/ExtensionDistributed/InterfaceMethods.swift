internal import Distributed

/// The methods that a `@Resolvable` protocol has in this program, by the mangled names that calls carry.
struct InterfaceMethods: Sendable {
  /// The mangled name of the type through which peers call, without its generic arguments.
  private let prefix: String

  /// No method is so long, in bytes.
  private static let longest = 4096
  /// How a distributed method without generic parameters ends: async throws, a function, its distributed thunk. With
  /// them the runtime would read more substitutions than one.
  private static let suffix = "YaKFTE"

  init(of interface: any _DistributedActorStub.Type) {
    let name = _mangledTypeName(interface) ?? ""
    // A generic class, of which the mangled name is: <the class>C y <the system> G.
    let end = name.indices.last { name[$0...].hasPrefix("Cy") }
    guard let end, name.hasSuffix("G") else {
      preconditionFailure("\(interface) is not what @Resolvable makes of a protocol")
    }
    prefix = "$s\(name[...end])"
  }

  /// Whether there is such a method. It is the peer's text: the runtime may not demangle it before, since that would
  /// look up the types in it.
  func contain(_ target: String) -> Bool {
    var target = target
    // Bytes below the space would be taken as pointers by the demangler.
    guard target.utf8.count <= Self.longest, target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      target.hasPrefix(prefix), target.hasSuffix(Self.suffix)
    else { return false }
    return target.withUTF8 { unsafe genericEnvironment($0.baseAddress, UInt($0.count)) != nil }
  }
}

/// Of the distributed method with exactly this name, where this program has one that is generic, as each method of an
/// interface is over who answers it. The first question of `executeDistributedTarget`, which asks others when the answer
/// is no.
@_silgen_name("swift_distributed_getGenericEnvironment")
private func genericEnvironment(_ name: UnsafePointer<UInt8>?, _ length: UInt) -> UnsafeRawPointer?
