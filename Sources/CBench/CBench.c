#define _GNU_SOURCE
#include "CBench.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// As long as the real messages are.
enum { call_bytes = 170, accept_bytes = 130, reply_bytes = 90 };

static pid_t children[64];
static int child_count;

uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int send_with(int socket, const void *bytes, size_t count, int descriptor) {
  struct iovec vector = {(void *)bytes, count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control = {0};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)count ? 0 : -1;
}

/// Receives one message; the descriptor that came with it, or -1 without one, -2 at the end.
static int receive_with(int socket, size_t count) {
  char bytes[4096];
  struct iovec vector = {bytes, count};
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) return -2;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (!header) return -1;
  int descriptor;
  memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
  return descriptor;
}

enum { frame_header = 16, frame_bytes = 1 << 20 };

static int frame_in(int socket, char *bytes) {
  for (size_t got = 0; got < frame_header + frame_bytes;) {
    ssize_t part = recv(socket, bytes + got, frame_header + frame_bytes - got, 0);
    if (part <= 0) return 0;
    got += (size_t)part;
  }
  return 1;
}

static int frame_out(int socket, const char *bytes) {
  for (size_t sent = 0; sent < frame_header + frame_bytes;) {
    ssize_t part = send(socket, bytes + sent, frame_header + frame_bytes - sent, MSG_NOSIGNAL);
    if (part <= 0) return 0;
    sent += (size_t)part;
  }
  return 1;
}

struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  return address;
}

pid_t fork_bound(void) {
  pid_t pid = fork();
  if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL), setsid();
  return pid;
}

pid_t child(void) {
  pid_t pid = fork_bound();
  if (pid > 0 && child_count < 64) children[child_count++] = pid;
  return pid;
}

static void be_extension(int socket) {
  char reply[reply_bytes] = {0};
  while (1) {
    int descriptor = receive_with(socket, accept_bytes);
    if (descriptor < 0) _exit(0);
    send_with(socket, reply, sizeof reply, -1);
    close(descriptor);
  }
}

static void be_broker(int host, int extension) {
  char accept[accept_bytes] = {0}, reply[reply_bytes] = {0};
  while (receive_with(host, call_bytes) != -2) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) _exit(1);
    send_with(extension, accept, sizeof accept, pair[1]);
    close(pair[1]);
    receive_with(extension, reply_bytes);
    send_with(host, reply, sizeof reply, pair[0]);
    close(pair[0]);
  }
  _exit(0);
}

int cbench_process(int before_last) {
  int index = child_count - 1 - before_last;
  return index >= 0 ? children[index] : 0;
}

void cbench_keep_on(int process, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int each = 0; each < CPU_SETSIZE; each++)
    if (cpu < 0 || each == cpu) CPU_SET(each, &set);
  sched_setaffinity(process, sizeof set, &set);
}

int cbench_open_start(void) {
  int host[2], extension[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, host) < 0) return -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, extension) < 0) return -1;
  if (child() == 0) {
    close(host[0]), close(host[1]), close(extension[0]);
    be_extension(extension[1]);
  }
  if (child() == 0) {
    close(host[0]), close(extension[1]);
    be_broker(host[1], extension[0]);
  }
  close(host[1]), close(extension[0]), close(extension[1]);
  return host[0];
}

uint64_t cbench_open_once(int socket) {
  char call[call_bytes] = {0};
  uint64_t start = now();
  if (send_with(socket, call, sizeof call, -1) < 0) return 0;
  int descriptor = receive_with(socket, reply_bytes);
  uint64_t end = now();
  if (descriptor < 0) return 0;
  close(descriptor);
  return end - start;
}

/// A process that answers what it gets: with this, or, for NULL, with the same.
static int start_answering(const char *reply) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -1;
  if (child() == 0) {
    char bytes[4096];
    ssize_t got;
    close(pair[0]);
    while ((got = recv(pair[1], bytes, sizeof bytes, 0)) > 0) {
      if (!reply) send(pair[1], bytes, (size_t)got, MSG_NOSIGNAL);
      else if (bytes[got - 1] == 0) send(pair[1], reply, strlen(reply) + 1, MSG_NOSIGNAL);
    }
    _exit(0);
  }
  close(pair[1]);
  return pair[0];
}

int cbench_echo_start(void) { return start_answering(NULL); }

int cbench_varlink_start(const char *reply) { return start_answering(reply); }

uint64_t cbench_round_trip(int socket, int bytes) {
  char data[4096] = {0};
  uint64_t start = now();
  if (send(socket, data, (size_t)bytes, MSG_NOSIGNAL) != bytes) return 0;
  for (int got = 0; got < bytes;) {
    ssize_t part = recv(socket, data, sizeof data, 0);
    if (part <= 0) return 0;
    got += (int)part;
  }
  return now() - start;
}

enum { block_bytes = 1 << 20 };

int cbench_taker_start(void) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -1;
  if (child() == 0) {
    static _Alignas(4096) char block[block_bytes];
    size_t used = 0;
    ssize_t got;
    close(pair[0]);
    while ((got = recv(pair[1], block + used, block_bytes - used, 0)) > 0) {
      used = (used + (size_t)got) % block_bytes;
      if (used == 0) send(pair[1], "", 1, MSG_NOSIGNAL);
    }
    _exit(0);
  }
  close(pair[1]);
  return pair[0];
}

uint64_t cbench_blocks(int socket, int count) {
  static _Alignas(4096) char block[block_bytes];
  char taken[256];
  uint64_t start = now();
  for (int each = 0; each < count; each++)
    for (size_t sent = 0; sent < block_bytes;) {
      ssize_t part = send(socket, block + sent, block_bytes - sent, MSG_NOSIGNAL);
      if (part <= 0) return 0;
      sent += (size_t)part;
    }
  for (int left = count; left > 0;) {
    ssize_t part = recv(socket, taken, left < 256 ? (size_t)left : sizeof taken, 0);
    if (part <= 0) return 0;
    left -= (int)part;
  }
  return now() - start;
}

uint64_t cbench_spawn_once(const char *path, const char *const *argv, const char *message, int extra) {
  int pair[2], status;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair[1], 3);
  if (extra >= 0) posix_spawn_file_actions_adddup2(&actions, extra, 4);
  posix_spawn_file_actions_addclosefrom_np(&actions, extra >= 0 ? 5 : 4);
  pid_t pid;
  uint64_t start = now(), time = 0;
  int failed = posix_spawn(&pid, path, &actions, NULL, (char *const *)argv, environ);
  close(pair[1]);
  posix_spawn_file_actions_destroy(&actions);
  if (!failed) {
    char reply[1024];
    size_t count = strlen(message) + 1;
    if (send(pair[0], message, count, MSG_NOSIGNAL) == (ssize_t)count && recv(pair[0], reply, sizeof reply, 0) > 0)
      time = now() - start;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    // What ends a sandbox is not its program: the end of that must not fall into what is measured next.
    while (time && recv(pair[0], reply, sizeof reply, 0) > 0) {
    }
  }
  close(pair[0]);
  return time;
}

void cbench_end(void) {
  for (int index = 0; index < child_count; index++) {
    kill(children[index], SIGKILL);
    waitpid(children[index], NULL, 0);
  }
  child_count = 0;
}

/// Starts a program with the socket as descriptor 3 in the form of socket activation, and standard output nowhere.
static pid_t start_activated(const char *path, int socket) {
  static char process[32];
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  char *arguments[] = {(char *)path, NULL};
  char *environment[] = {"LISTEN_FDS=1", process, NULL};
  pid_t pid = vfork();
  if (pid == 0) {
    // Nobody else knows it; the parent waits, so its memory may be written to.
    snprintf(process, sizeof process, "LISTEN_PID=%d", (int)getpid());
    dup2(null, 1);
    if (socket >= 0) dup2(socket, 3);
    execve(path, arguments, environment);
    _exit(127);
  }
  close(null);
  return pid;
}

uint64_t cbench_run_once(const char *path) {
  int status;
  uint64_t start = now();
  pid_t pid = start_activated(path, -1);
  if (pid < 0) return 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return now() - start;
}

uint64_t cbench_activate_once(const char *path, const char *message, int *process) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return 0;
  uint64_t start = now(), time = 0;
  pid_t pid = start_activated(path, pair[1]);
  close(pair[1]);
  char reply[1024];
  size_t count = strlen(message) + 1;
  if (pid > 0 && send(pair[0], message, count, MSG_NOSIGNAL) == (ssize_t)count &&
      recv(pair[0], reply, sizeof reply, 0) > 0)
    time = now() - start;
  *process = pid;
  // The socket stays open: its end would be the program's.
  return time;
}

void cbench_kill(int process) {
  int status;
  if (process <= 0) return;
  kill(process, SIGKILL);
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
}

int cbench_frames_start(int receives) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -1;
  if (child() == 0) {
    close(pair[0]);
    char *bytes = calloc(1, frame_header + frame_bytes);
    uint32_t length = frame_bytes;
    memcpy(bytes, &length, sizeof length);
    for (int alive = 1; alive;) alive = receives ? frame_in(pair[1], bytes) : frame_out(pair[1], bytes);
    _exit(0);
  }
  close(pair[1]);
  return pair[0];
}

uint64_t cbench_frames_out(int socket, int count) {
  static char bytes[frame_header + frame_bytes];
  uint32_t length = frame_bytes;
  memcpy(bytes, &length, sizeof length);
  uint64_t start = now();
  for (int each = 0; each < count; each++)
    if (!frame_out(socket, bytes)) return 0;
  return now() - start;
}

uint64_t cbench_frames_in(int socket, int count) {
  static char bytes[frame_header + frame_bytes];
  uint64_t start = now();
  for (int each = 0; each < count; each++)
    if (!frame_in(socket, bytes)) return 0;
  return now() - start;
}
