// Floors and loads of the rows about the broker itself.
#pragma once
#include <stdint.h>

/// Walks every bundle of a root, so many threads at once. With `hash` each file is read and goes into its bundle's
/// SHA-256, else lstat(2) is asked of it. Returns nanoseconds, or 0 on failure.
uint64_t cbench_walk(const char *_Nonnull root, int hash, int threads);

/// Starts a service with two listening sockets, in the form of socket activation, and waits for READY=1 on a socket at
/// the path `notifications`. Returns nanoseconds from the start, or 0. End the process.
uint64_t cbench_ready_once(const char *_Nonnull path, const char *_Nullable const *_Nonnull environment,
                           const int *_Nonnull sockets, const char *_Nonnull notifications,
                           int *_Nonnull process);

/// A process that connects to a socket, sends the first message once and the second without end, and reads what comes;
/// where it is closed, it connects again. Both end with NUL, which is sent. Returns the process; end it.
int cbench_flood_start(const char *_Nonnull path, const char *_Nonnull first, const char *_Nonnull repeated);
/// A process that listens at a path and answers each message with this one; for NULL it closes the connection.
/// Returns the process; end it.
int cbench_sink_start(const char *_Nonnull path, const char *_Nullable reply);
