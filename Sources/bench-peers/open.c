// connection.open over a bus: a call that returns a descriptor, whose other end the service keeps.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static const char name[] = "io.extensiond.bench.Open", path[] = "/io/extensiond/bench";
static sd_bus *bus;

static int open_connection(sd_bus_message *call, void *data, sd_bus_error *error) {
  const char *activation, *scene;
  int pair[2], result = sd_bus_message_read(call, "ss", &activation, &scene);
  (void)data, (void)error;
  if (result < 0) return result;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -errno;
  result = sd_bus_reply_method_return(call, "h", pair[0]);
  close(pair[0]), close(pair[1]);
  return result < 0 ? result : 1;
}

static const sd_bus_vtable methods[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Open", "ss", "h", open_connection, SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_VTABLE_END,
};

static void be_service(int ready) {
  sd_bus *own = connect_bus();
  if (sd_bus_add_object_vtable(own, NULL, path, name, methods, NULL) < 0 || sd_bus_request_name(own, name, 0) < 0)
    _exit(1);
  (void)!write(ready, "", 1);
  for (int result; (result = sd_bus_process(own, NULL)) >= 0;)
    if (result == 0) sd_bus_wait(own, UINT64_MAX);
  _exit(0);
}

static uint64_t open_once(void) {
  sd_bus_message *reply = NULL;
  int descriptor;
  uint64_t start = now();
  int error = sd_bus_call_method(bus, name, path, name, "Open", NULL, &reply, "ss",
                                 "4b0e6ab0-6b55-4c0c-9a4e-0a9c6f1f7b11", "GreetingScene");
  if (error >= 0) error = sd_bus_message_read(reply, "h", &descriptor);
  uint64_t time = now() - start;
  if (error < 0) fail("the call", error);
  if (fcntl(descriptor, F_GETFD) < 0) fail("no descriptor came", errno);
  sd_bus_message_unref(reply);
  return time;
}

void be_open(char **arguments) {
  int ready[2];
  char byte;
  (void)arguments;
  bus = connect_bus();
  keep_apart(bus);
  if (pipe(ready) < 0) fail("pipe", errno);
  if (child() == 0) be_service(ready[1]);
  close(ready[1]);
  if (read(ready[0], &byte, 1) != 1) fail("the service did not start", ECHILD);
  serve(open_once);
}
