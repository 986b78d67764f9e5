#include "scene-view-parts.h"
#include <stdlib.h>
#include <unistd.h>

enum { CLOSE_INTERVAL = 200, CLOSE_ATTEMPTS = 25 };
/// No extension makes its host's window larger than screens are.
enum { MOST_PIXELS = 4096 };

G_DEFINE_QUARK(extk-scene-error, extk_scene_error)
G_DEFINE_FINAL_TYPE(ExtkSceneView, extk_scene_view, GTK_TYPE_WIDGET)

enum { DID_ACTIVATE, WILL_DEACTIVATE, ATTENTION, SIGNALS };
static guint signals[SIGNALS];

extk_scene *extk_scene_view_scene(ExtkSceneView *self) { return self->scene; }

// MARK: The scene

static void set_shown(ExtkSceneView *self, gboolean is_shown) {
  if (self->is_shown == is_shown) return;
  self->is_shown = is_shown;
  gtk_widget_set_child_visible(self->canvas, is_shown);
  if (self->placeholder) gtk_widget_set_child_visible(self->placeholder, !is_shown);
  gtk_widget_queue_resize(GTK_WIDGET(self));
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[SHOWN]);
  // Whoever was told may have let go of the scene.
  if (is_shown && self->is_shown && !self->was_shown) {
    self->was_shown = TRUE;
    g_signal_emit(self, signals[DID_ACTIVATE], 0);
  }
}

static void set_responsive(ExtkSceneView *self, gboolean is_responsive) {
  if (self->is_unresponsive == !is_responsive) return;
  self->is_unresponsive = !is_responsive;
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[RESPONSIVE]);
}

static void update_title(ExtkSceneView *self) {
  g_clear_pointer(&self->title, g_free);
  if (self->scene) {
    char *title = extk_scene_title(self->scene);
    self->title = g_strdup(title);
    free(title);
  }
  gtk_accessible_update_property(
    GTK_ACCESSIBLE(self->canvas), GTK_ACCESSIBLE_PROPERTY_LABEL, self->title ? self->title : "", -1);
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[TITLE]);
}

static void update_preferred_size(ExtkSceneView *self) {
  int width, height;
  extk_scene_preferred_size(self->scene, &width, &height);
  width = MIN(width, MOST_PIXELS);
  height = MIN(height, MOST_PIXELS);
  // Once it was told a size, it says its least alone.
  self->natural_width = self->is_sized ? MAX(self->natural_width, width) : width;
  self->natural_height = self->is_sized ? MAX(self->natural_height, height) : height;
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

static void end_by_extension(ExtkSceneView *self);

static void handle(ExtkSceneView *self, extk_scene_event event) {
  switch (event) {
    case EXTK_SCENE_SHOWN:
      extk_canvas_changed(EXTK_CANVAS(self->canvas));
      // It had one before it was this scene's window.
      update_title(self);
      set_shown(self, TRUE);
      return;
    case EXTK_SCENE_HIDDEN:
      extk_popovers_update(self->popovers);
      set_responsive(self, TRUE);
      return set_shown(self, FALSE);
    case EXTK_SCENE_CHANGED: return extk_canvas_changed(EXTK_CANVAS(self->canvas));
    case EXTK_SCENE_OVERLAYS_CHANGED:
      // Dialogs are layers of the window.
      extk_canvas_changed(EXTK_CANVAS(self->canvas));
      return extk_popovers_update(self->popovers);
    case EXTK_SCENE_TITLE_CHANGED: return update_title(self);
    case EXTK_SCENE_PREFERRED_SIZE_CHANGED: return update_preferred_size(self);
    case EXTK_SCENE_TEXT_INPUT_CHANGED: return extk_keyboard_text_input_changed(self->keyboard);
    case EXTK_SCENE_WANTS_ATTENTION: g_signal_emit(self, signals[ATTENTION], 0); return;
    case EXTK_SCENE_UNRESPONSIVE: return set_responsive(self, FALSE);
    case EXTK_SCENE_RESPONSIVE: return set_responsive(self, TRUE);
    case EXTK_SCENE_CURSOR_CHANGED: return extk_scene_view_update_cursor(self);
    case EXTK_SCENE_FOCUS_LEAVES_FORWARD: return extk_keyboard_leave(self->keyboard, FALSE);
    case EXTK_SCENE_FOCUS_LEAVES_BACKWARD: return extk_keyboard_leave(self->keyboard, TRUE);
    case EXTK_SCENE_ENDED: return end_by_extension(self);
  }
}

static void take(void *data, extk_scene_event event) {
  // Whoever is told may give the view up.
  ExtkSceneView *self = g_object_ref(data);
  handle(self, event);
  g_object_unref(self);
}

static gboolean frame(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(widget);
  self->tick = 0;
  if (self->scene && gtk_widget_get_mapped(widget)) extk_scene_frame_shown(self->scene, (guint32)(gdk_frame_clock_get_frame_time(clock) / 1000));
  return G_SOURCE_REMOVE;
}

void extk_scene_view_turned(ExtkSceneView *self) {
  // Who is not seen does not draw.
  if (self->tick || !self->scene || !gtk_widget_get_mapped(GTK_WIDGET(self))) return;
  if (!extk_scene_waits_for_frame(self->scene)) return;
  self->tick = gtk_widget_add_tick_callback(GTK_WIDGET(self), frame, NULL, NULL);
}

/// Lets go of the scene. Its end is told before, so that the listener may show another one.
static void end(ExtkSceneView *self, const GError *reason) {
  if (!self->display) return;
  // Who is told of what has changed may show another scene, or give the view up.
  g_object_ref(self);
  g_object_freeze_notify(G_OBJECT(self));
  ExtkDisplay *display = g_steal_pointer(&self->display);
  extk_scene *scene = g_steal_pointer(&self->scene);
  gboolean was_shown = self->was_shown;
  g_clear_handle_id(&self->closing, g_source_remove);
  if (self->tick) gtk_widget_remove_tick_callback(GTK_WIDGET(self), self->tick);
  self->tick = 0;
  self->was_shown = FALSE;
  self->is_sized = FALSE;
  extk_scene_free(scene);
  extk_display_remove(display, self);
  extk_popovers_update(self->popovers);
  extk_keyboard_text_input_changed(self->keyboard);
  extk_canvas_clear(EXTK_CANVAS(self->canvas));
  gtk_widget_set_cursor(GTK_WIDGET(self), NULL);
  set_responsive(self, TRUE);
  set_shown(self, FALSE);
  update_title(self);
  g_object_thaw_notify(G_OBJECT(self));
  if (was_shown || reason) g_signal_emit(self, signals[WILL_DEACTIVATE], 0, reason);
  g_object_unref(self);
}

void extk_scene_view_ended(ExtkSceneView *self, const char *fault) {
  GError *error = fault
    ? g_error_new(EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_MISBEHAVED, "the extension was disconnected: %s", fault)
    : g_error_new(EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_CLOSED, "the extension has gone");
  end(self, self->closing ? NULL : error);
  g_error_free(error);
}

static void end_by_extension(ExtkSceneView *self) {
  if (self->closing) return end(self, NULL);
  GError *error = g_error_new(EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_CLOSED, "the extension has ended the scene");
  end(self, error);
  g_error_free(error);
}

static void focused(ExtkSceneView *self) {
  if (self->display) extk_display_update_keymap(self->display, GTK_WIDGET(self));
}

gboolean extk_scene_view_show_scene(
  ExtkSceneView *self, int display, const char *instance, const char *token, GError **error) {
  g_return_val_if_fail(EXTK_IS_SCENE_VIEW(self) && instance, FALSE);
  end(self, NULL);
  if (self->is_disposed || self->display) {
    if (display >= 0) close(display);
    g_set_error(
      error, EXTK_SCENE_ERROR, EXTK_SCENE_ERROR_FAILED, "the view %s",
      self->is_disposed ? "is gone" : "was given another scene meanwhile");
    return FALSE;
  }
  self->display = extk_display_get(display, instance, !token, error);
  if (!self->display) return FALSE;
  extk_display_add(self->display, self);
  g_object_ref(self);
  g_object_freeze_notify(G_OBJECT(self));
  extk_compositor *compositor = extk_display_compositor(self->display);
  int width = gtk_widget_get_width(GTK_WIDGET(self)), height = gtk_widget_get_height(GTK_WIDGET(self));
  self->is_sized = !self->fits && width > 1 && height > 1;
  self->natural_width = self->natural_height = 0;
  extk_compositor_set_scale(compositor, gtk_widget_get_scale_factor(GTK_WIDGET(self)));
  self->scene =
    extk_scene_new(compositor, token, self->is_sized ? width : 0, self->is_sized ? height : 0, take, self);
  extk_scene_set_tint(self->scene, self->tint);
  update_title(self);
  if (gtk_widget_has_focus(self->canvas)) extk_scene_set_keyboard(self->scene, true);
  extk_scene_view_turned(self);
  if (extk_scene_is_shown(self->scene)) take(self, EXTK_SCENE_SHOWN);
  g_object_thaw_notify(G_OBJECT(self));
  g_object_unref(self);
  return TRUE;
}

static gboolean close_again(gpointer data) {
  ExtkSceneView *self = data;
  if (self->scene && self->is_shown && self->attempts++ < CLOSE_ATTEMPTS) {
    extk_scene_end(self->scene);
    if (self->closing) return G_SOURCE_CONTINUE;
  }
  self->closing = 0;
  end(self, NULL);
  return G_SOURCE_REMOVE;
}

void extk_scene_view_close_scene(ExtkSceneView *self) {
  g_return_if_fail(EXTK_IS_SCENE_VIEW(self));
  if (!self->scene || self->closing) return;
  self->attempts = 0;
  self->closing = g_timeout_add(CLOSE_INTERVAL, close_again, self);
  extk_scene_end(self->scene);
}

void extk_scene_view_clear(ExtkSceneView *self) {
  g_return_if_fail(EXTK_IS_SCENE_VIEW(self));
  end(self, NULL);
}

// MARK: The widget

static void extk_scene_view_measure(
  GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
  int *natural_baseline) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(widget);
  gboolean is_horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (self->is_shown) {
    *natural = is_horizontal ? self->natural_width : self->natural_height;
    if (self->fits) *minimum = *natural;
  } else if (self->placeholder) {
    gtk_widget_measure(self->placeholder, orientation, for_size, minimum, natural, NULL, NULL);
  }
}

static void extk_scene_view_size_allocate(GtkWidget *widget, int width, int height, int baseline) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(widget);
  gtk_widget_allocate(self->canvas, width, height, -1, NULL);
  if (self->placeholder) {
    int minimum_width, minimum_height;
    gtk_widget_measure(self->placeholder, GTK_ORIENTATION_HORIZONTAL, -1, &minimum_width, NULL, NULL, NULL);
    gtk_widget_measure(self->placeholder, GTK_ORIENTATION_VERTICAL, -1, &minimum_height, NULL, NULL, NULL);
    gtk_widget_allocate(self->placeholder, MAX(width, minimum_width), MAX(height, minimum_height), -1, NULL);
  }
  // A scene that is to choose its size has not been asked yet.
  if (self->scene && (self->is_shown || !self->fits)) {
    self->is_sized = TRUE;
    extk_scene_resize(self->scene, width, height);
    // Popups are windows of their own: the screen holds them, and GTK keeps them on it.
    extk_scene_set_room(self->scene, (extk_rectangle){ -4096, -4096, width + 8192, height + 8192 });
  }
  extk_popovers_present(self->popovers);
}

static void extk_scene_view_map(GtkWidget *widget) {
  GTK_WIDGET_CLASS(extk_scene_view_parent_class)->map(widget);
  extk_scene_view_turned(EXTK_SCENE_VIEW(widget));
}

static void extk_scene_view_unmap(GtkWidget *widget) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(widget);
  if (self->scene) {
    extk_scene_dismiss_overlays(self->scene);
    extk_scene_pointer_left(self->scene);
  }
  GTK_WIDGET_CLASS(extk_scene_view_parent_class)->unmap(widget);
}

static gboolean extk_scene_view_grab_focus(GtkWidget *widget) {
  GtkWidget *canvas = EXTK_SCENE_VIEW(widget)->canvas;
  return canvas && gtk_widget_grab_focus(canvas);
}

/// The view itself is no place for the keyboard: GTK's own way would stop at it.
static gboolean extk_scene_view_focus(GtkWidget *widget, GtkDirectionType direction) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(widget);
  GtkWidget *child = self->is_shown ? self->canvas : self->placeholder;
  return child && gtk_widget_child_focus(child, direction);
}

static void scale_changed(ExtkSceneView *self) {
  if (self->display)
    extk_compositor_set_scale(
      extk_display_compositor(self->display), gtk_widget_get_scale_factor(GTK_WIDGET(self)));
}

static void extk_scene_view_dispose(GObject *object) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(object);
  self->is_disposed = TRUE;
  end(self, NULL);
  g_clear_pointer(&self->popovers, extk_popovers_free);
  g_clear_pointer(&self->keyboard, extk_keyboard_free);
  if (self->canvas) extk_canvas_forget(EXTK_CANVAS(self->canvas));
  g_clear_pointer(&self->canvas, gtk_widget_unparent);
  g_clear_pointer(&self->placeholder, gtk_widget_unparent);
  g_clear_pointer(&self->title, g_free);
  G_OBJECT_CLASS(extk_scene_view_parent_class)->dispose(object);
}

static void extk_scene_view_class_init(ExtkSceneViewClass *class) {
  GObjectClass *object = G_OBJECT_CLASS(class);
  object->dispose = extk_scene_view_dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->measure = extk_scene_view_measure;
  widget->size_allocate = extk_scene_view_size_allocate;
  widget->map = extk_scene_view_map;
  widget->unmap = extk_scene_view_unmap;
  widget->grab_focus = extk_scene_view_grab_focus;
  widget->focus = extk_scene_view_focus;
  gtk_widget_class_set_css_name(widget, "sceneview");
  extk_scene_view_install_properties(object);
  /**
   * ExtkSceneView::did-activate:
   * @self: the view
   *
   * The scene is seen for the first time.
   */
  signals[DID_ACTIVATE] = g_signal_new(
    "did-activate", EXTK_TYPE_SCENE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * ExtkSceneView::will-deactivate:
   * @self: the view
   * @error: (nullable): why; %NULL where the host wanted it
   *
   * There is no scene any more. The handler may show another one.
   */
  signals[WILL_DEACTIVATE] = g_signal_new(
    "will-deactivate", EXTK_TYPE_SCENE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_ERROR);
  /**
   * ExtkSceneView::attention:
   * @self: the view
   *
   * The scene would like to be brought to the front.
   */
  signals[ATTENTION] = g_signal_new(
    "attention", EXTK_TYPE_SCENE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void extk_scene_view_init(ExtkSceneView *self) {
  self->tint = -1;
  self->popovers = extk_popovers_new(self);
  self->canvas = extk_canvas_new(self, 0);
  self->keyboard = extk_keyboard_new(EXTK_CANVAS(self->canvas), focused);
  gtk_widget_set_parent(self->canvas, GTK_WIDGET(self));
  gtk_widget_set_child_visible(self->canvas, FALSE);
  gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect(self, "notify::scale-factor", G_CALLBACK(scale_changed), NULL);
}

GtkWidget *extk_scene_view_new(void) { return g_object_new(EXTK_TYPE_SCENE_VIEW, NULL); }
