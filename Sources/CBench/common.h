// What the floors share.
#pragma once
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#pragma GCC visibility push(hidden)
uint64_t now(void);
struct sockaddr_un address_of(const char *path);
/// Forks a process that ends with this one.
pid_t fork_bound(void);
/// The same, and at cbench_end.
pid_t child(void);
#pragma GCC visibility pop
