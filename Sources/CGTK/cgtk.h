// GTK 4, for hosts' views, for extensions' contents, and for the browser.
#pragma once
#include <glib-unix.h>
#include <gtk/gtk.h>
