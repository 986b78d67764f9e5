#include "scene-view-private.h"

/// What the extension wants at the pointer.
void extk_scene_view_update_cursor(ExtkSceneView *self) {
  int width, height, scale, x, y;
  bool is_hidden = false;
  const void *pixels = extk_scene_cursor(extk_scene_view_scene(self), &width, &height, &scale, &x, &y, &is_hidden);
  if (is_hidden) return gtk_widget_set_cursor_from_name(GTK_WIDGET(self), "none");
  if (!pixels || width <= 0 || height <= 0 || width > 512 || height > 512)
    return gtk_widget_set_cursor(GTK_WIDGET(self), NULL);
  GBytes *bytes = g_bytes_new(pixels, (gsize)width * height * 4);
  GdkTexture *texture =
    gdk_memory_texture_new(width, height, GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, (gsize)width * 4);
  GdkCursor *cursor = gdk_cursor_new_from_texture(texture, CLAMP(x, 0, width - 1), CLAMP(y, 0, height - 1), NULL);
  gtk_widget_set_cursor(GTK_WIDGET(self), cursor);
  g_object_unref(cursor);
  g_object_unref(texture);
  g_bytes_unref(bytes);
}
