#include "scene-compositor.h"
