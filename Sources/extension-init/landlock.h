// Landlock for the program: landlock(7).
#pragma once

/// Remembers a directory in which the program may do everything. Elsewhere it may read and execute.
void landlock_add_writable(const char *path);

/// Remembers a directory of files that the program may write, and nothing more: devices, /proc.
void landlock_add_devices(const char *path);

/// The program shares the machine's network: "client", "server" or "both". What it may do with TCP is limited, and the
/// abstract sockets of others are not for it. Returns 0 where the word is another one.
int landlock_share_network(const char *what);

/// Whether anything was remembered.
int landlock_is_wanted(void);

/// Restricts this process and those that it starts, as far as the kernel can. Returns the kernel's ABI, 0 where it has no
/// Landlock that is of use and it is not needed for the network, or the negative number of the error where it has one that
/// failed.
int landlock_restrict(void);
