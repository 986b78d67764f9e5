/// An interface that `varlink-generate` made from its description.
public protocol VarlinkInterface {
  /// Like `org.varlink.service`.
  static var name: String { get }
  /// The interface's description in full, as `GetInterfaceDescription` gives it.
  static var description: String { get }
}

/// A method of an interface. The fields are the input parameters.
public protocol VarlinkMethod: VarlinkStructure {
  /// The output parameters.
  associatedtype Reply: VarlinkStructure
  /// Fully qualified, like `org.varlink.service.GetInfo`.
  static var name: String { get }
}

/// An error of an interface. The fields are its parameters.
public protocol VarlinkErrorReply: VarlinkStructure, Error {
  /// Fully qualified, like `org.varlink.service.InvalidParameter`.
  static var name: String { get }
}

extension VarlinkMethod {
  /// The call of this method with these parameters. A call is either `more` or `oneway`, if any.
  public func call(more: Bool = false, oneway: Bool = false) -> VarlinkCall {
    precondition(!(more && oneway), "A call that is oneway has no replies, so it cannot ask for more.")
    return VarlinkCall(Self.name, encoding: self, mode: more ? .more : oneway ? .oneway : .single)
  }
}

extension VarlinkStructure {
  /// The last or only reply with these parameters.
  public var reply: VarlinkReply { reply(continues: false) }

  /// A reply with these parameters; with `continues`, others follow.
  public func reply(continues: Bool) -> VarlinkReply {
    VarlinkReply(encoding: self, continues: continues)
  }
}

extension VarlinkErrorReply {
  /// The reply that says this error.
  public var reply: VarlinkReply {
    VarlinkReply(encoding: self, error: Self.name)
  }
}
