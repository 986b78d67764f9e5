/// The members of a JSON object, in the order in which they were written. Names are unique.
///
/// Two objects are equal if they have equal members, in whatever order (RFC 8259, section 4).
public struct JSONObject: Sendable {
  /// A name and its value.
  public struct Member: Hashable, Sendable {
    /// Unique in its object.
    public let name: String
    /// Null is a value, too.
    public var value: JSON

    /// A member by itself.
    public init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  // A list, not a dictionary: the objects of calls have a handful of members, and comparing
  // short strings is faster than hashing them.
  /// All members, in the order in which they were written.
  public private(set) var members: [Member] = []

  /// An object without members.
  public init() {}

  /// An object with these members; of two with one name the later holds.
  public init(_ members: some Sequence<(String, JSON)>) {
    for (name, value) in members { self[name] = value }
  }

  /// An object of members whose names the caller knows to be unique.
  package init(unique members: [Member]) {
    self.members = members
  }

  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }
  /// How many members there are.
  public var count: Int { members.count }

  /// The value with this name. Setting nil removes the member.
  public subscript(name: String) -> JSON? {
    get { members.first { $0.name == name }?.value }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }
}

extension JSONObject: Hashable {
  /// Whether the members are equal, in whatever order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members == right.members
      || left.count == right.count && left.members.allSatisfy { right[$0.name] == $0.value }
  }

  /// The same for every order of the members.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(members.reduce(0) { $0 ^ $1.hashValue })
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Members; of two with one name the later holds.
  public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements) }
}
