/// What a method answers with that answers many times: a sequence that is made when somebody reads it.
///
/// A peer that reads slowly slows the sequence down: its next element is asked for when the one before is on its way.
/// A reader that stops, and one whose task is cancelled, end it: the task that makes the elements is cancelled then.
public struct AppExtensionStream<Element: Sendable>: AsyncSequence, Sendable {
  private let begin: @Sendable () -> () async throws -> Element?

  /// The elements of another sequence.
  public init<Elements: AsyncSequence & Sendable>(_ elements: Elements) where Elements.Element == Element {
    begin = {
      var iterator = elements.makeAsyncIterator()
      return { try await iterator.next(isolation: #isolation) }
    }
  }

  /// Elements that are made one by one, until nil.
  public init(unfolding next: @escaping @Sendable () async throws -> Element?) { begin = { next } }

  init(beginning begin: @escaping @Sendable () -> () async throws -> Element?) { self.begin = begin }

  /// Begins the sequence anew. A stream that a call returned has one reader.
  public func makeAsyncIterator() -> Iterator { Iterator(next: begin()) }

  /// Reads the elements, one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let next: () async throws -> Element?

    /// The next element; nil at the end.
    /// - Throws: what the maker of the elements throws; of a peer: its error, `AppExtensionError`, `CancellationError`.
    public mutating func next() async throws -> Element? { try await next() }
  }
}
