// fanout.1000: a signal to many listeners. One process holds them all, and reads what comes as bytes: what a library
// would make of it is no part of what is measured.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char path[] = "/io/extensiond/bench", interface[] = "io.extensiond.bench", member[] = "Changed";
static sd_bus *bus;
static int count, told[2];
static const char *text;
/// When the last listener had it.
static volatile uint64_t *last;

/// The length of a message, which is in its first bytes.
static size_t length(const unsigned char *bytes) {
  uint32_t body, fields;
  memcpy(&body, bytes + 4, sizeof body);
  memcpy(&fields, bytes + 12, sizeof fields);
  return 16 + ((fields + 7u) & ~7u) + body;
}

static void be_listeners(void) {
  int events = epoll_create1(EPOLL_CLOEXEC);
  size_t *left = calloc((size_t)count, sizeof *left);
  int *sockets = calloc((size_t)count, sizeof *sockets);
  for (int index = 0; index < count; index++) {
    sd_bus *own = connect_bus();
    int error = sd_bus_match_signal(own, NULL, NULL, path, interface, member, NULL, NULL);
    if (error < 0) fail("a listener", error);
    while (sd_bus_process(own, NULL) > 0) {
    }
    sockets[index] = sd_bus_get_fd(own);
    epoll_ctl(events, EPOLL_CTL_ADD, sockets[index], &(struct epoll_event){EPOLLIN, {.u32 = (uint32_t)index}});
  }
  (void)!write(told[1], "", 1);
  for (int complete = 0;;) {
    struct epoll_event ready[256];
    unsigned char bytes[8192];
    int some = epoll_wait(events, ready, 256, -1);
    for (int each = 0; each < some; each++) {
      uint32_t index = ready[each].data.u32;
      ssize_t got = recv(sockets[index], bytes, sizeof bytes, 0);
      if (got <= 0) _exit(1);
      if (left[index] == 0) left[index] = length(bytes);
      left[index] -= (size_t)got < left[index] ? (size_t)got : left[index];
      if (left[index] == 0) complete++;
    }
    if (complete < count) continue;
    *last = now();
    complete = 0;
    (void)!write(told[1], "", 1);
  }
}

static uint64_t tell_once(void) {
  char byte;
  uint64_t start = now();
  int error = sd_bus_emit_signal(bus, path, interface, member, "s", text);
  if (error >= 0) error = sd_bus_flush(bus);
  if (error < 0) fail("the signal", error);
  if (read(told[0], &byte, 1) != 1) fail("the listeners are gone", ECHILD);
  return *last - start;
}

/// fanout COUNT BYTES: so many listeners, so many bytes of text.
void be_fanout(char **arguments) {
  char byte;
  if (!arguments[0] || !arguments[1]) fail("fanout needs COUNT and BYTES", EINVAL);
  count = atoi(arguments[0]);
  char *bytes = calloc(1, (size_t)atoi(arguments[1]) + 1);
  text = memset(bytes, 'x', (size_t)atoi(arguments[1]));
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bus = connect_bus();
  keep_apart(bus);
  if (pipe(told) < 0) fail("pipe", errno);
  if (child() == 0) be_listeners();
  close(told[1]);
  if (read(told[0], &byte, 1) != 1) fail("the listeners did not start", ECHILD);
  serve(tell_once);
}
