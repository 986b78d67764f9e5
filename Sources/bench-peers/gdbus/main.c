// session.call with GIO's GDBus, both ends of a connection without a bus: a call with 100 bytes. `make bench` compiles it,
// since nothing else needs GIO.
#define _GNU_SOURCE
#include "../measure.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char interface[] = "io.extensiond.bench.Echo", path[] = "/io/extensiond/bench";
static GDBusConnection *connection;
static char text[101];

static GDBusConnection *connect_end(int descriptor, GDBusConnectionFlags flags) {
  GError *error = NULL;
  GSocket *socket = g_socket_new_from_fd(descriptor, &error);
  if (!socket) fail(error->message, EIO);
  GSocketConnection *stream = g_socket_connection_factory_create_connection(socket);
  char *identifier = g_dbus_generate_guid();
  int serves = flags & G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER;
  GDBusConnection *made =
      g_dbus_connection_new_sync(G_IO_STREAM(stream), serves ? identifier : NULL, flags, NULL, NULL, &error);
  if (!made) fail(error->message, EIO);
  g_free(identifier);
  return made;
}

static void answer(GDBusConnection *from, const char *sender, const char *object, const char *name, const char *method,
                   GVariant *parameters, GDBusMethodInvocation *invocation, gpointer data) {
  const char *echo;
  (void)from, (void)sender, (void)object, (void)name, (void)method, (void)data;
  g_variant_get(parameters, "(&s)", &echo);
  g_dbus_method_invocation_return_value(invocation, g_variant_new("(s)", echo));
}

static void be_service(int descriptor) {
  GError *error = NULL;
  GDBusNodeInfo *node = g_dbus_node_info_new_for_xml(
      "<node><interface name='io.extensiond.bench.Echo'><method name='Echo'><arg type='s' direction='in'/>"
      "<arg type='s' direction='out'/></method></interface></node>",
      &error);
  static const GDBusInterfaceVTable methods = {.method_call = answer};
  GDBusConnection *own = connect_end(
      descriptor, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER | G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING);
  if (!g_dbus_connection_register_object(own, path, node->interfaces[0], &methods, NULL, NULL, &error))
    fail(error->message, EIO);
  g_dbus_connection_start_message_processing(own);
  g_main_loop_run(g_main_loop_new(NULL, FALSE));
}

static uint64_t call_once(void) {
  GError *error = NULL;
  uint64_t start = now();
  GVariant *reply = g_dbus_connection_call_sync(connection, NULL, path, interface, "Echo", g_variant_new("(s)", text),
                                                G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, &error);
  uint64_t time = now() - start;
  if (!reply) fail(error->message, EIO);
  g_variant_unref(reply);
  return time;
}

int main(void) {
  int pair[2];
  memset(text, 'x', 100);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) fail("socketpair", errno);
  if (child() == 0) {
    close(pair[0]);
    keep_on(0, 1);
    be_service(pair[1]);
    _exit(0);
  }
  close(pair[1]);
  keep_on(0, 0);
  connection = connect_end(pair[0], G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
  serve(call_once);
}
