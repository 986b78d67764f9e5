// What the floors share.
#pragma once
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)
uint64_t now(void);
/// Forks a process that ends with this one, and at cbench_end.
pid_t child(void);
#pragma GCC visibility pop
