// What Swift cannot import by itself: macros, constants of changing kinds, calls that glibc has no wrapper for.
// Policy lives in LinuxSystem; this header only names things.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dirent.h>
#include <pthread.h>

// Constants that arrive in Swift with another type on each platform.
static const int clinux_SOCK_STREAM = SOCK_STREAM | SOCK_CLOEXEC;
static const int clinux_SOCK_SEQPACKET = SOCK_SEQPACKET | SOCK_CLOEXEC;
static const int clinux_SOCK_DGRAM = SOCK_DGRAM | SOCK_CLOEXEC;
static const int clinux_SOCK_NONBLOCK = SOCK_NONBLOCK;
static const int clinux_MSG_NOSIGNAL = MSG_NOSIGNAL;
static const int clinux_MSG_DONTWAIT = MSG_DONTWAIT;
static const int clinux_MSG_CMSG_CLOEXEC = MSG_CMSG_CLOEXEC;
static const int clinux_MSG_PEEK = MSG_PEEK;
static const int clinux_MSG_CTRUNC = MSG_CTRUNC;
static const int clinux_MSG_TRUNC = MSG_TRUNC;
static const int clinux_EPOLLIN = EPOLLIN;
static const int clinux_EPOLLOUT = EPOLLOUT;
static const int clinux_EPOLLRDHUP = EPOLLRDHUP;
static const int clinux_EPOLLHUP = EPOLLHUP;
static const int clinux_EPOLLERR = EPOLLERR;
static const int clinux_IN_FLAGS = IN_CLOEXEC | IN_NONBLOCK;
static const int clinux_EPOLL_CLOEXEC = EPOLL_CLOEXEC;
static const int clinux_EFD_CLOEXEC = EFD_CLOEXEC;
static const int clinux_EFD_NONBLOCK = EFD_NONBLOCK;
static const int clinux_SHUT_WR = SHUT_WR;
static const int clinux_SHUT_RD = SHUT_RD;
static const int clinux_SHUT_RDWR = SHUT_RDWR;
static const int clinux_CLD_EXITED = CLD_EXITED;
static const int clinux_CLD_DUMPED = CLD_DUMPED;

/// The most descriptors that one message may carry here (the kernel allows 253).
enum { clinux_max_descriptors = 16 };

/// send of one piece; sendmsg of two, or with descriptors as SCM_RIGHTS. Returns bytes sent, or -1 with errno.
ssize_t clinux_send(int socket, const void *_Nullable head, size_t head_count, const void *_Nullable bytes,
                    size_t count, const int *_Nullable descriptors, int descriptor_count, int flags);

/// Standard output is written line by line, also where it is no terminal.
void clinux_print_lines_at_once(void);

/// How much the kernel may hold that was sent and is not yet read; it doubles the number, and has a limit of its own.
int clinux_set_send_buffer(int socket, int bytes);

/// recvmsg that takes descriptors close-on-exec. *descriptor_count: room on entry, received on return.
/// *message_flags: MSG_CTRUNC, MSG_TRUNC. Returns bytes read, or -1 with errno.
ssize_t clinux_receive(int socket, void *_Nonnull bytes, size_t count, int *_Nullable descriptors,
                       int *_Nonnull descriptor_count, int flags, int *_Nonnull message_flags);

struct clinux_credentials {
  int pid;
  unsigned uid;
  unsigned gid;
};
/// SO_PEERCRED: those of the process that connected, or made the pair.
int clinux_peer_credentials(int socket, struct clinux_credentials *_Nonnull credentials);
/// SO_PEERPIDFD (Linux 6.5). Returns a descriptor, or -1 with errno.
int clinux_peer_pidfd(int socket);

/// bind or connect to a path; refuses one that does not fit with ENAMETOOLONG.
int clinux_bind(int socket, const char *_Nonnull path);
int clinux_connect(int socket, const char *_Nonnull path);
/// The path that a socket is bound to, or -1 with errno. An unnamed socket gives an empty one.
int clinux_socket_path(int socket, char *_Nonnull buffer, size_t size);

/// accept4 with close-on-exec and non-blocking.
int clinux_accept(int listener);

int clinux_pidfd_open(int pid);
int clinux_pidfd_send_signal(int pidfd, int signal);
/// waitid(P_PIDFD) without waiting. *code: CLD_EXITED, CLD_KILLED, CLD_DUMPED; *status as in siginfo_t.
/// Returns 1 when the process has ended and was reaped, 0 when it lives, -1 with errno.
int clinux_reap(int pidfd, int *_Nonnull code, int *_Nonnull status);

/// openat(2) with close-on-exec; Swift cannot call the variadic function.
int clinux_open(int directory, const char *_Nonnull path, int flags, unsigned mode);

/// Tell ThreadSanitizer, where it watches, that a lock was taken, or is about to be given back. It sees that of pthread(7)
/// by itself, but not that of Swift's Mutex, whose slow path is in a library that it does not watch.
void clinux_lock_taken(const void *_Nonnull lock);
void clinux_lock_returns(const void *_Nonnull lock);

/// openat2(2). Returns a descriptor, or -1 with errno.
int clinux_openat2(int directory, const char *_Nonnull path, uint64_t flags, uint64_t resolve);
#define CLINUX_RESOLVE_NO_XDEV 0x01
#define CLINUX_RESOLVE_NO_SYMLINKS 0x04
#define CLINUX_RESOLVE_BENEATH 0x08
#define CLINUX_RESOLVE_CACHED 0x20

/// Device and inode of an open file, as the kernel knows them: statx(2) without asking the file system. 0, or -1 with errno.
int clinux_file_identity(int descriptor, uint64_t *_Nonnull device, uint64_t *_Nonnull inode);

/// renameat2(2) on whole paths. flags: 1 = RENAME_NOREPLACE, 2 = RENAME_EXCHANGE.
int clinux_rename(const char *_Nonnull from, const char *_Nonnull to, unsigned flags);

/// pipe2 with close-on-exec.
int clinux_pipe(int *_Nonnull ends);
/// Gives a pipe room for so many bytes.
int clinux_pipe_capacity(int pipe, int bytes);

/// memfd_create with close-on-exec and sealing allowed.
int clinux_memfd(const char *_Nonnull name);
/// Forbids every further change of a memfd.
/// The version of Landlock that the kernel has; -1 with errno where it has none.
int clinux_landlock_level(void);

int clinux_seal(int memfd);

/// fcntl with one int argument; Swift cannot call the variadic function.
int clinux_fcntl(int descriptor, int command, int argument);

struct clinux_spawn {
  const char *_Nonnull path;
  const char *_Nullable const *_Nonnull argv;
  const char *_Nullable const *_Nonnull envp;
  /// descriptors[i] becomes descriptor i of the child. Nothing else is inherited.
  const int *_Nonnull descriptors;
  int descriptor_count;
  /// A cgroup v2 directory to start in, or -1.
  int cgroup;
  /// Keeps session, umask and the descriptors that are not close-on-exec.
  bool stands_in;
};
/// Starts a program with clone3, or clone where a filter takes that away and no cgroup is asked for: own session, empty
/// signal mask, default dispositions (also of SIGPIPE), umask 022, the descriptors that are named and no others.
/// Returns the process id and sets *pidfd (close-on-exec); or -errno, and sets *stage to what failed.
/// Waits for the exec. The caller must not be the only reader of something that the exec waits for.
enum clinux_spawn_stage {
  clinux_spawn_pipe = 0,
  clinux_spawn_clone = 1,
  clinux_spawn_session = 2,
  clinux_spawn_descriptors = 3,
  clinux_spawn_exec = 4,
};
int clinux_spawn(const struct clinux_spawn *_Nonnull request, int *_Nonnull pidfd, int *_Nonnull stage);

/// Makes this process the parent of descendants whose own parent has ended.
void clinux_adopt_descendants(void);

/// Blocks all signals for this thread and those it starts. Call before the first thread.
void clinux_block_signals(void);
/// Ignores SIGPIPE. Programs only, never a library.
void clinux_ignore_sigpipe(void);
/// signalfd for the given signals, close-on-exec, non-blocking.
int clinux_signalfd(const int *_Nonnull signals, int count);

/// epoll_ctl / epoll_wait with the data as one 64-bit value.
int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data);

/// epoll_wait, spread over two arrays of 'room' elements.
int clinux_epoll_wait(int epoll, uint64_t *_Nonnull data, uint32_t *_Nonnull events, int room, int timeout);

/// errno, and its sentence.
int clinux_errno(void);
void clinux_strerror(int error, char *_Nonnull buffer, size_t size);

/// Applies M_ARENA_MAX: threads share heaps, so memory comes back.
void clinux_limit_arenas(void);

/// malloc_trim(3): gives the kernel back what was freed and lies between what is in use.
void clinux_return_free_memory(void);

/// The bytes that a symbolic link holds. Returns their count, or -1 with errno.
ssize_t clinux_readlinkat(int directory, const char *_Nonnull path, char *_Nonnull buffer, size_t size);

/// environ(7): ends with NULL.
char *_Nullable *_Nonnull clinux_environment(void);
/// getdents64(2): whole directory records, 0 at the end, or -1 with errno.
ssize_t clinux_getdents(int directory, void *_Nonnull buffer, size_t size);

/// Takes a read lease and gives it back. 0: nobody has the file open for writing or mapped shared and writable.
/// 1: somebody has. 2: the question cannot be asked (not our file, or no leases there).
int clinux_probe_lease(int file);

/// What a watch of inotify(7) says beside the events.
static const uint32_t clinux_IN_ONLYDIR = IN_ONLYDIR;
static const uint32_t clinux_IN_EXCL_UNLINK = IN_EXCL_UNLINK;
static const uint32_t clinux_IN_DONT_FOLLOW = IN_DONT_FOLLOW;
static const uint32_t clinux_IN_ISDIR = IN_ISDIR;

extern char *_Nullable *_Null_unspecified environ;

/// A step of getopt_long(3). Returns the `val` of the next option and its *value; -1 at the end, '?' for an option that
/// does not exist or takes no value, ':' for one whose value is missing, both with getopt's optopt in *bad.
/// *next: 0 to begin. argv, whose element 0 is left out, is put in order: at the end the arguments start at *next.
int clinux_getopt(int argc, char *_Nullable const *_Nonnull argv, const char *_Nonnull letters,
                  const struct option *_Nonnull names, int *_Nonnull next, const char *_Nullable *_Nonnull value,
                  int *_Nonnull bad);
