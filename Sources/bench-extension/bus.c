// The program as a service of D-Bus, by hand, since a library would take longer to be loaded than all else: it takes its
// name, answers each call of Start, and ends with any other.
#define _GNU_SOURCE
#include "bus.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { method_call = 1, method_return = 2 };
enum { path_field = 1, interface_field, member_field, error_field, reply_field, destination_field, sender_field };

typedef struct {
  unsigned char bytes[1024];
  size_t count;
} message;

static message outgoing;
static unsigned char incoming[65536];
static size_t length;

static size_t up(size_t position, size_t alignment) { return (position + alignment - 1) & ~(alignment - 1); }

static void put_number(uint32_t value) {
  outgoing.count = up(outgoing.count, 4);
  memcpy(outgoing.bytes + outgoing.count, &value, 4);
  outgoing.count += 4;
}

static void put_text(const char *text) {
  put_number((uint32_t)strlen(text));
  strcpy((char *)outgoing.bytes + outgoing.count, text);
  outgoing.count += strlen(text) + 1;
}

static void put_field(unsigned char code, char type, const char *text, uint32_t number) {
  outgoing.count = up(outgoing.count, 8);
  unsigned char start[] = {code, 1, (unsigned char)type, 0};
  memcpy(outgoing.bytes + outgoing.count, start, 4);
  outgoing.count += 4;
  if (text) put_text(text);
  else put_number(number);
}

/// A message whose fields follow; `finish` gives it its lengths.
static void begin(unsigned char type, unsigned char flags, uint32_t serial) {
  memset(&outgoing, 0, sizeof outgoing);
  unsigned char start[] = {'l', type, flags, 1};
  memcpy(outgoing.bytes, start, 4);
  memcpy(outgoing.bytes + 8, &serial, 4);
  outgoing.count = 16;
}

static int finish(int bus, const char *name) {
  uint32_t fields = (uint32_t)outgoing.count - 16;
  memcpy(outgoing.bytes + 12, &fields, 4);
  outgoing.count = up(outgoing.count, 8);
  size_t body = outgoing.count;
  if (name) {
    put_text(name);
    put_number(0);
    uint32_t size = (uint32_t)(outgoing.count - body);
    memcpy(outgoing.bytes + 4, &size, 4);
  }
  return send(bus, outgoing.bytes, outgoing.count, MSG_NOSIGNAL) == (ssize_t)outgoing.count ? 0 : -1;
}

static int call_bus(int bus, uint32_t serial, const char *member, const char *name) {
  begin(method_call, 0, serial);
  put_field(path_field, 'o', "/org/freedesktop/DBus", 0);
  put_field(destination_field, 's', "org.freedesktop.DBus", 0);
  put_field(interface_field, 's', "org.freedesktop.DBus", 0);
  put_field(member_field, 's', member, 0);
  // A signature has a length of one byte.
  if (name) {
    outgoing.count = up(outgoing.count, 8);
    memcpy(outgoing.bytes + outgoing.count, "\010\001g\000\002su", 8);
    outgoing.count += 8;
  }
  return finish(bus, name);
}

static uint32_t number(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, 4);
  return value;
}

/// One complete message. 1: it was the order to end.
static int take(int bus, const unsigned char *bytes) {
  static uint32_t serial = 100;
  const char *member = "", *sender = "";
  size_t end = 16 + number(bytes + 12);
  for (size_t at = 16; at + 8 <= end;) {
    unsigned char code = bytes[at], type = bytes[at + 2];
    at += 4;
    if (code == member_field) member = (const char *)bytes + at + 4;
    if (code == sender_field) sender = (const char *)bytes + at + 4;
    // One number, a text with the length of its signature in one byte, or a text.
    at += type == 'u' ? 4 : type == 'g' ? bytes[at] + 2u : number(bytes + at) + 5;
    at = up(at, 8);
  }
  if (bytes[1] != method_call) return 0;
  if (strcmp(member, "Start")) return 1;
  begin(method_return, 1, serial++);
  put_field(reply_field, 'u', NULL, number(bytes + 8));
  put_field(destination_field, 's', sender, 0);
  return finish(bus, NULL);
}

static int connect_bus(void) {
  const char *starter = getenv("DBUS_STARTER_ADDRESS"), *session = getenv("DBUS_SESSION_BUS_ADDRESS");
  const char *address = starter ? starter : session ? session : "";
  struct sockaddr_un place = {.sun_family = AF_UNIX};
  if (strncmp(address, "unix:path=", 10)) return -1;
  size_t size = strcspn(address + 10, ",;");
  if (size >= sizeof place.sun_path) return -1;
  memcpy(place.sun_path, address + 10, size);
  int bus = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return connect(bus, (struct sockaddr *)&place, sizeof place) < 0 ? -1 : bus;
}

/// Everything is sent at once, as sd-bus does it.
static int enter(int bus, const char *name) {
  char text[128] = "", user[16];
  int size = snprintf(user, sizeof user, "%u", (unsigned)geteuid());
  size_t used = (size_t)snprintf(text + 1, sizeof text - 1, "AUTH EXTERNAL ") + 1;
  for (int index = 0; index < size; index++) used += (size_t)snprintf(text + used, 3, "%02x", user[index]);
  used += (size_t)snprintf(text + used, sizeof text - used, "\r\nBEGIN\r\n");
  if (send(bus, text, used, MSG_NOSIGNAL) != (ssize_t)used) return -1;
  return call_bus(bus, 1, "Hello", NULL) < 0 ? -1 : call_bus(bus, 2, "RequestName", name);
}

int serve_bus(const char *name) {
  int bus = connect_bus(), is_in = 0;
  if (bus < 0 || enter(bus, name) < 0) return 1;
  while (1) {
    ssize_t got = recv(bus, incoming + length, sizeof incoming - length, 0);
    if (got <= 0) return got < 0;
    length += (size_t)got;
    size_t at = 0;
    if (!is_in) {
      const unsigned char *line = memmem(incoming, length, "\r\n", 2);
      if (!line) continue;
      if (memcmp(incoming, "OK ", 3)) return 1;
      is_in = 1;
      at = (size_t)(line + 2 - incoming);
    }
    while (length - at >= 16) {
      // Each message begins at an address that is a multiple of 8, as far as its fields are concerned.
      const unsigned char *bytes = incoming + at;
      size_t whole = up(16 + number(bytes + 12), 8) + number(bytes + 4);
      if (whole > sizeof incoming) return 1;
      if (length - at < whole) break;
      int result = take(bus, bytes);
      if (result != 0) return result < 0;
      at += whole;
    }
    length -= at;
    memmove(incoming, incoming + at, length);
  }
}
