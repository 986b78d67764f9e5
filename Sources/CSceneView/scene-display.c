#include "scene-view-private.h"
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

/// Counted: by its views, all of them together, and while something is dispatched.
struct ExtkDisplay {
  char *instance;
  extk_compositor *compositor;
  guint source;
  /// Not kept alive; each takes itself out.
  GPtrArray *views;
  char *keymap;
  GdkClipboard *clipboards[2];
  gulong handlers[2];
  /// The extension's own text is being put into the clipboard.
  gboolean is_copying;
};

/// By instance. Several views show scenes of one process.
static GHashTable *displays;

// MARK: Clipboards

static void clipboard_changed(GdkClipboard *clipboard, ExtkDisplay *self) {
  if (self->is_copying) return;
  GdkContentFormats *formats = gdk_clipboard_get_formats(clipboard);
  gboolean has_text = gdk_content_formats_contain_gtype(formats, G_TYPE_STRING)
    || gdk_content_formats_contain_mime_type(formats, "text/plain;charset=utf-8")
    || gdk_content_formats_contain_mime_type(formats, "text/plain");
  extk_compositor_offer(self->compositor, clipboard == self->clipboards[1], has_text);
}

static void copied(void *data, bool is_primary, const char *text) {
  ExtkDisplay *self = data;
  self->is_copying = TRUE;
  gdk_clipboard_set_text(self->clipboards[is_primary], text);
  self->is_copying = FALSE;
}

static void text_was_read(GObject *clipboard, GAsyncResult *result, gpointer wish) {
  char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(clipboard), result, NULL);
  extk_wish_grant(wish, text);
  g_free(text);
}

static void wanted(void *data, bool is_primary, extk_wish *wish) {
  ExtkDisplay *self = data;
  gdk_clipboard_read_text_async(self->clipboards[is_primary], NULL, text_was_read, wish);
}

// MARK: The connection

static void release(gpointer data);

/// No view is given it any more.
static void withdraw(ExtkDisplay *self) {
  if (g_hash_table_lookup(displays, self->instance) == self) g_hash_table_remove(displays, self->instance);
  g_clear_handle_id(&self->source, g_source_remove);
}

static void ended(void *data, const char *fault) {
  ExtkDisplay *self = g_rc_box_acquire(data);
  withdraw(self);
  GPtrArray *views = g_ptr_array_new_with_free_func(g_object_unref);
  for (guint index = 0; index < self->views->len; index++)
    g_ptr_array_add(views, g_object_ref(self->views->pdata[index]));
  // Each of them lets go of this, unless one before it has already done that for it.
  for (guint index = 0; index < views->len; index++)
    if (g_ptr_array_find(self->views, views->pdata[index], NULL)) extk_scene_view_ended(views->pdata[index], fault);
  g_ptr_array_unref(views);
  release(self);
}

static gboolean dispatch(gint descriptor, GIOCondition condition, gpointer data) {
  // A view may let go of it.
  ExtkDisplay *self = g_rc_box_acquire(data);
  extk_compositor_dispatch(self->compositor);
  for (guint index = 0; index < self->views->len; index++) extk_scene_view_turned(self->views->pdata[index]);
  gboolean goes_on = self->source != 0;
  release(self);
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void clear(gpointer data) {
  ExtkDisplay *self = data;
  for (int index = 0; index < 2; index++) g_signal_handler_disconnect(self->clipboards[index], self->handlers[index]);
  extk_compositor_free(self->compositor);
  g_ptr_array_unref(self->views);
  g_free(self->keymap);
  g_free(self->instance);
}

static void release(gpointer data) { g_rc_box_release_full(data, clear); }

static ExtkDisplay *display_new(int socket, const char *instance, gboolean unmodified, GError **error) {
  static const extk_compositor_events events = { .ended = ended, .copied = copied, .wanted = wanted };
  ExtkDisplay *self = g_rc_box_new0(ExtkDisplay);
  int failure = 0;
  self->compositor = extk_compositor_new(socket, unmodified, &events, self, &failure);
  if (!self->compositor) {
    g_set_error(error, EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_FAILED, "the scene cannot be shown: %s", g_strerror(failure));
    g_rc_box_release(self);
    return NULL;
  }
  self->instance = g_strdup(instance);
  self->views = g_ptr_array_new();
  self->source = g_unix_fd_add(extk_compositor_descriptor(self->compositor), G_IO_IN, dispatch, self);
  GdkDisplay *gdk = gdk_display_get_default();
  self->clipboards[0] = gdk_display_get_clipboard(gdk);
  self->clipboards[1] = gdk_display_get_primary_clipboard(gdk);
  for (int index = 0; index < 2; index++) {
    self->handlers[index] =
      g_signal_connect(self->clipboards[index], "changed", G_CALLBACK(clipboard_changed), self);
    clipboard_changed(self->clipboards[index], self);
  }
  extk_display_update_keymap(self, NULL);
  return self;
}

ExtkDisplay *extk_display_get(int socket, const char *instance, gboolean unmodified, GError **error) {
  if (!displays) displays = g_hash_table_new(g_str_hash, g_str_equal);
  ExtkDisplay *self = g_hash_table_lookup(displays, instance);
  if (self) {
    // The one that it has is as good.
    if (socket >= 0) close(socket);
    return self;
  }
  if (socket < 0) {
    g_set_error(
      error, EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_UNKNOWN_DISPLAY,
      "no view has the display of the extension's process %s; end all its scenes, and begin anew", instance);
    return NULL;
  }
  self = display_new(socket, instance, unmodified, error);
  if (self) g_hash_table_insert(displays, self->instance, self);
  return self;
}

extk_compositor *extk_display_compositor(ExtkDisplay *self) { return self->compositor; }

void extk_display_add(ExtkDisplay *self, ExtkSceneView *view) { g_ptr_array_add(self->views, view); }

void extk_display_remove(ExtkDisplay *self, ExtkSceneView *view) {
  g_ptr_array_remove(self->views, view);
  if (self->views->len > 0) return;
  withdraw(self);
  release(self);
}

void extk_display_update_keymap(ExtkDisplay *self, GtkWidget *widget) {
  char *keymap = extk_keymap_of(widget ? gtk_widget_get_display(widget) : gdk_display_get_default());
  if (keymap && g_strcmp0(keymap, self->keymap) != 0) {
    extk_compositor_set_keymap(self->compositor, keymap);
    g_free(self->keymap);
    self->keymap = g_steal_pointer(&keymap);
  }
  g_free(keymap);
}
