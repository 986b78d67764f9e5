// bench-peers NAME …: what one would use instead, measured beside extensiond. See measure.h.
#define _GNU_SOURCE
#include "peers.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sd_bus *connect_bus(void) {
  const char *address = getenv("DBUS_SESSION_BUS_ADDRESS");
  sd_bus *bus = NULL;
  int error = sd_bus_new(&bus);
  if (error >= 0) error = sd_bus_set_address(bus, address ? address : "");
  if (error >= 0) error = sd_bus_set_bus_client(bus, 1);
  if (error >= 0) error = sd_bus_negotiate_fds(bus, 1);
  if (error >= 0) error = sd_bus_start(bus);
  // Waits until it has one: a bus closes connections that take long to say who they are.
  const char *name;
  if (error >= 0) error = sd_bus_get_unique_name(bus, &name);
  if (error < 0) fail("the bus cannot be reached", error);
  return bus;
}

static int is_called(pid_t process, const char *name) {
  char path[64], command[32] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", (int)process);
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  if (!fgets(command, sizeof command, file)) command[0] = 0;
  fclose(file);
  command[strcspn(command, "\n")] = 0;
  return !strcmp(command, name);
}

/// The process of the bus is who listens. Where systemd does, the only dbus-broker of this session is it.
static pid_t process_of(sd_bus *bus) {
  static const char name[] = "org.freedesktop.DBus";
  sd_bus_message *reply = NULL;
  uint32_t process = 0;
  if (sd_bus_call_method(bus, name, "/org/freedesktop/DBus", name, "GetConnectionUnixProcessID", NULL, &reply, "s",
                         name) >= 0)
    sd_bus_message_read(reply, "u", &process);
  sd_bus_message_unref(reply);
  glob_t places = {0};
  if (is_called((pid_t)process, "systemd")) glob("/proc/[0-9]*", 0, NULL, &places);
  for (size_t index = 0; index < places.gl_pathc; index++) {
    pid_t other = atoi(places.gl_pathv[index] + strlen("/proc/"));
    if (is_called(other, "dbus-broker")) process = (uint32_t)other;
  }
  globfree(&places);
  return (pid_t)process;
}

void keep_apart(sd_bus *bus) {
  keep_on(process_of(bus), 1);
  keep_on(0, 0);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*be)(char **);
  } peers[] = {
      {"open", be_open},
      {"activation", be_activation},
      {"socket-activation", be_socket_activation},
      {"fanout", be_fanout},
      {"varlink", be_varlink},
  };
  signal(SIGPIPE, SIG_IGN);
  for (size_t index = 0; count > 1 && index < sizeof peers / sizeof *peers; index++)
    if (!strcmp(arguments[1], peers[index].name)) peers[index].be(arguments + 2);
  fprintf(stderr, "usage: bench-peers open|activation|socket-activation|fanout|varlink …\n");
  return 64;
}
