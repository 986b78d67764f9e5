#include "scene-view-private.h"
#include <string.h>

/// A surface's pixels as textures. Those of GTK never change, so what has changed is made anew, by tiles.
typedef struct {
  int width, height;
  /// One tile has it all: its pixels are not shown one to one, and edges between tiles would be seen.
  gboolean is_whole;
  int columns, rows;
  GdkTexture **tiles;
  gboolean is_used;
} Image;

enum { TILE = 256, MOST_LAYERS = 1024 };

struct _ExtkCanvas {
  GtkWidget parent_instance;
  ExtkSceneView *view;
  uintptr_t overlay;
  extk_rectangle place;
  /// By layer.
  GHashTable *images;
  extk_layer *layers;
  size_t count;
  gboolean is_stale;
};

G_DEFINE_FINAL_TYPE(ExtkCanvas, extk_canvas, GTK_TYPE_WIDGET)

static void image_free(gpointer data) {
  Image *image = data;
  for (int index = 0; index < image->columns * image->rows; index++) g_clear_object(&image->tiles[index]);
  g_free(image->tiles);
  g_free(image);
}

static Image *image_new(const extk_layer *layer, gboolean is_whole) {
  Image *image = g_new0(Image, 1);
  image->width = layer->width;
  image->height = layer->height;
  image->is_whole = is_whole;
  image->columns = is_whole ? 1 : (layer->width + TILE - 1) / TILE;
  image->rows = is_whole ? 1 : (layer->height + TILE - 1) / TILE;
  image->tiles = g_new0(GdkTexture *, image->columns * image->rows);
  return image;
}

static GdkTexture *tile_new(const extk_layer *layer, int x, int y, int width, int height) {
  gsize stride = (gsize)width * 4;
  guchar *copy = g_malloc(stride * height);
  for (int line = 0; line < height; line++)
    memcpy(copy + stride * line, (const guchar *)layer->pixels + ((gsize)(y + line) * layer->width + x) * 4, stride);
  GBytes *bytes = g_bytes_new_take(copy, stride * height);
  // Bytes in the order of little-endian machines' numbers.
  GdkTexture *texture = gdk_memory_texture_new(width, height, GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, stride);
  g_bytes_unref(bytes);
  return texture;
}

static void update_image(Image *image, const extk_layer *layer) {
  const extk_rectangle damage = layer->damage;
  for (int row = 0; row < image->rows; row++)
    for (int column = 0; column < image->columns; column++) {
      int x = column * TILE, y = row * TILE;
      int width = image->is_whole ? layer->width : MIN(TILE, layer->width - x);
      int height = image->is_whole ? layer->height : MIN(TILE, layer->height - y);
      GdkTexture **tile = &image->tiles[row * image->columns + column];
      gboolean is_damaged = damage.x < x + width && damage.x + damage.width > x && damage.y < y + height
        && damage.y + damage.height > y;
      if (*tile && !is_damaged) continue;
      g_clear_object(tile);
      *tile = tile_new(layer, x, y, width, height);
    }
}

/// Whether a pixel of it is as many of the scene's in both directions, or the other way round.
static gboolean fits(const extk_layer *layer) {
  int source = layer->source.width, place = layer->place.width;
  return source > 0 && place > 0 && (source % place == 0 || place % source == 0);
}

static void refresh(ExtkCanvas *self) {
  extk_scene *scene = self->view ? extk_scene_view_scene(self->view) : NULL;
  self->is_stale = FALSE;
  self->count = 0;
  if (!scene) return g_hash_table_remove_all(self->images);
  size_t count = extk_scene_copy_layers(scene, self->overlay, NULL, 0);
  count = MIN(count, MOST_LAYERS);
  self->layers = g_renew(extk_layer, self->layers, MAX(1, count));
  // It takes the damage, so it is called once: MIN would do it twice.
  extk_scene_copy_layers(scene, self->overlay, self->layers, count);
  self->count = count;
  GHashTableIter iterator;
  gpointer value;
  g_hash_table_iter_init(&iterator, self->images);
  while (g_hash_table_iter_next(&iterator, NULL, &value)) ((Image *)value)->is_used = FALSE;
  for (size_t index = 0; index < self->count; index++) {
    const extk_layer *layer = &self->layers[index];
    gboolean is_whole = !fits(layer);
    Image *image = g_hash_table_lookup(self->images, (gpointer)layer->identifier);
    if (!image || image->width != layer->width || image->height != layer->height || image->is_whole != is_whole) {
      image = image_new(layer, is_whole);
      g_hash_table_replace(self->images, (gpointer)layer->identifier, image);
    }
    update_image(image, layer);
    image->is_used = TRUE;
  }
  g_hash_table_iter_init(&iterator, self->images);
  while (g_hash_table_iter_next(&iterator, NULL, &value))
    if (!((Image *)value)->is_used) g_hash_table_iter_remove(&iterator);
}

static void draw(ExtkCanvas *self, GtkSnapshot *snapshot, const extk_layer *layer) {
  const Image *image = g_hash_table_lookup(self->images, (gpointer)layer->identifier);
  const extk_rectangle source = layer->source, place = layer->place;
  if (!image || source.width <= 0 || source.height <= 0) return;
  double scale_x = (double)place.width / source.width, scale_y = (double)place.height / source.height;
  double left = place.x - self->place.x, top = place.y - self->place.y;
  gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(left, top, place.width, place.height));
  for (int row = 0; row < image->rows; row++)
    for (int column = 0; column < image->columns; column++) {
      GdkTexture *tile = image->tiles[row * image->columns + column];
      int x = column * TILE, y = row * TILE;
      gtk_snapshot_append_texture(
        snapshot, tile,
        &GRAPHENE_RECT_INIT(
          left + (x - source.x) * scale_x, top + (y - source.y) * scale_y,
          gdk_texture_get_width(tile) * scale_x, gdk_texture_get_height(tile) * scale_y));
    }
  gtk_snapshot_pop(snapshot);
}

static void extk_canvas_snapshot(GtkWidget *widget, GtkSnapshot *snapshot) {
  ExtkCanvas *self = EXTK_CANVAS(widget);
  if (self->is_stale) refresh(self);
  gtk_snapshot_push_clip(
    snapshot, &GRAPHENE_RECT_INIT(0, 0, gtk_widget_get_width(widget), gtk_widget_get_height(widget)));
  for (size_t index = 0; index < self->count; index++) draw(self, snapshot, &self->layers[index]);
  gtk_snapshot_pop(snapshot);
}

static void extk_canvas_measure(
  GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline,
  int *natural_baseline) {
  ExtkCanvas *self = EXTK_CANVAS(widget);
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? self->place.width : self->place.height;
  *minimum_baseline = *natural_baseline = -1;
}

/// Tab goes into the scene, and what it does there is the extension's.
static gboolean extk_canvas_focus(GtkWidget *widget, GtkDirectionType direction) {
  ExtkCanvas *self = EXTK_CANVAS(widget);
  if (gtk_widget_is_focus(widget) || !gtk_widget_grab_focus(widget)) return FALSE;
  extk_scene *scene = self->view ? extk_scene_view_scene(self->view) : NULL;
  if (scene && (direction == GTK_DIR_TAB_FORWARD || direction == GTK_DIR_TAB_BACKWARD))
    extk_scene_take_focus(scene, direction == GTK_DIR_TAB_BACKWARD);
  return TRUE;
}

static void extk_canvas_dispose(GObject *object) {
  ExtkCanvas *self = EXTK_CANVAS(object);
  self->view = NULL;
  g_clear_pointer(&self->images, g_hash_table_unref);
  g_clear_pointer(&self->layers, g_free);
  self->count = 0;
  G_OBJECT_CLASS(extk_canvas_parent_class)->dispose(object);
}

static void extk_canvas_class_init(ExtkCanvasClass *class) {
  G_OBJECT_CLASS(class)->dispose = extk_canvas_dispose;
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  widget->snapshot = extk_canvas_snapshot;
  widget->measure = extk_canvas_measure;
  widget->focus = extk_canvas_focus;
  gtk_widget_class_set_accessible_role(widget, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void extk_canvas_init(ExtkCanvas *self) {
  self->images = g_hash_table_new_full(NULL, NULL, NULL, image_free);
  self->is_stale = TRUE;
}

GtkWidget *extk_canvas_new(ExtkSceneView *view, uintptr_t overlay) {
  ExtkCanvas *self = g_object_new(EXTK_TYPE_CANVAS, NULL);
  self->view = view;
  self->overlay = overlay;
  extk_pointer_attach(self);
  return GTK_WIDGET(self);
}

ExtkSceneView *extk_canvas_view(ExtkCanvas *self) { return self->view; }
extk_rectangle extk_canvas_place(ExtkCanvas *self) { return self->place; }
void extk_canvas_forget(ExtkCanvas *self) { self->view = NULL; }

void extk_canvas_set_place(ExtkCanvas *self, extk_rectangle place) {
  self->place = place;
  gtk_widget_queue_resize(GTK_WIDGET(self));
}

void extk_canvas_changed(ExtkCanvas *self) {
  self->is_stale = TRUE;
  gtk_widget_queue_draw(GTK_WIDGET(self));
}

void extk_canvas_clear(ExtkCanvas *self) {
  if (self->images) g_hash_table_remove_all(self->images);
  self->count = 0;
  extk_canvas_changed(self);
}
