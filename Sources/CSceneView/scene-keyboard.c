#include "scene-view-private.h"
#include <stdlib.h>
#include <string.h>

struct ExtkKeyboard {
  ExtkCanvas *canvas;
  GtkEventController *keys;
  GtkIMContext *method;
  void (*focused)(ExtkSceneView *view);
  gboolean has_focus;
  /// An entry of the scene takes text.
  gboolean takes_text;
  /// By X11's number: the extension was told that they are down. GTK tells of a held key again and again, Wayland does not.
  guint8 held[256];
  /// A key is being shown to the input method; what it enters meanwhile.
  gboolean is_filtering;
  char *entered;
  gboolean is_composing;
  guint32 modifiers[3];
};

static extk_scene *scene_of(ExtkKeyboard *self) {
  ExtkSceneView *view = extk_canvas_view(self->canvas);
  return view ? extk_scene_view_scene(view) : NULL;
}

// MARK: Input methods

static void commit(GtkIMContext *method, const char *text, ExtkKeyboard *self) {
  if (self->is_filtering) {
    char *all = g_strconcat(self->entered ? self->entered : "", text, NULL);
    g_free(self->entered);
    self->entered = all;
    return;
  }
  extk_scene *scene = scene_of(self);
  if (scene) extk_scene_enter_text(scene, text, NULL, 0, 0, 0);
}

static void preedit_changed(GtkIMContext *method, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  char *text = NULL;
  int cursor = 0;
  gtk_im_context_get_preedit_string(method, &text, NULL, &cursor);
  gboolean had = self->is_composing;
  self->is_composing = text && *text;
  if (scene && (had || self->is_composing)) {
    // GTK counts characters, Wayland bytes.
    int bytes = (int)(g_utf8_offset_to_pointer(text, MIN(cursor, g_utf8_strlen(text, -1))) - text);
    extk_scene_enter_text(scene, NULL, self->is_composing ? text : NULL, bytes, 0, 0);
  }
  g_free(text);
}

static gboolean retrieve_surrounding(GtkIMContext *method, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  char *text = NULL;
  int cursor = 0, anchor = 0;
  if (!scene || !extk_scene_text_input(scene, NULL, &text, &cursor, &anchor) || !text) return FALSE;
  gtk_im_context_set_surrounding_with_selection(method, text, -1, cursor, anchor);
  free(text);
  return TRUE;
}

static gboolean delete_surrounding(GtkIMContext *method, int offset, int count, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  char *text = NULL;
  int cursor = 0;
  if (!scene || !extk_scene_text_input(scene, NULL, &text, &cursor, NULL) || !text) return FALSE;
  // Wayland deletes around the cursor only.
  glong length = g_utf8_strlen(text, -1), at = g_utf8_pointer_to_offset(text, text + cursor);
  glong from = CLAMP(at + offset, 0, at), to = CLAMP(at + offset + count, at, length);
  int before = (int)(text + cursor - g_utf8_offset_to_pointer(text, from));
  int after = (int)(g_utf8_offset_to_pointer(text, to) - (text + cursor));
  extk_scene_enter_text(scene, NULL, NULL, 0, before, after);
  free(text);
  return TRUE;
}

void extk_keyboard_text_input_changed(ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  extk_rectangle cursor = { 0 };
  gboolean takes_text = scene && self->has_focus && extk_scene_text_input(scene, &cursor, NULL, NULL, NULL);
  if (takes_text)
    gtk_im_context_set_cursor_location(
      self->method, &(GdkRectangle){ cursor.x, cursor.y, MAX(1, cursor.width), MAX(1, cursor.height) });
  if (takes_text == self->takes_text) return;
  self->takes_text = takes_text;
  if (takes_text) {
    gtk_im_context_focus_in(self->method);
  } else {
    gtk_im_context_reset(self->method);
    gtk_im_context_focus_out(self->method);
    self->is_composing = FALSE;
  }
}

/// Whether the input method had the key. One that only makes its own character is the extension's: it may be a shortcut there.
static gboolean filter(ExtkKeyboard *self, guint value) {
  GdkEvent *event = gtk_event_controller_get_current_event(self->keys);
  if (!self->takes_text || !event) return FALSE;
  gboolean was_composing = self->is_composing;
  self->is_filtering = TRUE;
  gboolean is_done = gtk_im_context_filter_keypress(self->method, event);
  self->is_filtering = FALSE;
  char *entered = g_steal_pointer(&self->entered);
  if (entered) {
    char own[8] = "";
    gunichar character = gdk_keyval_to_unicode(value);
    if (character) own[g_unichar_to_utf8(character, own)] = 0;
    extk_scene *scene = scene_of(self);
    if (is_done && !was_composing && strcmp(entered, own) == 0) {
      is_done = FALSE;
    } else if (scene) {
      extk_scene_enter_text(scene, entered, NULL, 0, 0, 0);
    }
    g_free(entered);
  }
  return is_done;
}

// MARK: Keys

/// GTK's bits and XKB's are the same for these.
static void send_modifiers(ExtkKeyboard *self, GdkModifierType state, guint layout) {
  extk_scene *scene = scene_of(self);
  GdkDevice *device = gtk_event_controller_get_current_event_device(self->keys);
  guint32 locked = 0;
  if (device && gdk_device_get_source(device) == GDK_SOURCE_KEYBOARD)
    locked = (gdk_device_get_caps_lock_state(device) ? 1 << 1 : 0) | (gdk_device_get_num_lock_state(device) ? 1 << 4 : 0);
  else if (state & GDK_LOCK_MASK)
    locked = 1 << 1;
  guint32 new[3] = { state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK | GDK_ALT_MASK), locked, layout };
  if (!scene || memcmp(new, self->modifiers, sizeof new) == 0) return;
  memcpy(self->modifiers, new, sizeof new);
  extk_scene_modifiers(scene, new[0], 0, new[1], new[2]);
}

void extk_keyboard_leave(ExtkKeyboard *self, gboolean is_backward) {
  GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self->canvas));
  if (root) gtk_widget_child_focus(GTK_WIDGET(root), is_backward ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
}

static gboolean pressed(
  GtkEventController *keys, guint value, guint code, GdkModifierType state, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  GdkEvent *event = gtk_event_controller_get_current_event(keys);
  if (!scene || !event) return FALSE;
  if (value == GDK_KEY_F6 && !(state & (GDK_CONTROL_MASK | GDK_ALT_MASK))) {
    extk_keyboard_leave(self, (state & GDK_SHIFT_MASK) != 0);
    return TRUE;
  }
  if (filter(self, value)) return TRUE;
  if (code < 8 || code > 255 || self->held[code]) return TRUE;
  // Keys that are held while a menu is opened are not known here: the event knows.
  send_modifiers(self, state, gdk_key_event_get_layout(event));
  self->held[code] = TRUE;
  extk_scene_key(scene, code - 8, true, gdk_event_get_time(event));
  return TRUE;
}

static void released(
  GtkEventController *keys, guint value, guint code, GdkModifierType state, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  if (code > 255 || !self->held[code]) {
    filter(self, value);
    return;
  }
  self->held[code] = FALSE;
  if (scene) extk_scene_key(scene, code - 8, false, gtk_event_controller_get_current_event_time(keys));
}

static void focus_came(GtkEventController *controller, ExtkKeyboard *self) {
  ExtkSceneView *view = extk_canvas_view(self->canvas);
  self->has_focus = TRUE;
  memset(self->held, 0, sizeof self->held);
  memset(self->modifiers, 0xff, sizeof self->modifiers);
  if (view) self->focused(view);
  extk_scene *scene = scene_of(self);
  if (scene) extk_scene_set_keyboard(scene, true);
  extk_keyboard_text_input_changed(self);
}

static void focus_went(GtkEventController *controller, ExtkKeyboard *self) {
  extk_scene *scene = scene_of(self);
  self->has_focus = FALSE;
  if (scene) {
    extk_scene_dismiss_overlays(scene);
    extk_scene_set_keyboard(scene, false);
    // They are let go of where nobody tells: nothing is held when the keyboard comes back.
    for (guint code = 8; code < G_N_ELEMENTS(self->held); code++)
      if (self->held[code]) extk_scene_key(scene, code - 8, false, gtk_event_controller_get_current_event_time(controller));
  }
  memset(self->held, 0, sizeof self->held);
  extk_keyboard_text_input_changed(self);
}

ExtkKeyboard *extk_keyboard_new(ExtkCanvas *canvas, void (*focused)(ExtkSceneView *view)) {
  ExtkKeyboard *self = g_new0(ExtkKeyboard, 1);
  self->canvas = canvas;
  self->focused = focused;
  self->keys = gtk_event_controller_key_new();
  g_signal_connect(self->keys, "key-pressed", G_CALLBACK(pressed), self);
  g_signal_connect(self->keys, "key-released", G_CALLBACK(released), self);
  gtk_widget_add_controller(GTK_WIDGET(canvas), self->keys);
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect(focus, "enter", G_CALLBACK(focus_came), self);
  g_signal_connect(focus, "leave", G_CALLBACK(focus_went), self);
  gtk_widget_add_controller(GTK_WIDGET(canvas), focus);
  self->method = gtk_im_multicontext_new();
  gtk_im_context_set_client_widget(self->method, GTK_WIDGET(canvas));
  gtk_im_context_set_use_preedit(self->method, TRUE);
  g_signal_connect(self->method, "commit", G_CALLBACK(commit), self);
  g_signal_connect(self->method, "preedit-changed", G_CALLBACK(preedit_changed), self);
  g_signal_connect(self->method, "retrieve-surrounding", G_CALLBACK(retrieve_surrounding), self);
  g_signal_connect(self->method, "delete-surrounding", G_CALLBACK(delete_surrounding), self);
  gtk_widget_set_focusable(GTK_WIDGET(canvas), TRUE);
  return self;
}

void extk_keyboard_free(ExtkKeyboard *self) {
  gtk_im_context_set_client_widget(self->method, NULL);
  g_signal_handlers_disconnect_by_data(self->method, self);
  g_object_unref(self->method);
  GListModel *controllers = gtk_widget_observe_controllers(GTK_WIDGET(self->canvas));
  for (guint index = 0; index < g_list_model_get_n_items(controllers); index++) {
    GObject *controller = g_list_model_get_item(controllers, index);
    g_signal_handlers_disconnect_by_data(controller, self);
    g_object_unref(controller);
  }
  g_object_unref(controllers);
  g_free(self->entered);
  g_free(self);
}
