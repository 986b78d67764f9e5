#define _GNU_SOURCE
#include "CLinux.h"

#include <linux/close_range.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/syscall.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

ssize_t clinux_send(int socket, const void *head, size_t head_count, const void *bytes, size_t count,
                    const int *descriptors, int descriptor_count, int flags) {
  // Most messages. The kernel has nothing to gather then.
  if (head_count == 0 && descriptor_count == 0) return send(socket, bytes, count, flags | MSG_NOSIGNAL);
  struct iovec vectors[] = {{(void *)head, head_count}, {(void *)bytes, count}};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * clinux_max_descriptors)];
  } control;
  struct msghdr message = {.msg_iov = vectors, .msg_iovlen = 2};
  if (head_count == 0) message.msg_iov = &vectors[1], message.msg_iovlen = 1;
  if (descriptor_count > clinux_max_descriptors) {
    errno = EINVAL;
    return -1;
  }
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.space;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
  }
  return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

void clinux_print_lines_at_once(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

int clinux_set_send_buffer(int socket, int bytes) {
  return setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

ssize_t clinux_receive(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count, int flags,
                       int *message_flags) {
  int room = *descriptor_count;
  *descriptor_count = 0;
  *message_flags = 0;
  struct iovec vector = {bytes, count};
  // A little more room than the caller has, so that surplus descriptors are seen and closed, not lost.
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int) * clinux_max_descriptors)];
  } control;
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (descriptors && room > 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
  }
  ssize_t got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  *message_flags = message.msg_flags & (MSG_CTRUNC | MSG_TRUNC);
  if (!message.msg_control) return got;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t received = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < received; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
      if (*descriptor_count < room) {
        descriptors[(*descriptor_count)++] = descriptor;
      } else {
        close(descriptor);
        *message_flags |= MSG_CTRUNC;
      }
    }
  }
  return got;
}

int clinux_peer_credentials(int socket, struct clinux_credentials *credentials) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0) return -1;
  credentials->pid = peer.pid;
  credentials->uid = peer.uid;
  credentials->gid = peer.gid;
  return 0;
}

int clinux_peer_pidfd(int socket) {
  int descriptor = -1;
  socklen_t size = sizeof descriptor;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size) < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

static int address(const char *path, struct sockaddr_un *result) {
  memset(result, 0, sizeof *result);
  result->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof result->sun_path) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy(result->sun_path, path);
  return 0;
}

int clinux_bind(int socket, const char *path) {
  struct sockaddr_un name;
  return address(path, &name) ? -1 : bind(socket, (struct sockaddr *)&name, sizeof name);
}

int clinux_connect(int socket, const char *path) {
  struct sockaddr_un name;
  return address(path, &name) ? -1 : connect(socket, (struct sockaddr *)&name, sizeof name);
}

int clinux_socket_path(int socket, char *buffer, size_t size) {
  struct sockaddr_un name;
  socklen_t length = sizeof name;
  memset(&name, 0, sizeof name);
  if (getsockname(socket, (struct sockaddr *)&name, &length) < 0) return -1;
  if (name.sun_family != AF_UNIX || size <= sizeof name.sun_path) {
    errno = EINVAL;
    return -1;
  }
  memcpy(buffer, name.sun_path, sizeof name.sun_path);
  buffer[sizeof name.sun_path] = 0;
  return 0;
}

int clinux_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int clinux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int clinux_pidfd_send_signal(int pidfd, int signal) {
  return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int clinux_reap(int pidfd, int *code, int *status) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  if (waitid(P_PIDFD, (id_t)pidfd, &information, WEXITED | WNOHANG) < 0) return -1;
  if (information.si_pid == 0) return 0;
  *code = information.si_code;
  *status = information.si_status;
  return 1;
}

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if __has_feature(thread_sanitizer)
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void clinux_lock_taken(const void *lock) { __tsan_acquire((void *)lock); }
void clinux_lock_returns(const void *lock) { __tsan_release((void *)lock); }
#else
void clinux_lock_taken(const void *lock) { (void)lock; }
void clinux_lock_returns(const void *lock) { (void)lock; }
#endif

int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int clinux_file_identity(int descriptor, uint64_t *device, uint64_t *inode) {
  struct statx status;
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &status) != 0) return -1;
  *device = (uint64_t)status.stx_dev_major << 32 | status.stx_dev_minor;
  *inode = status.stx_ino;
  return 0;
}

int clinux_rename(const char *from, const char *to, unsigned flags) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

int clinux_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

int clinux_landlock_level(void) {
  // landlock_create_ruleset(2) with LANDLOCK_CREATE_RULESET_VERSION; the header may be older than the kernel.
  return (int)syscall(444, NULL, 0, 1U);
}

int clinux_seal(int memfd) {
  return fcntl(memfd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
}

int clinux_fcntl(int descriptor, int command, int argument) { return fcntl(descriptor, command, argument); }

// A child runs in the memory of this process, whose calling thread stands still until the child's exec, and whose others go
// on: nothing is copied, neither the tables of the memory nor each page that is written to after. So a child calls the kernel
// alone, writes to nothing but its stack, and returns to nobody.

// clone3(2) with the stack of the caller. Not by syscall(3), whose return address the child would write over.
static inline __attribute__((always_inline)) long clone_here(struct clone_args *arguments) {
#if defined(__x86_64__)
  arguments->flags |= CLONE_VM | CLONE_VFORK;
  long result = SYS_clone3;
  __asm__ volatile("syscall" : "+a"(result) : "D"(arguments), "S"(sizeof *arguments) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  arguments->flags |= CLONE_VM | CLONE_VFORK;
  register long number __asm__("x8") = SYS_clone3;
  register long result __asm__("x0") = (long)arguments;
  register long size __asm__("x1") = sizeof *arguments;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(number), "r"(size) : "memory");
  return result;
#else
  long result = syscall(SYS_clone3, arguments, sizeof *arguments);
  return result < 0 ? -errno : result;
#endif
}

// First above the range of the targets, then down, so that no source is overwritten before it is copied.
static int place(const int *descriptors, int count) {
  int high[64];
  if (count > 64) {
    errno = EINVAL;
    return -1;
  }
  for (int index = 0; index < count; index++) {
    high[index] = (int)syscall(SYS_fcntl, descriptors[index], F_DUPFD_CLOEXEC, 128);
    if (high[index] < 0) return -1;
  }
  for (int index = 0; index < count; index++)
    if (syscall(SYS_dup3, high[index], index, 0) < 0) return -1;
  return 0;
}

// ThreadSanitizer counts who is called and who returns, in memory that is the parent's too.
static __attribute__((noinline, no_sanitize("thread"))) _Noreturn void child(
    const struct clinux_spawn *request, int report, pid_t parent) {
  int failure[2] = {clinux_spawn_session, 0};
  // SIG_DFL, no flags, no mask: struct sigaction as the kernel has it. Ignored signals survive both CLONE_CLEAR_SIGHAND and
  // exec.
  static const unsigned long standard[4];
  for (int signal = 1; signal < NSIG; signal++) syscall(SYS_rt_sigaction, signal, standard, NULL, NSIG / 8);
  if (!request->stands_in) {
    syscall(SYS_umask, 022);
    if (syscall(SYS_setsid) < 0) goto failed;
  } else {
    // Whoever it stands in for can be killed too, before it was asked as well.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (syscall(SYS_getppid) != parent) syscall(SYS_kill, syscall(SYS_getpid), SIGTERM);
  }
  failure[0] = clinux_spawn_descriptors;
  int moved = (int)syscall(SYS_fcntl, report, F_DUPFD_CLOEXEC, 128);
  if (moved < 0) goto failed;
  report = moved;
  if (place(request->descriptors, request->descriptor_count) < 0) goto failed;
  if (!request->stands_in && syscall(SYS_close_range, request->descriptor_count, ~0U, CLOSE_RANGE_CLOEXEC) < 0) goto failed;
  failure[0] = clinux_spawn_exec;
  static const unsigned long none;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, NSIG / 8);
  syscall(SYS_execve, request->path, request->argv, request->envp);
failed:
  failure[1] = errno;
  syscall(SYS_write, report, failure, sizeof failure);
  while (1) syscall(SYS_exit_group, 127);
}

int clinux_spawn(const struct clinux_spawn *request, int *pidfd, int *stage) {
  int report[2];
  *stage = clinux_spawn_pipe;
  if (pipe2(report, O_CLOEXEC) < 0) return -errno;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
  arguments.pidfd = (uint64_t)(uintptr_t)pidfd;
  arguments.exit_signal = SIGCHLD;
  if (request->cgroup >= 0) {
    arguments.flags |= CLONE_INTO_CGROUP;
    arguments.cgroup = (uint64_t)request->cgroup;
  }
  *stage = clinux_spawn_clone;
  pid_t parent = getpid();
  long pid = clone_here(&arguments);
  // A filter cannot look into the arguments of clone3, so one against name spaces takes all of it away, such as that of
  // RestrictNamespaces=. The child sets its signals itself.
  if (pid == -ENOSYS && request->cgroup < 0) {
    pid = syscall(SYS_clone, (unsigned long)(CLONE_PIDFD | SIGCHLD), NULL, pidfd, NULL, NULL);
    if (pid < 0) pid = -errno;
  }
  if (pid == 0) child(request, report[1], parent);
  sigprocmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  if (pid < 0) {
    close(report[0]);
    return (int)pid;
  }
  int failure[2];
  ssize_t got;
  do got = read(report[0], failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  close(report[0]);
  if (got != sizeof failure) return (int)pid;
  *stage = failure[0];
  siginfo_t information;
  while (waitid(P_PIDFD, (id_t)*pidfd, &information, WEXITED) < 0 && errno == EINTR) {
  }
  close(*pidfd);
  *pidfd = -1;
  return -failure[1];
}

void clinux_adopt_descendants(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void clinux_block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  // Faults must still end the program, and with a core.
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(&all, faults[index]);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

void clinux_ignore_sigpipe(void) { signal(SIGPIPE, SIG_IGN); }

int clinux_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int index = 0; index < count; index++) sigaddset(&set, signals[index]);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, descriptor, &event);
}

void clinux_limit_arenas(void) { mallopt(M_ARENA_MAX, 2); }

void clinux_return_free_memory(void) { malloc_trim(0); }

ssize_t clinux_readlinkat(int directory, const char *path, char *buffer, size_t size) {
  return readlinkat(directory, path, buffer, size);
}

int clinux_epoll_wait(int epoll, uint64_t *data, uint32_t *events, int room, int timeout) {
  struct epoll_event ready[64];
  int count = epoll_wait(epoll, ready, room < 64 ? room : 64, timeout);
  for (int index = 0; index < count; index++) {
    data[index] = ready[index].data.u64;
    events[index] = ready[index].events;
  }
  return count;
}

int clinux_errno(void) { return errno; }

void clinux_strerror(int error, char *buffer, size_t size) {
  snprintf(buffer, size, "%s", strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error");
}

int clinux_open(int directory, const char *path, int flags, unsigned mode) {
  return openat(directory, path, flags | O_CLOEXEC, mode);
}

int clinux_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

char **clinux_environment(void) { return environ; }
ssize_t clinux_getdents(int directory, void *buffer, size_t size) { return getdents64(directory, buffer, size); }

int clinux_probe_lease(int file) {
  // Who opens the file for writing in the moment between breaks the lease, and the kernel tells us by a signal:
  // one that does nothing by default, instead of SIGIO, which ends the process.
  fcntl(file, F_SETSIG, SIGURG);
  if (fcntl(file, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(file, F_SETLEASE, F_UNLCK);
    return 0;
  }
  return errno == EAGAIN ? 1 : 2;
}

int clinux_pipe_capacity(int pipe, int bytes) { return fcntl(pipe, F_SETPIPE_SZ, bytes); }
