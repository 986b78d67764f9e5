// The smallest extension: io.extensiond.Extension on descriptor 3, and an echo on each connection. One thread.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { control = 3, room = 1024 };
static struct pollfd polled[room] = {{.fd = control, .events = POLLIN}};
static nfds_t count = 1;
static char text[32768 + 1];
static size_t length;

static int send_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 0;
}

// Answers one message; 1: it was the order to end.
static int answer(const char *message) {
  char reply[256] = "{\"parameters\":{\"answers\":\"";
  const char *call = strstr(message, "\"call\":\"");
  if (call == NULL) return -1;
  call += 8;
  size_t size = strcspn(call, "\""), used = strlen(reply);
  if (used + size + 4 > sizeof reply) return -1;
  memcpy(reply + used, call, size);
  memcpy(reply + used + size, "\"}}", 4);
  if (send_all(control, reply, used + size + 4) < 0) return -1;
  return strstr(message, "io.extensiond.Extension.Stop\"") != NULL;
}

static int read_control(void) {
  union { struct cmsghdr header; char bytes[CMSG_SPACE(4 * sizeof(int))]; } space;
  struct iovec part = {text + length, sizeof text - 1 - length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof space};
  ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == EINTR) return 0;
  if (got <= 0) return 1;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      if (count == room) close(descriptor);
      else polled[count++] = (struct pollfd){.fd = descriptor, .events = POLLIN};
    }
  }
  length += (size_t)got;
  char *end;
  while ((end = memchr(text, 0, length)) != NULL) {
    int result = answer(text);
    if (result != 0) return result;
    length -= (size_t)(end + 1 - text);
    memmove(text, end + 1, length);
  }
  return length < sizeof text - 1 ? 0 : -1;
}

int main(void) {
  for (;;) {
    if (poll(polled, count, -1) < 0 && errno != EINTR) return 1;
    for (nfds_t i = count; i-- > 1;) {
      if (polled[i].revents == 0) continue;
      char bytes[4096];
      ssize_t got = recv(polled[i].fd, bytes, sizeof bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got > 0 && send_all(polled[i].fd, bytes, (size_t)got) == 0) continue;
      close(polled[i].fd);
      polled[i] = polled[--count];
    }
    if (polled[0].revents == 0) continue;
    int result = read_control();
    if (result != 0) return result < 0;
  }
}
