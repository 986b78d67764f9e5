// session.call to a Varlink service that somebody else wrote: a call with 100 bytes, from C.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char message[512];
static int service = -1;

static uint64_t call_once(void) {
  char reply[4096];
  size_t size = strlen(message) + 1, used = 0;
  uint64_t start = now();
  if (send(service, message, size, MSG_NOSIGNAL) != (ssize_t)size) fail("send", errno);
  do {
    ssize_t got = recv(service, reply + used, sizeof reply - used, 0);
    if (got <= 0) fail("no answer came", errno);
    used += (size_t)got;
  } while (reply[used - 1] != 0);
  uint64_t time = now() - start;
  if (strstr(reply, "\"error\"")) fail(reply, EPROTO);
  return time;
}

/// varlink PATH COMMAND…: the command is a service that listens at PATH.
void be_varlink(char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char text[101] = "";
  if (!arguments[0] || !arguments[1]) fail("varlink needs PATH and COMMAND", EINVAL);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", arguments[0]);
  memset(text, 'x', 100);
  snprintf(message, sizeof message, "{\"method\":\"io.extensiond.bench.Echo.Echo\",\"parameters\":{\"text\":\"%s\"}}",
           text);
  pid_t process = child();
  if (process == 0) {
    keep_on(0, 1);
    execv(arguments[1], arguments + 1);
    fail(arguments[1], errno);
  }
  keep_on(0, 0);
  while (1) {
    service = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(service, (struct sockaddr *)&address, sizeof address) == 0) break;
    close(service);
    if (waitpid(process, NULL, WNOHANG) != 0) fail("the service did not start", ECHILD);
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  }
  call_once();
  serve(call_once);
}
