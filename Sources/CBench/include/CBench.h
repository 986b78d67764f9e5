// The floors of the benchmarks: the same work in C, with no protocol and no checks.
#pragma once
#include <stdint.h>

#include "CBenchDaemon.h"

/// Three processes: a host (the caller), a broker and an extension. Returns the host's socket, or -1.
int cbench_open_start(void);
/// One connection: a call to the broker, a socketpair, one end to each side. Returns nanoseconds, or 0 on failure.
uint64_t cbench_open_once(int socket);

/// A process that sends back what it gets. Returns its socket, or -1.
int cbench_echo_start(void);
/// A process that answers each message that ends with NUL with this one. Returns its socket, or -1.
int cbench_varlink_start(const char *_Nonnull reply);
/// One round trip of so many bytes (at most 4096) on a socket. Returns nanoseconds, or 0 on failure.
uint64_t cbench_round_trip(int socket, int bytes);

/// A process that takes blocks of 1 MiB, and sends a byte for each. Returns its socket, or -1.
int cbench_taker_start(void);
/// Sends so many blocks of 1 MiB, and waits until they are taken. Returns nanoseconds, or 0 on failure.
uint64_t cbench_blocks(int socket, int count);

/// Starts a program with one end of a socketpair as descriptor 3, sends it a message, and waits for its first reply.
/// `extra`: another descriptor of this process that becomes its descriptor 4; -1: none.
/// Then ends it. Returns nanoseconds from the start to the reply, or 0 on failure.
uint64_t cbench_spawn_once(const char *_Nonnull path, const char *_Nullable const *_Nonnull argv,
                           const char *_Nonnull message, int extra);

/// Runs a program to its end, with its output nowhere. Returns nanoseconds, or 0 on failure.
uint64_t cbench_run_once(const char *_Nonnull path);
/// Starts a program with one end of a socketpair as descriptor 3, in the form of socket activation, sends it a message
/// and waits for its first reply. Returns nanoseconds from the start to the reply, or 0. End the process.
uint64_t cbench_activate_once(const char *_Nonnull path, const char *_Nonnull message, int *_Nonnull process);
/// Ends a process of `cbench_activate_once`.
void cbench_kill(int process);

/// A process that receives frames of 1 MiB, or sends them, without end. Returns its socket, or -1.
int cbench_frames_start(int receives);
/// Sends, or receives, so many frames of 1 MiB. Returns nanoseconds, or 0 on failure.
uint64_t cbench_frames_out(int socket, int count);
uint64_t cbench_frames_in(int socket, int count);

/// A process with many listeners. Without `path`: at the other ends of sockets that the caller holds. With it: connected
/// there, each after the answer to its two messages. NULL: they could not be made.
struct cbench_listeners *_Nullable cbench_listeners_start(int count, const char *_Nullable path,
                                                          const char *_Nullable hello,
                                                          const char *_Nullable subscribe);
/// Waits until each has a message more. Returns when the last had it, on the monotonic clock, or 0 after 30 s; and when
/// the first one had it, and how long a message was.
uint64_t cbench_listeners_wait(struct cbench_listeners *_Nonnull all, uint64_t *_Nonnull first, int *_Nonnull bytes);
/// Sends each one a message. Returns nanoseconds until the last had it, or 0 on failure.
uint64_t cbench_listeners_tell(struct cbench_listeners *_Nonnull all, int bytes);

/// Starts `count` programs from so many threads, as cbench_spawn_once does. `extra`: a file that becomes descriptor 4.
/// Returns nanoseconds until all have answered, or 0 on failure. Then it ends them.
uint64_t cbench_spawn_many(const char *_Nonnull path, const char *_Nullable const *_Nonnull argv,
                           const char *_Nonnull message, const char *_Nullable extra, int count, int threads);

/// Connects, sends a message, and waits for the answer. Returns the socket, or -1.
int cbench_connect(const char *_Nonnull path, const char *_Nonnull hello);
/// Sends each socket its message, and waits for all answers: when each came, in nanoseconds since the first was sent, and
/// the descriptors that came, of which there is room for 8 a message. Returns how many, or -1 with what the problem is.
int cbench_ask_all(const int *_Nonnull sockets, const char *_Nullable const *_Nonnull messages, int count,
                   uint64_t *_Nonnull times, int *_Nonnull held, char *_Nonnull problem);
enum { CBENCH_PROBLEM = 1024 };

/// The process that was started last, or so many before it. `cbench_open_start` starts the one in the middle last.
int cbench_process(int before_last);
/// Keeps a process (0: the caller) on one CPU, or lets it run on all (-1).
void cbench_keep_on(int process, int cpu);

/// Ends the processes that these functions started.
void cbench_end(void);
