#include "scene-view-private.h"

/// A window cannot be larger everywhere, nor far away.
enum { MOST_OVERLAYS = 64, MOST_PIXELS = 4096, MOST_DISTANCE = 16384 };

/// The extension's popups, which may be larger than the view: windows of their own.
struct ExtkPopovers {
  ExtkSceneView *view;
  /// GtkPopover by overlay.
  GHashTable *by_overlay;
};

static void add_style(void) {
  GtkCssProvider *provider = gtk_css_provider_new();
  gtk_css_provider_load_from_data(
    provider,
    "popover.extk-scene, popover.extk-scene > contents { padding: 0; margin: 0; border: none; border-radius: 0;"
    " background: none; box-shadow: none; min-width: 0; min-height: 0; }",
    -1);
  gtk_style_context_add_provider_for_display(
    gdk_display_get_default(), GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_object_unref(provider);
}

static GtkWidget *popover_new(ExtkSceneView *view, uintptr_t overlay) {
  GtkWidget *popover = gtk_popover_new();
  gtk_widget_add_css_class(popover, "extk-scene");
  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  // The extension says when it goes, and has the keyboard through its window.
  gtk_popover_set_autohide(GTK_POPOVER(popover), FALSE);
  gtk_widget_set_can_focus(popover, FALSE);
  gtk_popover_set_position(GTK_POPOVER(popover), GTK_POS_BOTTOM);
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  gtk_popover_set_child(GTK_POPOVER(popover), extk_canvas_new(view, overlay));
  gtk_widget_set_parent(popover, GTK_WIDGET(view));
  return popover;
}

static void popover_free(gpointer data) {
  GtkPopover *popover = data;
  extk_canvas_forget(EXTK_CANVAS(gtk_popover_get_child(popover)));
  gtk_widget_unparent(GTK_WIDGET(popover));
}

static gboolean has_overlay(const extk_overlay *overlays, size_t count, gpointer identifier) {
  for (size_t index = 0; index < count; index++)
    if (overlays[index].identifier == (uintptr_t)identifier) return TRUE;
  return FALSE;
}

static extk_rectangle bounded(extk_rectangle place) {
  return (extk_rectangle){ CLAMP(place.x, -MOST_DISTANCE, MOST_DISTANCE), CLAMP(place.y, -MOST_DISTANCE, MOST_DISTANCE),
                           CLAMP(place.width, 1, MOST_PIXELS), CLAMP(place.height, 1, MOST_PIXELS) };
}

void extk_popovers_update(ExtkPopovers *self) {
  extk_overlay overlays[MOST_OVERLAYS];
  extk_scene *scene = extk_scene_view_scene(self->view);
  size_t count = scene ? extk_scene_copy_overlays(scene, overlays, MOST_OVERLAYS) : 0;
  count = MIN(count, MOST_OVERLAYS);
  GHashTableIter iterator;
  gpointer identifier;
  g_hash_table_iter_init(&iterator, self->by_overlay);
  while (g_hash_table_iter_next(&iterator, &identifier, NULL))
    if (!has_overlay(overlays, count, identifier)) g_hash_table_iter_remove(&iterator);
  if (!gtk_widget_get_mapped(GTK_WIDGET(self->view))) return;
  for (size_t index = 0; index < count; index++) {
    gpointer key = (gpointer)overlays[index].identifier;
    extk_rectangle place = bounded(overlays[index].place);
    GtkWidget *popover = g_hash_table_lookup(self->by_overlay, key);
    gboolean is_new = !popover;
    if (is_new) g_hash_table_insert(self->by_overlay, key, popover = popover_new(self->view, overlays[index].identifier));
    ExtkCanvas *canvas = EXTK_CANVAS(gtk_popover_get_child(GTK_POPOVER(popover)));
    extk_rectangle old = extk_canvas_place(canvas);
    if (is_new || old.x != place.x || old.y != place.y || old.width != place.width || old.height != place.height) {
      extk_canvas_set_place(canvas, place);
      gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){ place.x, place.y - 1, 1, 1 });
    }
    extk_canvas_changed(canvas);
    if (is_new) gtk_popover_popup(GTK_POPOVER(popover));
  }
}

void extk_popovers_present(ExtkPopovers *self) {
  GHashTableIter iterator;
  gpointer popover;
  g_hash_table_iter_init(&iterator, self->by_overlay);
  while (g_hash_table_iter_next(&iterator, NULL, &popover)) gtk_popover_present(popover);
}

ExtkPopovers *extk_popovers_new(ExtkSceneView *view) {
  static gboolean has_style;
  if (!has_style) add_style();
  has_style = TRUE;
  ExtkPopovers *self = g_new0(ExtkPopovers, 1);
  self->view = view;
  self->by_overlay = g_hash_table_new_full(NULL, NULL, NULL, popover_free);
  return self;
}

void extk_popovers_free(ExtkPopovers *self) {
  g_hash_table_unref(self->by_overlay);
  g_free(self);
}
