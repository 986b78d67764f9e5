// A host in one file of C, without any library: copy it, and change what it says over the connection.
//
//   cc -o c-host c-host.c
//   c-host HOST EXTENSION LINE    activates EXTENSION as the host HOST, sends LINE, prints the line that comes back
//
// The broker speaks Varlink: each message is a JSON object and a NUL byte, over a Unix socket. Descriptors come with
// SCM_RIGHTS: the lease first, then the connection. The extension runs as long as the lease is held; the lease's end says
// that the extension has ended. In your own program keep the lease in your event loop.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { message_limit = 1 << 16, descriptor_limit = 4 };

/// One connection to the broker, and what its last reply brought.
struct broker {
  int socket;
  char reply[message_limit];
  int descriptors[descriptor_limit];
  int descriptor_count;
};

static _Noreturn void fail(const char *what, const char *detail) {
  fprintf(stderr, "c-host: %s: %s\n", what, detail);
  exit(1);
}

static int connect_to_broker(void) {
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (!runtime) fail("cannot find the broker", "XDG_RUNTIME_DIR is not set");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int length = snprintf(address.sun_path, sizeof address.sun_path, "%s/extensiond/broker/io.extensiond.Broker", runtime);
  if (length < 0 || (size_t)length >= sizeof address.sun_path) fail("cannot find the broker", "the path is too long");
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0)
    fail(address.sun_path, strerror(errno));
  return descriptor;
}

static void send_all(int to, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(to, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) fail("cannot send", strerror(errno));
    bytes += sent;
    count -= (size_t)sent;
  }
}

static void keep_descriptors(struct broker *broker, struct msghdr *message) {
  for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t index = 0; index < count; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(part) + index * sizeof descriptor, sizeof descriptor);
      if (broker->descriptor_count < descriptor_limit) broker->descriptors[broker->descriptor_count++] = descriptor;
      else close(descriptor);
    }
  }
}

/// Calls a method and waits for its reply.
static void call(struct broker *broker, const char *message) {
  send_all(broker->socket, message, strlen(message) + 1);
  broker->descriptor_count = 0;
  size_t length = 0;
  do {
    if (length == sizeof broker->reply) fail("the broker's reply is too long", message);
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int) * descriptor_limit)]; } control;
    struct iovec room = {broker->reply + length, sizeof broker->reply - length};
    struct msghdr received = {
        .msg_iov = &room, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    ssize_t got = recvmsg(broker->socket, &received, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("the broker closed the connection", message);
    keep_descriptors(broker, &received);
    length += (size_t)got;
  } while (length == 0 || broker->reply[length - 1] != 0);
  // The broker writes no spaces, and "error" comes first where there is one.
  if (strncmp(broker->reply, "{\"error\":", 9) == 0) fail("the broker refused", broker->reply);
}

/// Appends a text as a JSON string.
static void quote(char *to, size_t size, const char *text) {
  size_t used = strlen(to);
  for (; *text && used + 9 < size; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') used += (size_t)snprintf(to + used, size - used, "\\%c", byte);
    else if (byte < 0x20) used += (size_t)snprintf(to + used, size - used, "\\u%04x", byte);
    else to[used++] = (char)byte, to[used] = 0;
  }
}

static void call_with(struct broker *broker, const char *before, const char *text, const char *after) {
  char message[4096];
  snprintf(message, sizeof message, "%s", before);
  quote(message, sizeof message - strlen(after) - 1, text);
  strcat(message, after);
  call(broker, message);
}

int main(int count, char **arguments) {
  if (count != 4) {
    fprintf(stderr, "usage: c-host HOST EXTENSION LINE\n");
    return 64;
  }
  static struct broker broker;
  broker.socket = connect_to_broker();
  call_with(
      &broker, "{\"method\":\"io.extensiond.Broker.Hello\",\"parameters\":{\"hostIdentifier\":\"", arguments[1], "\"}}");
  call_with(
      &broker, "{\"method\":\"io.extensiond.Broker.Activate\",\"parameters\":{\"extension\":\"", arguments[2],
      "\",\"connect\":true}}");
  if (broker.descriptor_count != 2) fail("the broker sent no connection", broker.reply);
  int lease = broker.descriptors[0], connection = broker.descriptors[1];

  send_all(connection, arguments[3], strlen(arguments[3]));
  send_all(connection, "\n", 1);
  shutdown(connection, SHUT_WR);
  char bytes[4096];
  ssize_t got;
  while ((got = recv(connection, bytes, sizeof bytes, 0)) != 0) {
    if (got < 0 && errno != EINTR) fail("the connection failed", strerror(errno));
    if (got > 0) fwrite(bytes, 1, (size_t)got, stdout);
  }
  close(connection);
  // The extension may end now: nobody else uses it.
  close(lease);
  return 0;
}
