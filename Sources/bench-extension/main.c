// The smallest extension: io.extensiond.Extension on descriptor 3, and an echo on each connection, in a thread of its
// own, so that both read as a program would that has nothing else to do. A connection for a scene is taken and let go;
// for the scene "sink" it is read to its end.
// Its peers start the same program: systemd with a socket that listens as descriptor 3, D-Bus with a name to take.
#define _GNU_SOURCE
#include "bus.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { control = 3 };
static char text[32768 + 1];
static size_t length;
/// The connection that came with the message.
static int connection = -1;

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

static void *echo(void *argument) {
  int socket = (int)(intptr_t)argument;
  char bytes[4096];
  ssize_t got;
  while ((got = recv(socket, bytes, sizeof bytes, 0)) > 0 && send_all(socket, bytes, (size_t)got) == 0) {}
  close(socket);
  return NULL;
}

/// Takes blocks of 1 MiB, and says so of each with a byte. The floor does the same, in CBench.
static void *sink(void *argument) {
  int socket = (int)(intptr_t)argument;
  static _Alignas(4096) char block[1 << 20];
  size_t used = 0;
  ssize_t got;
  while ((got = recv(socket, block + used, sizeof block - used, 0)) > 0) {
    used = (used + (size_t)got) % sizeof block;
    if (used == 0 && send_all(socket, "", 1) < 0) break;
  }
  close(socket);
  return NULL;
}

static void take(int socket, const char *message) {
  if (socket < 0) return;
  pthread_t thread;
  void *(*serve)(void *) = strstr(message, "\"scene\":\"sink\"") ? sink : strstr(message, "\"scene\":") ? NULL : echo;
  if (serve && pthread_create(&thread, NULL, serve, (void *)(intptr_t)socket) == 0) {
    pthread_detach(thread);
  } else {
    close(socket);
  }
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
  take(connection, message);
  connection = -1;
  return strstr(message, "io.extensiond.Extension.Stop\"") != NULL;
}

static int read_control(void) {
  union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } space;
  struct iovec part = {text + length, sizeof text - 1 - length};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &space, .msg_controllen = sizeof space};
  // As an event loop would: who waits in recvmsg(2) is woken when the broker takes the answer, too.
  struct pollfd readable = {.fd = control, .events = POLLIN};
  if (poll(&readable, 1, -1) < 0) return errno == EINTR ? 0 : -1;
  ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == EINTR) return 0;
  if (got <= 0) return 1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_type == SCM_RIGHTS) memcpy(&connection, CMSG_DATA(header), sizeof connection);
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

int main(int count, char **arguments) {
  int result, listens = 0;
  if (count > 1) return serve_bus(arguments[1]);
  if (getsockopt(control, SOL_SOCKET, SO_ACCEPTCONN, &listens, &(socklen_t){sizeof listens}) == 0 && listens) {
    int accepted = accept4(control, NULL, NULL, SOCK_CLOEXEC);
    if (accepted < 0 || dup2(accepted, control) < 0) return 1;
    close(accepted);
  }
  while ((result = read_control()) == 0) {}
  return result < 0;
}
