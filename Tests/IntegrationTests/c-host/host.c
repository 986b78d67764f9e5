// A host for the tests of libextensionkit, in its own loop over poll(2), or with -DGLIB in GLib's. Each line of standard
// input is a tag and a command; each line of standard output a tag and what its command brought, or an event.
#include <extensionkit.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef GLIB
#include <glib-unix.h>
#endif

struct use {
  char name[32];
  extk_activation *activation;
  int socket, display;
};

static extk_host *host;
static extk_monitor *monitor;
static struct use uses[8];
static pthread_t main_thread;
static bool at_end, frees_monitor;

/// Where callbacks and commands run: everything here must be on the thread that dispatches.
static void check_thread(void) {
  if (!pthread_equal(pthread_self(), main_thread)) abort();
}

static const char *describe(const extk_error *error) {
  static char text[4096];
  snprintf(
      text, sizeof text, "error %d %s%s%s%s%s", error->code, error->message, error->reason ? " reason " : "",
      error->reason ? error->reason : "", error->standard_error ? " said " : "",
      error->standard_error ? error->standard_error : "");
  for (char *place = text; (place = strchr(place, '\n'));) *place = '|';
  return text;
}

static const char *take(extk_error *error) {
  const char *text = error ? describe(error) : "ok";
  extk_error_free(error);
  return text;
}

static struct use *find(const char *name) {
  for (size_t index = 0; index < 8; index++)
    if (strcmp(uses[index].name, name) == 0) return &uses[index];
  return NULL;
}

static struct use *make(const char *name) {
  struct use *use = find("");
  if (!use) abort();
  snprintf(use->name, sizeof use->name, "%s", name);
  use->activation = NULL;
  use->socket = use->display = -1;
  return use;
}

static void drop(struct use *use) {
  extk_activation_free(use->activation);
  if (use->socket >= 0) close(use->socket);
  if (use->display >= 0) close(use->display);
  use->name[0] = 0;
}

// MARK: Callbacks

static const char *list(void) {
  static char text[4096];
  const extk_identity *identity;
  size_t used = 0;
  text[0] = 0;
  for (size_t index = 0; (identity = extk_monitor_identity(monitor, index)); index++)
    used += (size_t)snprintf(
        text + used, sizeof text - used, "%s%s %s", index ? ", " : "", identity->localized_name, identity->version);
  snprintf(
      text + used, sizeof text - used, "; disabled %zu unapproved %zu%s", extk_monitor_disabled_count(monitor),
      extk_monitor_unapproved_count(monitor), extk_monitor_is_current(monitor) ? "" : " old");
  return text;
}

static const char *or_none(const char *text) { return text ? text : "none"; }

/// What the first extension says of itself.
static const char *details(void) {
  static char text[4096];
  const extk_identity *identity = extk_monitor_identity(monitor, 0);
  if (!identity) return "no extension";
  snprintf(
      text, sizeof text, "%s; %s; %s; %s; %s", or_none(identity->localized_description), or_none(identity->developer),
      or_none(identity->license), or_none(identity->home_page), or_none(identity->icon));
  return text;
}

static void changed(extk_monitor *which, extk_change change, const extk_identity *identity, void *user_data) {
  static const char *names[] = {"", "removed", "updated", "added", "counts", "broker"};
  check_thread();
  if (which != monitor || user_data != &monitor) abort();
  printf("%s", names[change]);
  if (identity)
    printf(
        " %s %s %s of %s", identity->id, identity->localized_name, identity->version, identity->extension_point);
  printf(" now %s\n", list());
  if (!frees_monitor) return;
  extk_monitor_free(monitor);
  monitor = NULL;
}

static void ended(extk_activation *activation, const extk_end_reason *reason, void *user_data) {
  struct use *use = user_data;
  check_thread();
  if (activation != use->activation) abort();
  printf("ended %s %s status %d signal %d\n", use->name, reason->kind, reason->exit_status, reason->signal);
  // In the middle of its own callback.
  drop(use);
}

static void activated(extk_activation *activation, const extk_error *error, void *user_data) {
  struct use *use = user_data;
  check_thread();
  printf("activated %s %s\n", use->name, error ? describe(error) : "ok");
  use->activation = activation;
  if (activation) extk_activation_on_end(activation, ended, use);
  else drop(use);
}

static void connected(int descriptor, const extk_error *error, void *user_data) {
  struct use *use = user_data;
  check_thread();
  printf("connected %s %s\n", use->name, error ? describe(error) : "ok");
  use->socket = descriptor;
}

/// What came of a connection that is shown: its process, the scene, and how the extension's toolkit begins.
static const char *describe_shown(struct use *use, extk_shown *shown) {
  static char text[256];
  unsigned first[3] = {0};
  const char *display = "none";
  if (shown->display >= 0) {
    ssize_t got = recv(shown->display, first, sizeof first, MSG_WAITALL);
    display = got == sizeof first && first[0] == 1 && first[1] == (12 << 16 | 1) ? "asked" : "silent";
  }
  snprintf(
      text, sizeof text, "shown %s display %s token %s unmodified %d", shown->instance, display, shown->token,
      shown->is_unmodified);
  if (use->socket >= 0) close(use->socket);
  use->socket = shown->connection;
  shown->connection = -1;
  // The display as long as the use, so that the toolkit goes on.
  if (shown->display >= 0) use->display = shown->display;
  shown->display = -1;
  extk_shown_free(shown);
  return text;
}

static void was_shown(extk_shown *shown, const extk_error *error, void *user_data) {
  struct use *use = user_data;
  check_thread();
  printf("event-%s %s\n", use->name, error ? describe(error) : describe_shown(use, shown));
}

static void on_main(void *user_data) {
  printf("main %s %s\n", (char *)user_data, syscall(SYS_gettid) == getpid() ? "yes" : "no");
}

static void *from_another_thread(void *user_data) {
  extk_main_queue_add(on_main, user_data);
  return NULL;
}

// MARK: Commands

static const char *line(struct use *use, const char *text) {
  static char answer[256];
  size_t length = 0;
  ssize_t got = 0;
  dprintf(use->socket, "%s\n", text);
  while (length + 1 < sizeof answer && (got = read(use->socket, answer + length, 1)) == 1 && answer[length] != '\n')
    length++;
  answer[length] = 0;
  return got == 1 ? answer : "end";
}

static const char *run(char *command) {
  char *words[4] = {"", NULL, NULL, NULL};
  int count = 0;
  for (char *word = strtok(command, " "); word && count < 4; word = strtok(NULL, " ")) words[count++] = word;
  const char *verb = words[0];
  extk_error *error = NULL;
  if (strcmp(verb, "host") == 0) {
    extk_host *made = extk_host_new(words[1], &error);
    if (made && host) extk_host_free(made);
    else if (made) host = made;
    return take(error);
  }
  if (strcmp(verb, "monitor") == 0) {
    monitor = extk_monitor_new(host, words[1], changed, &monitor, &error);
    return monitor ? list() : take(error);
  }
  if (strcmp(verb, "list") == 0) return list();
  if (strcmp(verb, "details") == 0) return details();
  if (strcmp(verb, "unmonitor-with-the-next") == 0) {
    frees_monitor = true;
    return "ok";
  }
  if (strcmp(verb, "unmonitor") == 0) {
    extk_monitor_free(monitor);
    monitor = NULL;
    return "ok";
  }
  if (strcmp(verb, "activate") == 0) {
    struct use *use = make(words[1]);
    use->activation = extk_activate(host, words[2], words[3], EXTK_TIMEOUT_DEFAULT, &error);
    if (use->activation) extk_activation_on_end(use->activation, ended, use);
    else drop(use);
    return take(error);
  }
  if (strcmp(verb, "hurry") == 0) {
    extk_activation_free(extk_activate(host, words[1], NULL, 200, &error));
    return take(error);
  }
  if (strcmp(verb, "activate-later") == 0) {
    extk_activate_async(host, words[2], words[3], EXTK_TIMEOUT_DEFAULT, activated, make(words[1]));
    return "ok";
  }
  if (strcmp(verb, "main") == 0) {
    pthread_t thread;
    static char text[32];
    snprintf(text, sizeof text, "%s", words[1]);
    pthread_create(&thread, NULL, from_another_thread, text);
    pthread_join(thread, NULL);
    return "ok";
  }
  if (strcmp(verb, "version") == 0) return extk_version();
  struct use *use = words[1] ? find(words[1]) : NULL;
  if (!use) return "no such use";
  if (strcmp(verb, "connect") == 0) {
    if (use->socket >= 0) close(use->socket);
    use->socket = extk_connect(use->activation, EXTK_TIMEOUT_DEFAULT, &error);
    return take(error);
  }
  if (strcmp(verb, "connect-later") == 0) {
    extk_connect_async(use->activation, EXTK_TIMEOUT_DEFAULT, connected, use);
    return "ok";
  }
  if (strcmp(verb, "show") == 0) {
    extk_shown *shown = extk_connect_shown(use->activation, EXTK_TIMEOUT_DEFAULT, &error);
    return shown ? describe_shown(use, shown) : take(error);
  }
  if (strcmp(verb, "show-later") == 0) {
    extk_connect_shown_async(use->activation, EXTK_TIMEOUT_DEFAULT, was_shown, use);
    return "ok";
  }
  if (strcmp(verb, "show-and-drop") == 0) {
    extk_shown *shown = extk_connect_shown(use->activation, EXTK_TIMEOUT_DEFAULT, &error);
    extk_shown_free(shown);
    return take(error);
  }
  if (strcmp(verb, "line") == 0) return line(use, words[2]);
  if (strcmp(verb, "free") == 0) {
    drop(use);
    return "ok";
  }
  return "no such command";
}

static void read_commands(void) {
  static char buffer[4096];
  static size_t length;
  ssize_t got = read(0, buffer + length, sizeof buffer - length);
  if (got <= 0) {
    at_end = true;
    return;
  }
  length += (size_t)got;
  char *end;
  while ((end = memchr(buffer, '\n', length))) {
    *end = 0;
    char *space = strchr(buffer, ' ');
    if (!space) abort();
    *space = 0;
    printf("%s %s\n", buffer, run(space + 1));
    size_t used = (size_t)(end + 1 - buffer);
    memmove(buffer, end + 1, length -= used);
  }
}

// MARK: Loops

#ifdef GLIB
static GMainLoop *loop;

static gboolean on_main_queue(gint descriptor, GIOCondition condition, gpointer user_data) {
  (void)descriptor, (void)condition, (void)user_data;
  extk_main_queue_drain();
  return G_SOURCE_CONTINUE;
}

static gboolean on_host(gint descriptor, GIOCondition condition, gpointer user_data) {
  (void)descriptor, (void)condition, (void)user_data;
  extk_host_dispatch(host);
  return G_SOURCE_CONTINUE;
}

static gboolean on_input(gint descriptor, GIOCondition condition, gpointer user_data) {
  (void)descriptor, (void)condition, (void)user_data;
  bool had_host = host;
  read_commands();
  if (host && !had_host) g_unix_fd_add(extk_host_fd(host), G_IO_IN, on_host, NULL);
  if (at_end) g_main_loop_quit(loop);
  return G_SOURCE_CONTINUE;
}

static void serve(void) {
  loop = g_main_loop_new(NULL, FALSE);
  g_unix_fd_add(0, G_IO_IN | G_IO_HUP, on_input, NULL);
  g_unix_fd_add(extk_main_queue_fd(), G_IO_IN, on_main_queue, NULL);
  g_main_loop_run(loop);
  g_main_loop_unref(loop);
}
#else
static void serve(void) {
  while (!at_end) {
    struct pollfd watched[] = {
        {0, POLLIN, 0}, {extk_main_queue_fd(), POLLIN, 0}, {host ? extk_host_fd(host) : -1, POLLIN, 0}};
    if (poll(watched, 3, -1) < 0 && errno != EINTR) abort();
    if (watched[0].revents) read_commands();
    if (watched[1].revents) extk_main_queue_drain();
    if (watched[2].revents) extk_host_dispatch(host);
  }
}
#endif

int main(void) {
  main_thread = pthread_self();
  setvbuf(stdout, NULL, _IOLBF, 0);
  serve();
  for (size_t index = 0; index < 8; index++)
    if (uses[index].name[0]) drop(&uses[index]);
  extk_monitor_free(monitor);
  extk_host_free(host);
  return 0;
}
