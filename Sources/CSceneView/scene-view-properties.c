#include "scene-view-parts.h"

GParamSpec *extk_scene_view_properties[PROPERTIES];

gboolean extk_scene_view_get_shown(ExtkSceneView *self) { return self->is_shown; }
gboolean extk_scene_view_get_responsive(ExtkSceneView *self) { return !self->is_unresponsive; }
const char *extk_scene_view_get_title(ExtkSceneView *self) { return self->title; }
GtkWidget *extk_scene_view_get_placeholder(ExtkSceneView *self) { return self->placeholder; }
gboolean extk_scene_view_get_fits(ExtkSceneView *self) { return self->fits; }
int extk_scene_view_get_tint(ExtkSceneView *self) { return self->tint; }

void extk_scene_view_set_placeholder(ExtkSceneView *self, GtkWidget *placeholder) {
  g_return_if_fail(EXTK_IS_SCENE_VIEW(self));
  if (placeholder == self->placeholder || self->is_disposed) return;
  g_clear_pointer(&self->placeholder, gtk_widget_unparent);
  self->placeholder = placeholder;
  if (placeholder) {
    gtk_widget_set_parent(placeholder, GTK_WIDGET(self));
    gtk_widget_set_child_visible(placeholder, !self->is_shown);
  }
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[PLACEHOLDER]);
}

void extk_scene_view_set_fits(ExtkSceneView *self, gboolean fits) {
  g_return_if_fail(EXTK_IS_SCENE_VIEW(self));
  if (self->fits == fits) return;
  self->fits = fits;
  gtk_widget_queue_resize(GTK_WIDGET(self));
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[FITS]);
}

void extk_scene_view_set_tint(ExtkSceneView *self, int tint) {
  g_return_if_fail(EXTK_IS_SCENE_VIEW(self));
  if (self->tint == tint) return;
  self->tint = tint;
  if (self->scene) extk_scene_set_tint(self->scene, tint);
  g_object_notify_by_pspec(G_OBJECT(self), extk_scene_view_properties[TINT]);
}

static void extk_scene_view_get_property(GObject *object, guint id, GValue *value, GParamSpec *specification) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(object);
  switch (id) {
    case SHOWN: g_value_set_boolean(value, self->is_shown); break;
    case RESPONSIVE: g_value_set_boolean(value, !self->is_unresponsive); break;
    case TITLE: g_value_set_string(value, self->title); break;
    case PLACEHOLDER: g_value_set_object(value, self->placeholder); break;
    case FITS: g_value_set_boolean(value, self->fits); break;
    case TINT: g_value_set_int(value, self->tint); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, specification);
  }
}

static void extk_scene_view_set_property(
  GObject *object, guint id, const GValue *value, GParamSpec *specification) {
  ExtkSceneView *self = EXTK_SCENE_VIEW(object);
  switch (id) {
    case PLACEHOLDER: extk_scene_view_set_placeholder(self, g_value_get_object(value)); break;
    case FITS: extk_scene_view_set_fits(self, g_value_get_boolean(value)); break;
    case TINT: extk_scene_view_set_tint(self, g_value_get_int(value)); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, specification);
  }
}

void extk_scene_view_install_properties(GObjectClass *object) {
  object->get_property = extk_scene_view_get_property;
  object->set_property = extk_scene_view_set_property;
  const GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;
  const GParamFlags writable = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY;
  extk_scene_view_properties[SHOWN] = g_param_spec_boolean("shown", NULL, NULL, FALSE, readable);
  extk_scene_view_properties[RESPONSIVE] = g_param_spec_boolean("responsive", NULL, NULL, TRUE, readable);
  extk_scene_view_properties[TITLE] = g_param_spec_string("title", NULL, NULL, NULL, readable);
  extk_scene_view_properties[PLACEHOLDER] = g_param_spec_object("placeholder", NULL, NULL, GTK_TYPE_WIDGET, writable);
  extk_scene_view_properties[FITS] = g_param_spec_boolean("fits", NULL, NULL, FALSE, writable);
  extk_scene_view_properties[TINT] = g_param_spec_int("tint", NULL, NULL, -1, 0xffffff, -1, writable);
  g_object_class_install_properties(object, PROPERTIES, extk_scene_view_properties);
}
