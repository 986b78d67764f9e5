// An extension in one file of C, without any library: copy it, and change what it says.
//
// The program finds one socket as descriptor 3. On it the broker calls Start, AcceptConnection and Stop of the interface
// io.extensiond.Extension, each a JSON object and a NUL byte; each answer names the call that it answers. A connection
// comes as a descriptor with AcceptConnection. What is said over it is the host's and the extension's own affair: here a
// line with a name in, a line with a greeting out.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { control = 3, room = 32 };
/// The control socket, and the connections after it.
static struct pollfd sockets[room] = {{.fd = control, .events = POLLIN}};
static nfds_t count = 1;
static char input[1 << 16];
static size_t input_length;

static int send_all(int to, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return -1;
    bytes += sent;
    size -= (size_t)sent;
  }
  return 0;
}

/// The text of a member. The broker writes no spaces, and none of these texts has an escape.
static void member(const char *message, const char *name, char *text, size_t size) {
  char key[64];
  snprintf(key, sizeof key, "\"%s\":\"", name);
  const char *start = strstr(message, key);
  if (start) start += strlen(key);
  snprintf(text, size, "%.*s", start ? (int)strcspn(start, "\"") : 0, start ? start : "");
}

/// Answers a call; the descriptor is that of the connection, or -1. Returns 1 after Stop.
static int answer(const char *message, int connection) {
  char method[128], call[128], reply[256];
  member(message, "method", method, sizeof method);
  member(message, "call", call, sizeof call);
  if (connection >= 0 && count == room) {
    close(connection);
    snprintf(
        reply, sizeof reply,
        "{\"error\":\"io.extensiond.Extension.ConnectionRejected\",\"parameters\":{\"answers\":\"%s\",\"message\":\"busy\"}}",
        call);
  } else {
    if (connection >= 0) sockets[count++] = (struct pollfd){.fd = connection, .events = POLLIN};
    snprintf(reply, sizeof reply, "{\"parameters\":{\"answers\":\"%s\"}}", call);
  }
  if (send_all(control, reply, strlen(reply) + 1) < 0) return 1;
  return strcmp(method, "io.extensiond.Extension.Stop") == 0;
}

/// Reads from the broker. Returns 1 when it is time to end.
static int serve_broker(void) {
  union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } space;
  struct iovec part = {input + input_length, sizeof input - input_length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = space.space, .msg_controllen = sizeof space.space};
  ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return 1;
  int connection = -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&connection, CMSG_DATA(header), sizeof connection);
  input_length += (size_t)got;
  char *end;
  // A descriptor comes with the last message that was read.
  while ((end = memchr(input, 0, input_length))) {
    size_t used = (size_t)(end + 1 - input);
    if (answer(input, used == input_length ? connection : -1)) return 1;
    memmove(input, end + 1, input_length -= used);
  }
  return input_length == sizeof input;
}

/// Greets. Returns -1 when the connection is over.
static int serve_host(int connection) {
  char name[1024], greeting[1100];
  ssize_t got = recv(connection, name, sizeof name - 1, 0);
  if (got <= 0) return -1;
  name[strcspn(name, "\n") < (size_t)got ? strcspn(name, "\n") : (size_t)got] = 0;
  int length = snprintf(greeting, sizeof greeting, "Greetings from C, %s!\n", name);
  return send_all(connection, greeting, (size_t)length);
}

int main(void) {
  while (poll(sockets, count, -1) >= 0) {
    for (nfds_t index = count; index-- > 1;) {
      if (sockets[index].revents == 0 || serve_host(sockets[index].fd) == 0) continue;
      close(sockets[index].fd);
      sockets[index] = sockets[--count];
    }
    if (sockets[0].revents != 0 && serve_broker()) return 0;
  }
  return 1;
}
