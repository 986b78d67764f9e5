// The layout of an X11 server's keyboard.
#pragma once
#include <xkbcommon/xkbcommon-x11.h>
