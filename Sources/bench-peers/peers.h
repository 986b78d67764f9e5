#pragma once
#include "measure.h"

#include <systemd/sd-bus.h>

/// A connection of its own to the bus of DBUS_SESSION_BUS_ADDRESS.
sd_bus *connect_bus(void);
/// Lets the caller's process, and what it forks, run on one CPU, and the bus on another.
void keep_apart(sd_bus *bus);

// The peers, by name. Each sets itself up and serves.
_Noreturn void be_open(char **arguments);
_Noreturn void be_activation(char **arguments);
_Noreturn void be_socket_activation(char **arguments);
_Noreturn void be_fanout(char **arguments);
_Noreturn void be_varlink(char **arguments);
