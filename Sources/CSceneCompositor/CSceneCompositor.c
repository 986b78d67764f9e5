#include "scene-compositor.h"
#include <string.h>

char *extk_text_copy(const char *text) { return strdup(text); }
