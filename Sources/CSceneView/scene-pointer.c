#include "scene-view-private.h"

/// A wheel's step in the scene's pixels, as Weston has it.
enum { STEP = 10 };

static extk_scene *scene_of(ExtkCanvas *canvas) {
  ExtkSceneView *view = extk_canvas_view(canvas);
  return view ? extk_scene_view_scene(view) : NULL;
}

/// Where it happened, in the scene. GTK says it of the window.
static gboolean find_place(ExtkCanvas *canvas, GdkEvent *event, double *x, double *y) {
  GtkWidget *widget = GTK_WIDGET(canvas);
  GtkNative *native = gtk_widget_get_native(widget);
  double left, top, surface_x, surface_y;
  if (!native || !gdk_event_get_position(event, &surface_x, &surface_y)) return FALSE;
  gtk_native_get_surface_transform(native, &left, &top);
  if (!gtk_widget_translate_coordinates(GTK_WIDGET(native), widget, surface_x - left, surface_y - top, x, y))
    return FALSE;
  extk_rectangle place = extk_canvas_place(canvas);
  *x += place.x;
  *y += place.y;
  return TRUE;
}

/// X11's numbers, which GTK has, as the kernel's (linux/input-event-codes.h).
static guint32 kernel_button(guint button) {
  switch (button) {
    case 1: return 0x110;
    case 2: return 0x112;
    case 3: return 0x111;
    default: return 0x110 + button - 5;
  }
}

static void scroll(extk_scene *scene, GdkEvent *event, guint32 time) {
  double x = 0, y = 0;
  int steps_x = 0, steps_y = 0;
  switch (gdk_scroll_event_get_direction(event)) {
    case GDK_SCROLL_UP: steps_y = -1; break;
    case GDK_SCROLL_DOWN: steps_y = 1; break;
    case GDK_SCROLL_LEFT: steps_x = -1; break;
    case GDK_SCROLL_RIGHT: steps_x = 1; break;
    case GDK_SCROLL_SMOOTH: {
      gdk_scroll_event_get_deltas(event, &x, &y);
      GdkDevice *device = gdk_event_get_device(event);
      // A wheel counts steps, a touchpad pixels.
      if (device && gdk_device_get_source(device) == GDK_SOURCE_TOUCHPAD) break;
      steps_x = (int)x;
      steps_y = (int)y;
      x *= STEP;
      y *= STEP;
      return extk_scene_scrolled(scene, x, y, steps_x, steps_y, time);
    }
  }
  extk_scene_scrolled(scene, x + steps_x * STEP, y + steps_y * STEP, steps_x, steps_y, time);
}

/// What is clicked has the keyboard.
static extk_scene *focus(ExtkCanvas *canvas) {
  gtk_widget_grab_focus(GTK_WIDGET(extk_canvas_view(canvas)));
  // The host was told of it, and may have let go of the scene.
  return scene_of(canvas);
}

static gboolean take(GtkEventController *controller, GdkEvent *event, ExtkCanvas *canvas) {
  extk_scene *scene = scene_of(canvas);
  GdkEventType type = gdk_event_get_event_type(event);
  double x, y;
  if (!scene) return FALSE;
  guint32 time = gdk_event_get_time(event);
  gint32 finger = GPOINTER_TO_INT(gdk_event_get_event_sequence(event));
  switch (type) {
    case GDK_MOTION_NOTIFY:
      if (find_place(canvas, event, &x, &y)) extk_scene_pointer_moved(scene, x, y, time);
      return FALSE;
    case GDK_BUTTON_PRESS:
    case GDK_BUTTON_RELEASE:
      if (!find_place(canvas, event, &x, &y)) return FALSE;
      if (type == GDK_BUTTON_PRESS && !(scene = focus(canvas))) return TRUE;
      extk_scene_pointer_moved(scene, x, y, time);
      extk_scene_pointer_button(
        scene, kernel_button(gdk_button_event_get_button(event)), type == GDK_BUTTON_PRESS, time);
      return TRUE;
    case GDK_SCROLL:
      scroll(scene, event, time);
      return TRUE;
    case GDK_TOUCH_BEGIN:
    case GDK_TOUCH_UPDATE:
      if (!find_place(canvas, event, &x, &y)) return FALSE;
      if (type == GDK_TOUCH_BEGIN && !(scene = focus(canvas))) return TRUE;
      extk_scene_touch(scene, finger, x, y, type == GDK_TOUCH_BEGIN, time);
      return TRUE;
    case GDK_TOUCH_END: extk_scene_touch_ended(scene, finger, time); return TRUE;
    case GDK_TOUCH_CANCEL: extk_scene_touch_cancelled(scene); return TRUE;
    default: return FALSE;
  }
}

static void left(GtkEventController *controller, ExtkCanvas *canvas) {
  extk_scene *scene = scene_of(canvas);
  if (scene) extk_scene_pointer_left(scene);
}

void extk_pointer_attach(ExtkCanvas *canvas) {
  GtkEventController *events = gtk_event_controller_legacy_new();
  g_signal_connect(events, "event", G_CALLBACK(take), canvas);
  gtk_widget_add_controller(GTK_WIDGET(canvas), events);
  GtkEventController *motion = gtk_event_controller_motion_new();
  g_signal_connect(motion, "leave", G_CALLBACK(left), canvas);
  gtk_widget_add_controller(GTK_WIDGET(canvas), motion);
}
