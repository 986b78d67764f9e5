// One change told to many. One process holds all listeners, and counts their messages.
#define _GNU_SOURCE
#include "CBench.h"
#include "common.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// Where the listeners' process tells what it saw.
typedef struct {
  volatile uint64_t first, last;
  volatile int bytes;
} seen;

struct cbench_listeners {
  seen *seen;
  /// A byte for each time that all had a message.
  int told;
  int count;
  /// The other ends, where there is no broker.
  int sockets[];
};

static _Noreturn void listen_on(const int *sockets, int count, seen *seen, int told) {
  int events = epoll_create1(EPOLL_CLOEXEC), complete = 0, any = 0;
  for (int index = 0; index < count; index++)
    epoll_ctl(events, EPOLL_CTL_ADD, sockets[index], &(struct epoll_event){EPOLLIN, {.fd = sockets[index]}});
  (void)!write(told, "", 1);
  while (1) {
    struct epoll_event ready[256];
    char bytes[8192];
    int some = epoll_wait(events, ready, 256, -1);
    for (int each = 0; each < some; each++) {
      ssize_t got = recv(ready[each].data.fd, bytes, sizeof bytes, 0);
      if (got <= 0) _exit(1);
      if (!any++) seen->first = now();
      // None is longer than the buffer, so each comes whole.
      if (bytes[got - 1] != 0) continue;
      seen->bytes = (int)got;
      complete++;
    }
    if (complete < count) continue;
    seen->last = now();
    complete = any = 0;
    (void)!write(told, "", 1);
  }
}

/// Sends and waits for the end of the answer.
static int ask(int socket, const char *message) {
  char bytes[65536];
  ssize_t got = 0;
  if (send(socket, message, strlen(message) + 1, MSG_NOSIGNAL) < 0) return -1;
  do got = recv(socket, bytes, sizeof bytes, 0);
  while (got > 0 && bytes[got - 1] != 0);
  return got > 0 ? 0 : -1;
}

int cbench_connect(const char *path, const char *hello) {
  struct sockaddr_un address = address_of(path);
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0 && ask(connection, hello) == 0)
    return connection;
  close(connection);
  return -1;
}

struct cbench_listeners *cbench_listeners_start(int count, const char *path, const char *hello, const char *subscribe) {
  struct cbench_listeners *all = calloc(1, sizeof *all + (size_t)count * sizeof *all->sockets);
  int *theirs = calloc((size_t)count, sizeof *theirs), told[2];
  if (!all || !theirs || pipe(told) < 0) return NULL;
  all->count = count;
  all->seen = mmap(NULL, sizeof *all->seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int index = 0; index < count && !path; index++) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return NULL;
    all->sockets[index] = pair[0];
    theirs[index] = pair[1];
  }
  if (child() == 0) {
    close(told[0]);
    for (int index = 0; index < count; index++) {
      if (!path) {
        close(all->sockets[index]);
        continue;
      }
      theirs[index] = cbench_connect(path, hello);
      if (theirs[index] < 0 || ask(theirs[index], subscribe) < 0) _exit(1);
    }
    listen_on(theirs, count, all->seen, told[1]);
  }
  for (int index = 0; index < count && !path; index++) close(theirs[index]);
  free(theirs);
  close(told[1]);
  all->told = told[0];
  char byte;
  return read(all->told, &byte, 1) == 1 ? all : NULL;
}

uint64_t cbench_listeners_wait(struct cbench_listeners *all, uint64_t *first, int *bytes) {
  struct pollfd readable = {.fd = all->told, .events = POLLIN};
  char byte;
  if (poll(&readable, 1, 30000) != 1 || read(all->told, &byte, 1) != 1) return 0;
  *first = all->seen->first;
  *bytes = all->seen->bytes;
  return all->seen->last;
}

uint64_t cbench_listeners_tell(struct cbench_listeners *all, int bytes) {
  char message[8192];
  uint64_t first, start, last;
  memset(message, 'x', sizeof message);
  if (bytes < 1 || bytes > (int)sizeof message) return 0;
  message[bytes - 1] = 0;
  start = now();
  for (int index = 0; index < all->count; index++)
    if (send(all->sockets[index], message, (size_t)bytes, MSG_NOSIGNAL | MSG_DONTWAIT) != bytes) return 0;
  last = cbench_listeners_wait(all, &first, &bytes);
  return last ? last - start : 0;
}
