// A race that is there: run-tsan looks whether ThreadSanitizer tells of it.
import Glibc

nonisolated(unsafe) var counter = 0

func count() -> pthread_t {
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { _ in
      for _ in 0..<1_000 { counter += 1 }
      return nil
    }, nil)
  return thread
}

let threads = [count(), count()]
for thread in threads { pthread_join(thread, nil) }
