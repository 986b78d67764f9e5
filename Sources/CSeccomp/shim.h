#pragma once
#include <seccomp.h>
#include <stdlib.h>

/// Whether the library knows a call by this number on this machine's architecture.
static inline int cseccomp_knows(int number) {
  char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  free(name);
  return name != NULL;
}
