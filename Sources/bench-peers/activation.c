// activation.cold: a program that a bus, or systemd, starts for a request. It ends after each.
#define _GNU_SOURCE
#include "peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char name[] = "io.extensiond.bench.Activated";
static sd_bus *bus, *manager;
static const char *unit;
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static void pause_briefly(void) { nanosleep(&(struct timespec){0, 2000000}, NULL); }

/// Waits until nothing of it runs.
static void wait_for_end(void) {
  for (int tries = 0; tries < 5000; tries++) {
    if (bus) {
      sd_bus_message *reply = NULL;
      int has_owner = 1;
      int error = sd_bus_call_method(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "NameHasOwner", NULL, &reply, "s", name);
      if (error >= 0) error = sd_bus_message_read(reply, "b", &has_owner);
      sd_bus_message_unref(reply);
      if (error < 0) fail("NameHasOwner", error);
      if (has_owner) {
        pause_briefly();
        continue;
      }
    }
    if (!manager) return;
    char *object = NULL, *state = NULL;
    sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &object);
    int error = sd_bus_get_property_string(manager, "org.freedesktop.systemd1", object, "org.freedesktop.systemd1.Unit",
                                           "ActiveState", NULL, &state);
    int ended = error >= 0 && (!strcmp(state, "inactive") || !strcmp(state, "failed"));
    free(object), free(state);
    if (error < 0) fail("ActiveState", error);
    if (ended) return;
    pause_briefly();
  }
  fail("the program that was activated did not end", ETIMEDOUT);
}

/// The manager's own socket, so that no bus is between.
static void connect_manager(void) {
  char place[256];
  snprintf(place, sizeof place, "unix:path=%s/systemd/private", getenv("XDG_RUNTIME_DIR"));
  int error = sd_bus_new(&manager);
  if (error >= 0) error = sd_bus_set_address(manager, place);
  if (error >= 0) error = sd_bus_start(manager);
  if (error < 0) fail("the user manager cannot be reached", error);
}

static uint64_t activate_once(void) {
  static const char interface[] = "io.extensiond.bench", path[] = "/io/extensiond/bench";
  sd_bus_message *reply = NULL;
  sd_bus_error problem = SD_BUS_ERROR_NULL;
  uint64_t start = now();
  int error = sd_bus_call_method(bus, name, path, interface, "Start", &problem, &reply, "s", "x");
  uint64_t time = now() - start;
  if (error < 0) fail(problem.message ? problem.message : "the call", error);
  sd_bus_message_unref(reply);
  // It ends with this one.
  sd_bus_message *stop = NULL;
  error = sd_bus_message_new_method_call(bus, &stop, name, path, interface, "Stop");
  if (error >= 0) error = sd_bus_message_set_expect_reply(stop, 0);
  if (error >= 0) error = sd_bus_send(bus, stop, NULL);
  sd_bus_message_unref(stop);
  if (error < 0) fail("Stop", error);
  wait_for_end();
  return time;
}

/// activation [UNIT]: of a service of the bus; UNIT is what systemd starts for it.
void be_activation(char **arguments) {
  bus = connect_bus();
  unit = arguments[0];
  if (unit) connect_manager();
  serve(activate_once);
}

static uint64_t connect_once(void) {
  static const char message[] =
      "{\"method\":\"io.extensiond.Extension.Start\",\"parameters\":{\"call\":\"1\",\"extension\":\"x\","
      "\"extensionPoint\":\"y\",\"context\":{}}}";
  char reply[1024];
  uint64_t start = now();
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) fail(address.sun_path, errno);
  if (send(connection, message, sizeof message, MSG_NOSIGNAL) < 0) fail("send", errno);
  if (recv(connection, reply, sizeof reply, 0) <= 0) fail("no answer came", errno);
  uint64_t time = now() - start;
  // It ends with the connection.
  close(connection);
  wait_for_end();
  return time;
}

/// socket-activation UNIT: of a service that systemd starts for a connection to $XDG_RUNTIME_DIR/bench.
void be_socket_activation(char **arguments) {
  const char *directory = getenv("XDG_RUNTIME_DIR");
  unit = arguments[0];
  if (!unit || !directory) fail("socket-activation needs UNIT and XDG_RUNTIME_DIR", EINVAL);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/bench", directory);
  connect_manager();
  serve(connect_once);
}
