// extensionkit-gtk4.h: what an extension draws, as a widget of GTK 4.
//
//   cc host.c $(pkg-config --cflags --libs extensionkit-gtk4 extensionkit)
//
// A host activates a scene of an extension, connects with a display (extensionkit.h, or io.extensiond.Broker), and gives the
// display to a view. All of it belongs to GTK's thread.
#ifndef EXTENSIONKIT_GTK4_H
#define EXTENSIONKIT_GTK4_H

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * ExtkSceneError:
 * @EXTK_SCENE_ERROR_FAILED: the system refused something
 * @EXTK_SCENE_ERROR_UNKNOWN_DISPLAY: no view has the display of this process of the extension any more
 * @EXTK_SCENE_ERROR_CLOSED: the extension has ended its connection, or is gone
 * @EXTK_SCENE_ERROR_MISBEHAVED: the extension broke the protocol or a limit, and was disconnected
 *
 * Why a view shows no scene.
 */
typedef enum {
  EXTK_SCENE_ERROR_FAILED,
  EXTK_SCENE_ERROR_UNKNOWN_DISPLAY,
  EXTK_SCENE_ERROR_CLOSED,
  EXTK_SCENE_ERROR_MISBEHAVED,
} ExtkSceneError;

#define EXTK_SCENE_ERROR (extk_scene_error_quark())
GQuark extk_scene_error_quark(void);

#define EXTK_TYPE_SCENE_VIEW (extk_scene_view_get_type())
/**
 * ExtkSceneView:
 *
 * A widget that shows a scene of an extension, with the keyboard, the pointer, popups and text of input methods going both
 * ways. Without a scene it shows its placeholder.
 *
 * Tab goes into the scene. F6 and Shift+F6 leave it, and Tab where the extension uses the SDK.
 */
G_DECLARE_FINAL_TYPE(ExtkSceneView, extk_scene_view, EXTK, SCENE_VIEW, GtkWidget)

/**
 * extk_scene_view_new:
 *
 * Returns: a view that shows its placeholder
 */
GtkWidget *extk_scene_view_new(void);

/**
 * extk_scene_view_show_scene:
 * @self: a view
 * @display: the host's end of the extension's Wayland connection, which is the view's from here on; -1 where another view
 *   was given the one of this process
 * @instance: the process of the extension, as the broker names it
 * @token: (nullable): the activation's identifier, or %NULL where the program knows nothing of scenes
 * @error: return location for an error
 *
 * Shows a scene in place of what there was. It is seen when the extension draws: `shown` changes then.
 *
 * Returns: whether it will be shown
 */
gboolean extk_scene_view_show_scene(
  ExtkSceneView *self, int display, const char *instance, const char *token, GError **error);

/**
 * extk_scene_view_close_scene:
 * @self: a view
 *
 * Asks the extension to close the scene, as a window manager does: popups, dialogs, the window. What is still there after
 * five seconds is not shown any more.
 */
void extk_scene_view_close_scene(ExtkSceneView *self);

/**
 * extk_scene_view_clear:
 * @self: a view
 *
 * Shows nothing of the scene any more, whatever the extension does.
 */
void extk_scene_view_clear(ExtkSceneView *self);

/**
 * extk_scene_view_get_shown:
 * @self: a view
 *
 * Returns: whether there is a scene to be seen
 */
gboolean extk_scene_view_get_shown(ExtkSceneView *self);

/**
 * extk_scene_view_get_responsive:
 * @self: a view
 *
 * Returns: %FALSE while the extension has not answered for five seconds
 */
gboolean extk_scene_view_get_responsive(ExtkSceneView *self);

/**
 * extk_scene_view_get_title:
 * @self: a view
 *
 * Returns: (nullable): the title of the scene's window
 */
const char *extk_scene_view_get_title(ExtkSceneView *self);

/**
 * extk_scene_view_get_placeholder:
 * @self: a view
 *
 * Returns: (transfer none) (nullable): what is seen while there is no scene
 */
GtkWidget *extk_scene_view_get_placeholder(ExtkSceneView *self);

/**
 * extk_scene_view_set_placeholder:
 * @self: a view
 * @placeholder: (nullable): what is seen while there is no scene
 */
void extk_scene_view_set_placeholder(ExtkSceneView *self, GtkWidget *placeholder);

/**
 * extk_scene_view_get_fits:
 * @self: a view
 *
 * Returns: whether the view is at least as large as the scene would like to be
 */
gboolean extk_scene_view_get_fits(ExtkSceneView *self);

/**
 * extk_scene_view_set_fits:
 * @self: a view
 * @fits: whether the view is at least as large as the scene would like to be. Otherwise the host alone says how large.
 */
void extk_scene_view_set_fits(ExtkSceneView *self, gboolean fits);

/**
 * extk_scene_view_get_tint:
 * @self: a view
 *
 * Returns: the colour for what is chosen and what is suggested, 0xRRGGBB; -1: the toolkit's own
 */
int extk_scene_view_get_tint(ExtkSceneView *self);

/**
 * extk_scene_view_set_tint:
 * @self: a view
 * @tint: the colour for what is chosen and what is suggested, 0xRRGGBB; -1: the toolkit's own. For extensions that use the
 *   SDK's contents.
 */
void extk_scene_view_set_tint(ExtkSceneView *self, int tint);

G_END_DECLS

#endif
