#include "extensionkit.h"
