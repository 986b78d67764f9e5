#include "CSceneClient.h"

#include <gdk/wayland/gdkwayland.h>
#include <stdlib.h>
#include <string.h>

#include "extk-scene-v1-client-protocol.h"

struct cscene {
  struct extk_scene_v1 *control;
  struct cscene_events events;
  void *context;
  char *token;
};

// One for the process, as the display.
static struct extk_scene_manager_v1 *manager;

static void found(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
  (void)data;
  if (version < 2 || strcmp(interface, extk_scene_manager_v1_interface.name) != 0) return;
  manager = wl_registry_bind(registry, name, &extk_scene_manager_v1_interface, 2);
}

static void lost(void *data, struct wl_registry *registry, uint32_t name) { (void)data, (void)registry, (void)name; }

// On a queue of its own, so that nothing of GTK's is dispatched meanwhile; what is made of the manager is on GTK's.
static void find_manager(struct wl_display *display) {
  static const struct wl_registry_listener listener = {found, lost};
  struct wl_event_queue *queue = wl_display_create_queue(display);
  struct wl_display *wrapper = wl_proxy_create_wrapper(display);
  if (queue && wrapper) {
    wl_proxy_set_queue((struct wl_proxy *)wrapper, queue);
    struct wl_registry *registry = wl_display_get_registry(wrapper);
    wl_registry_add_listener(registry, &listener, NULL);
    wl_display_roundtrip_queue(display, queue);
    wl_registry_destroy(registry);
  }
  // It has no events, and what it makes must not be on a queue that is gone.
  if (manager) wl_proxy_set_queue((struct wl_proxy *)manager, NULL);
  if (wrapper) wl_proxy_wrapper_destroy(wrapper);
  if (queue) wl_event_queue_destroy(queue);
}

static void tint(void *data, struct extk_scene_v1 *control, uint32_t colour) {
  struct cscene *scene = data;
  (void)control;
  scene->events.tint(scene->context, colour);
}

static void focus_in(void *data, struct extk_scene_v1 *control, uint32_t direction) {
  struct cscene *scene = data;
  (void)control;
  scene->events.focus_in(scene->context, direction);
}

static void end(void *data, struct extk_scene_v1 *control) {
  struct cscene *scene = data;
  (void)control;
  scene->events.end(scene->context);
}

struct cscene *cscene_make(void *display, const char *token, struct cscene_events events, void *context) {
  static const struct extk_scene_v1_listener listener = {tint, focus_in, end};
  if (!GDK_IS_WAYLAND_DISPLAY(display)) return NULL;
  if (!manager) find_manager(gdk_wayland_display_get_wl_display(display));
  if (!manager) return NULL;
  struct cscene *scene = malloc(sizeof *scene);
  if (!scene) abort();
  *scene = (struct cscene){extk_scene_manager_v1_get_scene(manager, token), events, context, strdup(token)};
  if (!scene->control || !scene->token) abort();
  extk_scene_v1_add_listener(scene->control, &listener, scene);
  return scene;
}

void cscene_tag(struct cscene *scene, void *surface) {
  struct wl_surface *own = GDK_IS_WAYLAND_SURFACE(surface) ? gdk_wayland_surface_get_wl_surface(surface) : NULL;
  if (own) extk_scene_manager_v1_set_scene(manager, own, scene->token);
}

void cscene_focus_out(struct cscene *scene, uint32_t direction) { extk_scene_v1_focus_out(scene->control, direction); }

void cscene_end(struct cscene *scene) {
  extk_scene_v1_destroy(scene->control);
  free(scene->token);
  free(scene);
}
