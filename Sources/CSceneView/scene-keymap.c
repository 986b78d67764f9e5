#include "scene-view-private.h"
#include <stdlib.h>
#include <xkbcommon/xkbcommon.h>

#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/wayland/gdkwayland.h>
#endif
#ifdef GDK_WINDOWING_X11
#include <X11/Xlib-xcb.h>
#include <gdk/x11/gdkx.h>
#include <xkbcommon/xkbcommon-x11.h>
#endif

static char *text_of(struct xkb_keymap *keymap) {
  char *text = keymap ? xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1) : NULL;
  char *copy = g_strdup(text);
  free(text);
  return copy;
}

#ifdef GDK_WINDOWING_X11
static char *text_of_x11(GdkDisplay *display) {
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  xcb_connection_t *connection = XGetXCBConnection(gdk_x11_display_get_xdisplay(display));
  G_GNUC_END_IGNORE_DEPRECATIONS
  if (!xkb_x11_setup_xkb_extension(
        connection, XKB_X11_MIN_MAJOR_XKB_VERSION, XKB_X11_MIN_MINOR_XKB_VERSION,
        XKB_X11_SETUP_XKB_EXTENSION_NO_FLAGS, NULL, NULL, NULL, NULL))
    return NULL;
  struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
  int32_t device = xkb_x11_get_core_keyboard_device_id(connection);
  struct xkb_keymap *keymap =
    context && device >= 0
      ? xkb_x11_keymap_new_from_device(context, connection, device, XKB_KEYMAP_COMPILE_NO_FLAGS)
      : NULL;
  char *text = text_of(keymap);
  xkb_keymap_unref(keymap);
  xkb_context_unref(context);
  return text;
}
#endif

char *extk_keymap_of(GdkDisplay *display) {
#ifdef GDK_WINDOWING_X11
  if (GDK_IS_X11_DISPLAY(display)) return text_of_x11(display);
#endif
#ifdef GDK_WINDOWING_WAYLAND
  if (GDK_IS_WAYLAND_DISPLAY(display)) {
    GdkSeat *seat = gdk_display_get_default_seat(display);
    GdkDevice *keyboard = seat ? gdk_seat_get_keyboard(seat) : NULL;
    return keyboard ? text_of(gdk_wayland_device_get_xkb_keymap(keyboard)) : NULL;
  }
#endif
  return NULL;
}
