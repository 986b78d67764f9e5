// What the view's parts know of each other.
//
// A display is the compositor of one process of an extension, with GTK's loop and clipboards. Each scene of it is in a view.
// A canvas draws layers of a scene and takes input for them: the view has one, and each popup.
#pragma once
#include "extensionkit-gtk4.h"
#include "scene-compositor.h"

typedef struct ExtkDisplay ExtkDisplay;

/// @param socket -1 where there must be one already.
ExtkDisplay *extk_display_get(int socket, const char *instance, gboolean unmodified, GError **error);
extk_compositor *extk_display_compositor(ExtkDisplay *display);
void extk_display_add(ExtkDisplay *display, ExtkSceneView *view);
/// The last one's end is the connection's.
void extk_display_remove(ExtkDisplay *display, ExtkSceneView *view);
/// The host's keyboard may have another layout than before.
void extk_display_update_keymap(ExtkDisplay *display, GtkWidget *widget);

/// The view's scene, or NULL.
extk_scene *extk_scene_view_scene(ExtkSceneView *view);
void extk_scene_view_ended(ExtkSceneView *view, const char *fault);
void extk_scene_view_update_cursor(ExtkSceneView *view);
/// Something was dispatched.
void extk_scene_view_turned(ExtkSceneView *view);

#define EXTK_TYPE_CANVAS (extk_canvas_get_type())
G_DECLARE_FINAL_TYPE(ExtkCanvas, extk_canvas, EXTK, CANVAS, GtkWidget)

/// @param overlay Of a popup, or 0.
GtkWidget *extk_canvas_new(ExtkSceneView *view, uintptr_t overlay);
ExtkSceneView *extk_canvas_view(ExtkCanvas *canvas);
/// Where its corner is in the scene, and how large it is, where nobody else says it.
void extk_canvas_set_place(ExtkCanvas *canvas, extk_rectangle place);
extk_rectangle extk_canvas_place(ExtkCanvas *canvas);
/// The scene's pixels are others.
void extk_canvas_changed(ExtkCanvas *canvas);
/// Its view is gone.
void extk_canvas_forget(ExtkCanvas *canvas);
/// Nothing of an earlier scene is kept.
void extk_canvas_clear(ExtkCanvas *canvas);

typedef struct ExtkPopovers ExtkPopovers;
ExtkPopovers *extk_popovers_new(ExtkSceneView *view);
void extk_popovers_free(ExtkPopovers *popovers);
/// Popups came, went, moved, or were drawn anew.
void extk_popovers_update(ExtkPopovers *popovers);
/// The view has another place.
void extk_popovers_present(ExtkPopovers *popovers);

/// Pointer and fingers.
void extk_pointer_attach(ExtkCanvas *canvas);

typedef struct ExtkKeyboard ExtkKeyboard;
/// Keys and input methods, for the canvas that can have the focus.
ExtkKeyboard *extk_keyboard_new(ExtkCanvas *canvas, void (*focused)(ExtkSceneView *view));
void extk_keyboard_free(ExtkKeyboard *keyboard);
void extk_keyboard_text_input_changed(ExtkKeyboard *keyboard);
/// What is beside the scene has the focus next.
void extk_keyboard_leave(ExtkKeyboard *keyboard, gboolean is_backward);

/// The host's keyboard as XKB says it, to be freed with g_free(); NULL where that cannot be had.
char *extk_keymap_of(GdkDisplay *display);
