// scene-compositor.h: SceneCompositor for views that are written in C.
//
// Everything is used on one thread. Callbacks come from extk_compositor_dispatch(), and from the calls that have an effect at
// once: a click that dismisses a popup, a scene that is closed. Coordinates are those of the scene, times are milliseconds of
// the monotonic clock, texts are UTF-8 that ends with NUL and are valid during the call only.
#ifndef EXTK_SCENE_COMPOSITOR_H
#define EXTK_SCENE_COMPOSITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// For free(3).
char *extk_text_copy(const char *text);

/// The compositor of one process of an extension.
typedef struct extk_compositor extk_compositor;
/// One scene of it.
typedef struct extk_scene extk_scene;
/// A text that the extension waits for.
typedef struct extk_wish extk_wish;

typedef struct extk_rectangle {
  int x, y, width, height;
} extk_rectangle;

/// What is drawn of one surface: pixels as four bytes blue, green, red, alpha, colours multiplied by alpha.
typedef struct extk_layer {
  /// The same while it is the same surface.
  uintptr_t identifier;
  /// Lines of 4 * width bytes. Valid until the next dispatch.
  const void *pixels;
  int width, height;
  /// The part of the pixels that is shown, and where.
  extk_rectangle source, place;
  /// What has changed of the pixels since they were copied last.
  extk_rectangle damage;
} extk_layer;

/// A popup.
typedef struct extk_overlay {
  uintptr_t identifier;
  /// Its frame, without shadows.
  extk_rectangle place;
  bool is_grabbing;
} extk_overlay;

typedef enum extk_scene_event {
  EXTK_SCENE_SHOWN,
  EXTK_SCENE_HIDDEN,
  EXTK_SCENE_CHANGED,
  EXTK_SCENE_OVERLAYS_CHANGED,
  EXTK_SCENE_TITLE_CHANGED,
  EXTK_SCENE_PREFERRED_SIZE_CHANGED,
  EXTK_SCENE_TEXT_INPUT_CHANGED,
  EXTK_SCENE_WANTS_ATTENTION,
  EXTK_SCENE_UNRESPONSIVE,
  EXTK_SCENE_RESPONSIVE,
  EXTK_SCENE_CURSOR_CHANGED,
  /// Tab has left its last entry, or Shift and Tab its first one.
  EXTK_SCENE_FOCUS_LEAVES_FORWARD,
  EXTK_SCENE_FOCUS_LEAVES_BACKWARD,
  /// The extension has ended it.
  EXTK_SCENE_ENDED,
} extk_scene_event;

typedef void (*extk_scene_callback)(void *data, extk_scene_event event);

typedef struct extk_compositor_events {
  /// Once: the extension's connection has ended; why, where it was its fault, or NULL.
  void (*ended)(void *data, const char *fault);
  /// The extension has copied a text, or marked one.
  void (*copied)(void *data, bool is_primary, const char *text);
  /// The extension wants the host's text. Answer once, at any time, with extk_wish_grant().
  void (*wanted)(void *data, bool is_primary, extk_wish *wish);
} extk_compositor_events;

/// @param socket The host's end of the extension's Wayland connection. It is closed with the compositor, also where this fails.
/// @param unmodified All windows are the one scene's.
/// @return NULL with an error's number (errno(3)) where there is no memory or descriptor.
extk_compositor *extk_compositor_new(
  int socket, bool unmodified, const extk_compositor_events *events, void *data, int *error);
/// Ends the connection. Its scenes stay empty until they are freed.
void extk_compositor_free(extk_compositor *compositor);
/// Readable when there is something to dispatch.
int extk_compositor_descriptor(extk_compositor *compositor);
void extk_compositor_dispatch(extk_compositor *compositor);
/// Pixels for one of a scene.
void extk_compositor_set_scale(extk_compositor *compositor, double scale);
/// @param description The host's keyboard as XKB describes it in text.
void extk_compositor_set_keymap(extk_compositor *compositor, const char *description);
/// The host has a text to offer, or none any more.
void extk_compositor_offer(extk_compositor *compositor, bool is_primary, bool has_text);
/// @param text NULL where there is none after all.
void extk_wish_grant(extk_wish *wish, const char *text);

/// @param token NULL for the scene of an unmodified program.
/// @param width 0: the extension chooses.
extk_scene *extk_scene_new(
  extk_compositor *compositor, const char *token, int width, int height, extk_scene_callback callback, void *data);
/// Shows nothing of it any more, whatever the extension does.
void extk_scene_free(extk_scene *scene);
/// Asks for its end: the SDK's extensions once, others as a window manager does. Again every 200 ms until it is hidden.
void extk_scene_end(extk_scene *scene);
void extk_scene_resize(extk_scene *scene, int width, int height);
/// Where popups may stand.
void extk_scene_set_room(extk_scene *scene, extk_rectangle room);
bool extk_scene_is_shown(extk_scene *scene);
/// @return To be freed with free().
char *extk_scene_title(extk_scene *scene);
/// What its window takes, or at least; 0 where that is not known.
void extk_scene_preferred_size(extk_scene *scene, int *width, int *height);
/// Whether it waits for extk_scene_frame_shown() to draw on.
bool extk_scene_waits_for_frame(extk_scene *scene);
void extk_scene_frame_shown(extk_scene *scene, uint32_t time);

/// @param overlay Of a popup, or 0 for the scene's window and its dialogs.
/// @return How many there are, lowest first. At most capacity are copied, and only their damage is taken.
size_t extk_scene_copy_layers(extk_scene *scene, uintptr_t overlay, extk_layer *layers, size_t capacity);
size_t extk_scene_copy_overlays(extk_scene *scene, extk_overlay *overlays, size_t capacity);
/// Tells the extension that its popups are over.
void extk_scene_dismiss_overlays(extk_scene *scene);

void extk_scene_pointer_moved(extk_scene *scene, double x, double y, uint32_t time);
void extk_scene_pointer_left(extk_scene *scene);
/// @param button As the kernel numbers it: 0x110 is the left one.
void extk_scene_pointer_button(extk_scene *scene, uint32_t button, bool is_down, uint32_t time);
/// @param steps_x Of a wheel.
void extk_scene_scrolled(extk_scene *scene, double x, double y, int steps_x, int steps_y, uint32_t time);
void extk_scene_set_keyboard(extk_scene *scene, bool has_keyboard);
/// Gives it the keyboard as Tab does, or Shift and Tab.
void extk_scene_take_focus(extk_scene *scene, bool is_backward);
/// @param tint 0xRRGGBB, or -1: the toolkit's own.
void extk_scene_set_tint(extk_scene *scene, int tint);
/// @param key As the kernel numbers it.
void extk_scene_key(extk_scene *scene, uint32_t key, bool is_down, uint32_t time);
/// Bits as XKB has them. Of those that are held only Shift's, Control's and Alt's count: a toolkit may not know the others,
/// which are as the keys say.
void extk_scene_modifiers(extk_scene *scene, uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group);
void extk_scene_touch(extk_scene *scene, int32_t finger, double x, double y, bool is_new, uint32_t time);
void extk_scene_touch_ended(extk_scene *scene, int32_t finger, uint32_t time);
void extk_scene_touch_cancelled(extk_scene *scene);

/// Whether an entry of it takes text; where its cursor is, and what stands around it.
/// @param text To be freed with free(); NULL where it is not known.
bool extk_scene_text_input(extk_scene *scene, extk_rectangle *cursor, char **text, int *cursor_index, int *anchor);
/// @param composition What an input method shows and has not entered yet, or NULL; cursor is an index of its bytes.
/// @param before, after Bytes around the cursor that go first.
void extk_scene_enter_text(
  extk_scene *scene, const char *text, const char *composition, int cursor, int before, int after);

/// The pixels of its cursor, which are valid until the next dispatch; NULL for the host's own.
const void *extk_scene_cursor(
  extk_scene *scene, int *width, int *height, int *scale, int *tip_x, int *tip_y, bool *is_hidden);

#endif
