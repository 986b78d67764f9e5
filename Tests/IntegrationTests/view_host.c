// view_host: a GTK 4 host in C that shows what programs draw, for test_gtk_view.py. It does what it is told on its standard
// input, an order a line, and says what happens to its view.
#include <extensionkit-gtk4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char **program;  // What is shown.
static int instances;
static GtkWidget *window, *other, *box, *view;
static GMainLoop *loop;
static gboolean comes_again, clears_itself, goes_itself;

static void say(const char *text) {
  puts(text);
  fflush(stdout);
}

/// Starts the program, with the other end of a connection.
static int start(void) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0) exit(1);
  GSubprocessLauncher *launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_NONE);
  g_subprocess_launcher_take_fd(launcher, sockets[1], 3);
  g_subprocess_launcher_setenv(launcher, "WAYLAND_SOCKET", "3", TRUE);
  g_subprocess_launcher_setenv(launcher, "GDK_BACKEND", "wayland", TRUE);
  GSubprocess *process = g_subprocess_launcher_spawnv(launcher, (const char *const *)program, NULL);
  if (!process) exit(1);
  g_object_unref(process);
  g_object_unref(launcher);
  return sockets[0];
}

static void show(ExtkSceneView *self) {
  GError *error = NULL;
  char *instance = g_strdup_printf("instance-%d", ++instances);
  if (!extk_scene_view_show_scene(self, start(), instance, NULL, &error)) {
    printf("refused: %s\n", error->message);
    fflush(stdout);
    g_clear_error(&error);
  }
  g_free(instance);
}

static void activated(ExtkSceneView *self) { say("did activate"); }

static void take_away(void) {
  if (!view) return;
  GtkWidget *old = g_steal_pointer(&view);
  gtk_box_remove(GTK_BOX(box), old);
}

static void deactivated(ExtkSceneView *self, const GError *error) {
  printf("will deactivate: %s\n", error ? error->message : "as the host wants it");
  fflush(stdout);
  if (goes_itself) take_away();
  if (comes_again) show(self);
}

static void noticed(ExtkSceneView *self) {
  if (clears_itself) extk_scene_view_clear(self);
  if (goes_itself) take_away();
}

static void make_view(void) {
  goes_itself = clears_itself = comes_again = FALSE;
  view = extk_scene_view_new();
  gtk_widget_set_vexpand(view, TRUE);
  extk_scene_view_set_placeholder(EXTK_SCENE_VIEW(view), gtk_label_new(NULL));
  g_signal_connect(view, "did-activate", G_CALLBACK(activated), NULL);
  g_signal_connect(view, "will-deactivate", G_CALLBACK(deactivated), NULL);
  g_signal_connect(view, "notify", G_CALLBACK(noticed), NULL);
  gtk_box_append(GTK_BOX(box), view);
}

static void obey(const char *word) {
  ExtkSceneView *scene = EXTK_SCENE_VIEW(view);
  if (g_str_has_prefix(word, "program ")) {
    g_strfreev(program);
    program = g_strsplit(word + strlen("program "), " ", -1);
  } else if (!strcmp(word, "show")) show(scene);
  else if (!strcmp(word, "clear")) extk_scene_view_clear(scene);
  else if (!strcmp(word, "close")) extk_scene_view_close_scene(scene);
  else if (!strcmp(word, "hide")) gtk_widget_set_visible(view, FALSE);
  else if (!strcmp(word, "unhide")) gtk_widget_set_visible(view, TRUE);
  else if (!strcmp(word, "focus")) gtk_widget_grab_focus(view);
  else if (!strcmp(word, "fits")) extk_scene_view_set_fits(scene, TRUE);
  else if (!strcmp(word, "again")) comes_again = TRUE;
  else if (!strcmp(word, "clears")) clears_itself = TRUE;
  else if (!strcmp(word, "goes")) goes_itself = TRUE;
  else if (!strcmp(word, "remove")) take_away();
  else if (!strcmp(word, "new")) make_view();
  else if (!strcmp(word, "dispose")) {
    // Nothing is left of it but a name.
    g_object_ref(view);
    gtk_box_remove(GTK_BOX(box), view);
    g_object_run_dispose(G_OBJECT(view));
    show(scene);
    extk_scene_view_set_tint(scene, 1);
    g_object_unref(g_steal_pointer(&view));
  } else if (!strcmp(word, "move")) {
    // Into another window, and back.
    g_object_ref(view);
    gtk_box_remove(GTK_BOX(box), view);
    other = gtk_window_new();
    gtk_window_set_child(GTK_WINDOW(other), view);
    g_object_unref(view);
    gtk_window_present(GTK_WINDOW(other));
  } else if (!strcmp(word, "back")) {
    g_object_ref(view);
    gtk_window_set_child(GTK_WINDOW(other), NULL);
    gtk_box_append(GTK_BOX(box), view);
    g_object_unref(view);
    gtk_window_destroy(GTK_WINDOW(g_steal_pointer(&other)));
  } else if (!strcmp(word, "end")) {
    g_main_loop_quit(loop);
  }
  printf("%s: done\n", word);
  fflush(stdout);
}

static gboolean heard(GIOChannel *channel, GIOCondition condition, gpointer data) {
  char *line = NULL;
  gsize end = 0;
  if (g_io_channel_read_line(channel, &line, NULL, &end, NULL) != G_IO_STATUS_NORMAL) {
    g_main_loop_quit(loop);
    return G_SOURCE_REMOVE;
  }
  line[end] = 0;
  obey(line);
  g_free(line);
  return G_SOURCE_CONTINUE;
}

int main(void) {
  gtk_init();
  // A fault that GTK notices is the end.
  g_log_set_always_fatal(G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR);
  loop = g_main_loop_new(NULL, FALSE);
  box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  make_view();
  window = gtk_window_new();
  gtk_window_set_title(GTK_WINDOW(window), "Host");
  gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
  gtk_window_set_default_size(GTK_WINDOW(window), 400, 300);
  gtk_window_set_child(GTK_WINDOW(window), box);
  gtk_window_present(GTK_WINDOW(window));
  GIOChannel *orders = g_io_channel_unix_new(0);
  g_io_add_watch(orders, G_IO_IN | G_IO_HUP, heard, NULL);
  say("ready");
  g_main_loop_run(loop);
  gtk_window_destroy(GTK_WINDOW(window));
  while (g_main_context_iteration(NULL, FALSE)) {}
  g_strfreev(program);
  say("ended");
  return 0;
}
