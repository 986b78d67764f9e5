#pragma once

/// Serves this name on the bus that started the program, or else on the session's, until it is told to end.
int serve_bus(const char *name);
