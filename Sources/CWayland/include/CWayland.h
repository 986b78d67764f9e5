// The server side of the Wayland protocols that SceneCompositor speaks, as Swift can use it.
#pragma once

#define WL_HIDE_DEPRECATED
#include <wayland-server-core.h>
#include <wayland-server-protocol.h>

#include "extk-scene-v1-server-protocol.h"
#include "fractional-scale-v1-server-protocol.h"
#include "primary-selection-unstable-v1-server-protocol.h"
#include "server-decoration-server-protocol.h"
#include "text-input-unstable-v3-server-protocol.h"
#include "viewporter-server-protocol.h"
#include "xdg-activation-v1-server-protocol.h"
#include "xdg-decoration-unstable-v1-server-protocol.h"
#include "xdg-shell-server-protocol.h"

#include <linux/sockios.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// In C a table of requests (struct wl_surface_interface) and the description of a type (the variable
// wl_surface_interface) share a name. Swift gets two: wl_surface_requests and wl_surface_type().
#define CWAYLAND_TYPE(name) \
  static inline const struct wl_interface *name##_type(void) { return &name##_interface; }
#define CWAYLAND(name) \
  typedef struct name##_interface name##_requests; \
  CWAYLAND_TYPE(name)

CWAYLAND_TYPE(wl_callback)
CWAYLAND(wl_compositor)
CWAYLAND(wl_data_device)
CWAYLAND(wl_data_device_manager)
CWAYLAND(wl_data_offer)
CWAYLAND(wl_data_source)
CWAYLAND(wl_keyboard)
CWAYLAND(wl_output)
CWAYLAND(wl_pointer)
CWAYLAND(wl_region)
CWAYLAND(wl_seat)
CWAYLAND(wl_subcompositor)
CWAYLAND(wl_subsurface)
CWAYLAND(wl_surface)
CWAYLAND(wl_touch)
CWAYLAND(extk_scene_manager_v1)
CWAYLAND(extk_scene_v1)
CWAYLAND(org_kde_kwin_server_decoration)
CWAYLAND(org_kde_kwin_server_decoration_manager)
CWAYLAND(wp_fractional_scale_manager_v1)
CWAYLAND(wp_fractional_scale_v1)
CWAYLAND(wp_viewport)
CWAYLAND(wp_viewporter)
CWAYLAND(xdg_activation_token_v1)
CWAYLAND(xdg_activation_v1)
CWAYLAND(xdg_popup)
CWAYLAND(xdg_positioner)
CWAYLAND(xdg_surface)
CWAYLAND(xdg_toplevel)
CWAYLAND(xdg_wm_base)
CWAYLAND(zwp_primary_selection_device_manager_v1)
CWAYLAND(zwp_primary_selection_device_v1)
CWAYLAND(zwp_primary_selection_offer_v1)
CWAYLAND(zwp_primary_selection_source_v1)
CWAYLAND(zwp_text_input_manager_v3)
CWAYLAND(zwp_text_input_v3)
CWAYLAND(zxdg_decoration_manager_v1)
CWAYLAND(zxdg_toplevel_decoration_v1)

// What is told of something's end. A wl_listener is found by its place in a struct of C.
struct cwayland_listener {
  struct wl_listener listener;
  void (*notify)(void *context);
  void *context;
};

static inline void cwayland_notify(struct wl_listener *listener, void *data) {
  struct cwayland_listener *self = wl_container_of(listener, self, listener);
  (void)data;
  wl_list_remove(&self->listener.link);
  wl_list_init(&self->listener.link);
  self->notify(self->context);
}

// Calls notify once, before the resource is gone. Ended by cwayland_end_listening, in any case.
static inline struct cwayland_listener *cwayland_listen(
  struct wl_resource *resource, void (*notify)(void *), void *context) {
  struct cwayland_listener *self = malloc(sizeof *self);
  if (self == NULL) abort();
  *self = (struct cwayland_listener){{{0}, cwayland_notify}, notify, context};
  wl_resource_add_destroy_listener(resource, &self->listener);
  return self;
}

static inline struct cwayland_listener *cwayland_listen_client(
  struct wl_client *client, void (*notify)(void *), void *context) {
  struct cwayland_listener *self = malloc(sizeof *self);
  if (self == NULL) abort();
  *self = (struct cwayland_listener){{{0}, cwayland_notify}, notify, context};
  wl_client_add_destroy_listener(client, &self->listener);
  return self;
}

static inline void cwayland_end_listening(struct cwayland_listener *self) {
  wl_list_remove(&self->listener.link);
  free(self);
}

// Variadic in the library.
static inline void cwayland_post_error(struct wl_resource *resource, uint32_t code, const char *message) {
  wl_resource_post_error(resource, code, "%s", message);
}

static inline void cwayland_post_client_error(struct wl_client *client, const char *message) {
  wl_client_post_implementation_error(client, "%s", message);
}

// All of the client's objects, also the library's own ones, and those of them that hold a mapping of its memory.
struct cwayland_objects {
  struct wl_listener created;
  size_t count, mappings;
  void (*notify)(void *context, size_t count, size_t mappings);
  void *context;
};

struct cwayland_object {
  struct wl_listener destroyed;
  struct cwayland_objects *all;
  bool maps;
};

static inline void cwayland_object_destroyed(struct wl_listener *listener, void *data) {
  struct cwayland_object *self = wl_container_of(listener, self, destroyed);
  (void)data;
  self->all->count--;
  self->all->mappings -= self->maps;
  free(self);
}

static inline void cwayland_object_created(struct wl_listener *listener, void *data) {
  struct cwayland_objects *all = wl_container_of(listener, all, created);
  struct cwayland_object *self = malloc(sizeof *self);
  if (self == NULL) abort();
  const char *name = wl_resource_get_class(data);
  bool maps = strcmp(name, "wl_shm_pool") == 0 || strcmp(name, "wl_buffer") == 0;
  *self = (struct cwayland_object){{{0}, cwayland_object_destroyed}, all, maps};
  wl_resource_add_destroy_listener(data, &self->destroyed);
  all->count++;
  all->mappings += maps;
  all->notify(all->context, all->count, all->mappings);
}

// Calls notify for each object that the client makes. Freed by cwayland_free, when the client is gone.
static inline struct cwayland_objects *cwayland_watch_objects(
  struct wl_client *client, void (*notify)(void *, size_t, size_t), void *context) {
  struct cwayland_objects *self = malloc(sizeof *self);
  if (self == NULL) abort();
  *self = (struct cwayland_objects){{{0}, cwayland_object_created}, 0, 0, notify, context};
  wl_client_add_resource_created_listener(client, &self->created);
  return self;
}

// Whether a message is wl_display.error, which is how a client learns what it did wrong: its text, or NULL.
static inline const char *cwayland_error_text(
  enum wl_protocol_logger_type type, const struct wl_protocol_logger_message *message) {
  bool is = type == WL_PROTOCOL_LOGGER_EVENT && message->message_opcode == WL_DISPLAY_ERROR &&
    wl_resource_get_id(message->resource) == 1 && message->arguments_count == 3;
  return is ? message->arguments[2].s : NULL;
}

// What the kernel keeps for a socket's peer at most, in bytes; 0 where that is not known.
static inline int cwayland_room(int descriptor) {
  int room = 0;
  socklen_t length = sizeof room;
  return getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &room, &length) == 0 && room > 0 ? room : 0;
}

// How much of that a socket's peer has not read, in percent.
static inline int cwayland_fullness(int descriptor, int room) {
  int used = 0;
  if (room == 0 || ioctl(descriptor, SIOCOUTQ, &used) != 0) return 0;
  return (int)((long long)used * 100 / room);
}

// For what libraries have allocated.
static inline void cwayland_free(void *memory) { free(memory); }
