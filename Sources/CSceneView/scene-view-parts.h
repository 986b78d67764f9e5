// What the view itself is made of.
#pragma once
#include "scene-view-private.h"

struct _ExtkSceneView {
  GtkWidget parent_instance;
  GtkWidget *canvas, *placeholder;
  ExtkKeyboard *keyboard;
  ExtkDisplay *display;
  extk_scene *scene;
  ExtkPopovers *popovers;
  char *title;
  gboolean is_shown, was_shown, is_unresponsive, fits, is_disposed;
  int tint;
  /// The scene was told how large it is.
  gboolean is_sized;
  int natural_width, natural_height;
  guint tick, closing, attempts;
};

enum { SHOWN = 1, RESPONSIVE, TITLE, PLACEHOLDER, FITS, TINT, PROPERTIES };
extern GParamSpec *extk_scene_view_properties[PROPERTIES];
void extk_scene_view_install_properties(GObjectClass *object);
