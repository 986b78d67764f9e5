// The deprecated header would make wl_resource a complete type, which Swift would import as another one.
#define WL_HIDE_DEPRECATED
#include <wayland-server-core.h>
#include <wayland-server-protocol.h>
