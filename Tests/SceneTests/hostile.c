// hostile ATTACK: a client that breaks rules, for test_hostile.py. It says "tried" when its attack is out.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <wayland-client.h>
#include "viewporter-client-protocol.h"
#include "xdg-shell-client-protocol.h"

static struct wl_display *display;
static struct wl_registry *registry;
static struct wl_compositor *compositor;
static struct wl_subcompositor *subcompositor;
static struct wl_shm *shm;
static struct wl_seat *seat;
static struct xdg_wm_base *base;
static struct wp_viewporter *viewporter;
static uint32_t compositor_name, seat_name, last_serial;
static int memory = -1;

static void global(void *data, struct wl_registry *r, uint32_t name, const char *type, uint32_t version) {
  (void)data, (void)version;
  if (!strcmp(type, "wl_compositor")) compositor = wl_registry_bind(r, compositor_name = name, &wl_compositor_interface, 4);
  if (!strcmp(type, "wl_subcompositor")) subcompositor = wl_registry_bind(r, name, &wl_subcompositor_interface, 1);
  if (!strcmp(type, "wl_shm")) shm = wl_registry_bind(r, name, &wl_shm_interface, 1);
  if (!strcmp(type, "wl_seat")) seat = wl_registry_bind(r, seat_name = name, &wl_seat_interface, 5);
  if (!strcmp(type, "xdg_wm_base")) base = wl_registry_bind(r, name, &xdg_wm_base_interface, 3);
  if (!strcmp(type, "wp_viewporter")) viewporter = wl_registry_bind(r, name, &wp_viewporter_interface, 1);
}
static void global_remove(void *data, struct wl_registry *r, uint32_t name) { (void)data, (void)r, (void)name; }
static const struct wl_registry_listener registry_listener = {global, global_remove};

static void ping(void *data, struct xdg_wm_base *b, uint32_t serial) { (void)data; xdg_wm_base_pong(b, serial); }
static const struct xdg_wm_base_listener base_listener = {ping};

static void configure(void *data, struct xdg_surface *surface, uint32_t serial) {
  last_serial = serial;
  if (data == NULL) xdg_surface_ack_configure(surface, serial);
}
static const struct xdg_surface_listener surface_listener = {configure};

static void toplevel_configure(void *d, struct xdg_toplevel *t, int32_t w, int32_t h, struct wl_array *s) {
  (void)d, (void)t, (void)w, (void)h, (void)s;
}
static void toplevel_close(void *d, struct xdg_toplevel *t) { (void)d, (void)t; puts("asked to close"); }
static const struct xdg_toplevel_listener toplevel_listener = {toplevel_configure, toplevel_close};

// Until the connection ends: what the host does then is what the test looks at.
static void stay(void) {
  puts("tried");
  while (wl_display_dispatch(display) >= 0) {}
  puts("disconnected");
  exit(0);
}

static struct wl_buffer *make_buffer(int width, int height, int stride, int size) {
  memory = memfd_create("pixels", 0);
  if (ftruncate(memory, size) != 0) exit(3);
  struct wl_shm_pool *pool = wl_shm_create_pool(shm, memory, size);
  struct wl_buffer *buffer = wl_shm_pool_create_buffer(pool, 0, width, height, stride, WL_SHM_FORMAT_XRGB8888);
  wl_shm_pool_destroy(pool);
  return buffer;
}

static void close_memory(void) { close(memory); }

struct window { struct wl_surface *surface; struct xdg_surface *shell; struct xdg_toplevel *top; };

static struct window make_window(void) {
  struct window w = {.surface = wl_compositor_create_surface(compositor)};
  w.shell = xdg_wm_base_get_xdg_surface(base, w.surface);
  w.top = xdg_surface_get_toplevel(w.shell);
  xdg_surface_add_listener(w.shell, &surface_listener, NULL);
  xdg_toplevel_add_listener(w.top, &toplevel_listener, NULL);
  return w;
}

static void show(struct wl_surface *surface, int width, int height) {
  wl_surface_attach(surface, make_buffer(width, height, width * 4, width * height * 4), 0, 0);
  wl_surface_damage(surface, 0, 0, width, height);
  wl_surface_commit(surface);
}

static struct window show_window(int width, int height) {
  struct window w = make_window();
  wl_surface_commit(w.surface);
  wl_display_roundtrip(display);
  show(w.surface, width, height);
  wl_display_roundtrip(display);
  return w;
}

static struct xdg_popup *make_popup(struct xdg_surface *shell, struct xdg_surface *parent) {
  struct xdg_positioner *p = xdg_wm_base_create_positioner(base);
  xdg_positioner_set_size(p, 10, 10);
  xdg_positioner_set_anchor_rect(p, 0, 0, 1, 1);
  struct xdg_popup *popup = xdg_surface_get_popup(shell, parent, p);
  xdg_positioner_destroy(p);
  return popup;
}

// Bytes as they are, past the library, which counts and checks.
static void raw(const void *bytes, size_t count) {
  const char *next = bytes;
  wl_display_flush(display);
  while (count > 0) {
    ssize_t sent = send(wl_display_get_fd(display), next, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      struct pollfd p = {wl_display_get_fd(display), POLLOUT, 0};
      poll(&p, 1, 1000);
    } else if (sent < 0) {
      puts("disconnected");
      exit(0);
    } else next += sent, count -= sent;
  }
}

// A flood ends when the host has had enough of it.
#define FOREVER for (long i = 0; wl_display_get_error(display) == 0; i++, i % 64 == 0 ? (void)wl_display_roundtrip(display) : (void)0)

static void attack(const char *name) {
#define IS(text) if (!strcmp(name, text))
  IS("truncated") {
    struct window w = show_window(200, 200);
    struct wl_buffer *b = make_buffer(200, 200, 800, 160000);
    if (ftruncate(memory, 0) != 0) exit(3);
    wl_surface_attach(w.surface, b, 0, 0);
    wl_surface_damage(w.surface, 0, 0, 200, 200);
    wl_surface_commit(w.surface);
  }
  IS("short-stride") {
    // The library holds stride against width, as if a pixel were a byte.
    struct window w = show_window(10, 10);
    wl_surface_attach(w.surface, make_buffer(1024, 4096, 1024, 1024 * 4096), 0, 0);
    wl_surface_damage(w.surface, 0, 0, 1024, 4096);
    wl_surface_commit(w.surface);
  }
  IS("negative-stride") make_buffer(10, 10, -40, 400);
  IS("negative-size") make_buffer(-10, -10, 40, 400);
  IS("huge-buffer") make_buffer(0x7fffffff, 0x7fffffff, 0x7fffffff, 4096);
  IS("outside-pool") make_buffer(100, 100, 400, 4096);
  IS("negative-geometry") xdg_surface_set_window_geometry(show_window(10, 10).shell, 0, 0, -5, -5);
  IS("far-geometry") {
    struct window w = show_window(50, 50);
    xdg_surface_set_window_geometry(w.shell, -0x7fffffff, -0x7fffffff, 0x7fffffff, 0x7fffffff);
    wl_surface_damage(w.surface, -0x7fffffff, -0x7fffffff, 0x7fffffff, 0x7fffffff);
    wl_surface_commit(w.surface);
  }
  IS("negative-minimum") xdg_toplevel_set_min_size(show_window(10, 10).top, -1, -1);
  IS("scale") wl_surface_set_buffer_scale(show_window(10, 10).surface, 0x7fffffff);
  IS("viewport") {
    struct window w = show_window(10, 10);
    struct wp_viewport *v = wp_viewporter_get_viewport(viewporter, w.surface);
    wp_viewport_set_source(v, 0, 0, wl_fixed_from_int(8000000), wl_fixed_from_int(8000000));
    wp_viewport_set_destination(v, 0x7fffffff, 0x7fffffff);
    wl_surface_commit(w.surface);
  }
  IS("enormous") {
    // One pixel each, drawn as large as numbers go.
    struct window w = show_window(1, 1);
    xdg_toplevel_set_min_size(w.top, 0x7fffffff, 0x7fffffff);
    wp_viewport_set_destination(wp_viewporter_get_viewport(viewporter, w.surface), 0x7fffffff, 0x7fffffff);
    wl_surface_commit(w.surface);
    struct wl_surface *over = wl_compositor_create_surface(compositor);
    struct xdg_surface *shell = xdg_wm_base_get_xdg_surface(base, over);
    xdg_surface_add_listener(shell, &surface_listener, NULL);
    struct xdg_positioner *p = xdg_wm_base_create_positioner(base);
    xdg_positioner_set_size(p, 10, 10);
    xdg_positioner_set_anchor_rect(p, 50, 50, 1, 1);
    xdg_surface_get_popup(shell, w.shell, p);
    wl_surface_commit(over);
    wl_display_roundtrip(display);
    wp_viewport_set_destination(wp_viewporter_get_viewport(viewporter, over), 0x7fffffff, 0x7fffffff);
    show(over, 1, 1);
    wl_display_roundtrip(display);
  }
  IS("surfaces") FOREVER wl_compositor_create_surface(compositor);
  IS("regions") FOREVER wl_compositor_create_region(compositor);
  IS("rectangles") { struct wl_region *r = wl_compositor_create_region(compositor); FOREVER wl_region_add(r, i, i, 1, 1); }
  IS("frames") {
    struct window w = show_window(10, 10);
    wl_surface_attach(w.surface, NULL, 0, 0);
    FOREVER { wl_surface_frame(w.surface); wl_surface_commit(w.surface); }
  }
  IS("frames-of-the-dead") FOREVER {
    struct wl_surface *s = wl_compositor_create_surface(compositor);
    for (int n = 0; n < 100; n++) wl_surface_frame(s);
    wl_surface_destroy(s);
    if (i == 2000) stay();
  }
  IS("registries") FOREVER wl_display_get_registry(display);
  IS("positioners") FOREVER xdg_wm_base_create_positioner(base);
  IS("globals") FOREVER wl_registry_bind(registry, seat_name, &wl_seat_interface, 5);
  IS("keyboards") FOREVER wl_seat_get_keyboard(seat);
  IS("pools") {
    memory = memfd_create("pixels", 0);
    if (ftruncate(memory, 4096) != 0) exit(3);
    FOREVER wl_shm_create_pool(shm, memory, 4096);
  }
  IS("buffers") FOREVER { make_buffer(1, 1, 4, 4); close_memory(); }
  IS("windows") FOREVER {
    struct window w = make_window();
    // The window outlives its surface.
    wl_surface_destroy(w.surface);
  }
  IS("popups") {
    struct window w = show_window(10, 10);
    FOREVER make_popup(xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor)), w.shell);
  }
  IS("pixels") FOREVER {
    struct window w = show_window(4096, 4096);
    (void)w;
    close_memory();
  }
  IS("popup-without-parent") make_popup(xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor)), NULL);
  IS("popup-of-itself") {
    struct xdg_surface *s = xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor));
    make_popup(s, s);
  }
  IS("popup-loop") {
    struct window w = show_window(10, 10);
    struct xdg_surface *a = xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor));
    struct xdg_surface *b = xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor));
    struct xdg_popup *first = make_popup(a, w.shell);
    make_popup(b, a);
    xdg_popup_destroy(first);
    make_popup(a, b);
  }
  IS("window-loop") {
    struct window a = show_window(10, 10), b = show_window(10, 10);
    xdg_toplevel_set_parent(a.top, b.top);
    xdg_toplevel_set_parent(b.top, a.top);
  }
  IS("subsurface-loop") {
    struct wl_surface *a = wl_compositor_create_surface(compositor), *b = wl_compositor_create_surface(compositor);
    wl_subcompositor_get_subsurface(subcompositor, a, b);
    wl_subcompositor_get_subsurface(subcompositor, b, a);
  }
  IS("subsurface-depth") {
    struct wl_surface *parent = show_window(10, 10).surface;
    FOREVER {
      struct wl_surface *child = wl_compositor_create_surface(compositor);
      wl_subcompositor_get_subsurface(subcompositor, child, parent);
      wl_surface_commit(child);
      parent = child;
    }
  }
  IS("after-destroy") {
    struct window w = show_window(10, 10);
    uint32_t id = wl_proxy_get_id((struct wl_proxy *)w.surface);
    xdg_toplevel_destroy(w.top), xdg_surface_destroy(w.shell), wl_surface_destroy(w.surface);
    raw((uint32_t[]){id, 8 << 16 | 6}, 8);
  }
  IS("surface-first") {
    struct window w = show_window(10, 10);
    wl_surface_destroy(w.surface);
    xdg_surface_set_window_geometry(w.shell, 0, 0, 5, 5);
    xdg_toplevel_set_fullscreen(w.top, NULL);
    xdg_toplevel_destroy(w.top);
    xdg_surface_destroy(w.shell);
    show_window(20, 20);
  }
  IS("unconfigured") { struct window w = make_window(); show(w.surface, 10, 10); }
  IS("two-roles") {
    struct window w = show_window(10, 10);
    wl_subcompositor_get_subsurface(subcompositor, w.surface, wl_compositor_create_surface(compositor));
  }
  IS("serial") xdg_surface_ack_configure(show_window(10, 10).shell, 0xdeadbeef);
  IS("no-role") wl_surface_commit(xdg_wm_base_get_xdg_surface(base, wl_compositor_create_surface(compositor)) ? show_window(1, 1).surface : NULL);
  IS("title") {
    char title[4000];
    memset(title, 0xff, sizeof title);
    title[sizeof title - 1] = 0;
    xdg_toplevel_set_title(show_window(10, 10).top, title);
  }
  IS("long-title") {
    // A length of megabytes in its head; the library's own limit is 4 KiB.
    struct window w = show_window(10, 10);
    char *bytes = calloc(1, 65532);
    uint32_t head[3] = {wl_proxy_get_id((struct wl_proxy *)w.top), 65532u << 16 | 2, 4 << 20};
    memcpy(bytes, head, sizeof head);
    raw(bytes, 65532);
  }
  IS("splash") {
    struct window splash = show_window(30, 30);
    struct window main = show_window(60, 60);
    (void)main;
    xdg_toplevel_destroy(splash.top), xdg_surface_destroy(splash.shell), wl_surface_destroy(splash.surface);
    wl_display_roundtrip(display);
  }
  IS("root-first") {
    struct window root = show_window(60, 60);
    struct window dialog = make_window();
    xdg_toplevel_set_parent(dialog.top, root.top);
    wl_surface_commit(dialog.surface);
    wl_display_roundtrip(display);
    show(dialog.surface, 30, 30);
    xdg_toplevel_destroy(root.top), xdg_surface_destroy(root.shell), wl_surface_destroy(root.surface);
    wl_display_roundtrip(display);
  }
  IS("again") {
    // Hidden by a commit without a buffer, and shown as if it were new, with the same objects.
    struct window w = show_window(60, 60);
    wl_surface_attach(w.surface, NULL, 0, 0);
    wl_surface_commit(w.surface);
    wl_display_roundtrip(display);
    last_serial = 0;
    wl_surface_commit(w.surface);
    wl_display_roundtrip(display);
    if (last_serial == 0) puts("not configured again");
    show(w.surface, 70, 70);
  }
  IS("stopped") {
    wl_seat_get_pointer(seat), wl_seat_get_keyboard(seat);
    show_window(200, 200);
    puts("stopping");
    fflush(stdout);
    pid_t self = getpid();
    int alarm_seconds = 2;
    if (fork() == 0) { sleep(alarm_seconds); kill(self, SIGCONT); _exit(0); }
    raise(SIGSTOP);
    puts("continued");
  }
  IS("stopped-for-ever") {
    wl_seat_get_pointer(seat), wl_seat_get_keyboard(seat);
    show_window(200, 200);
    puts("stopping");
    fflush(stdout);
    raise(SIGSTOP);
  }
  IS("deaf") {
    // Asks, and never reads the answers.
    show_window(10, 10);
    // The library's next one; the host is done with it at once, so it may be used again.
    uint32_t id = wl_proxy_get_id((struct wl_proxy *)wl_compositor_create_region(compositor)) + 1;
    for (;;) {
      uint32_t sync[3] = {1, 12 << 16, id};
      raw(sync, sizeof sync);
    }
  }
  IS("flood") {
    // Legal all of it, and too much.
    struct window w = show_window(200, 200);
    uint32_t id = wl_proxy_get_id((struct wl_proxy *)w.surface);
    uint32_t bytes[2 * 4096];
    for (int n = 0; n < 4096; n++) bytes[2 * n] = id, bytes[2 * n + 1] = 8 << 16 | 6;
    puts("tried");
    for (;;) raw(bytes, sizeof bytes);
  }
  IS("pixel-flood") {
    // 64 MiB to copy for each forty bytes.
    struct window w = show_window(4096, 4096);
    struct wl_buffer *b = make_buffer(4096, 4096, 4096 * 4, 4096 * 4096 * 4);
    puts("tried");
    FOREVER {
      wl_surface_attach(w.surface, b, 0, 0);
      wl_surface_damage(w.surface, 0, 0, 4096, 4096);
      wl_surface_commit(w.surface);
    }
  }
  IS("garbage") {
    show_window(10, 10);
    uint32_t bytes[1024];
    srand(1);
    for (int n = 0; n < 1024; n++) bytes[n] = rand();
    for (;;) raw(bytes, sizeof bytes);
  }
  IS("zero-length") raw((uint32_t[]){1, 0}, 8);
  IS("killed") {
    struct window w = show_window(100, 100);
    wl_surface_attach(w.surface, make_buffer(100, 100, 400, 40000), 0, 0);
    wl_surface_frame(w.surface);
    // Half of a request.
    raw((uint32_t[]){wl_proxy_get_id((struct wl_proxy *)w.surface)}, 4);
    puts("tried");
    fflush(stdout);
    kill(getpid(), SIGKILL);
  }
  stay();
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  // A stopped one would stay for ever.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  display = wl_display_connect(NULL);
  if (count < 2 || display == NULL) return 2;
  registry = wl_display_get_registry(display);
  wl_registry_add_listener(registry, &registry_listener, NULL);
  wl_display_roundtrip(display);
  xdg_wm_base_add_listener(base, &base_listener, NULL);
  attack(arguments[1]);
  return 0;
}
