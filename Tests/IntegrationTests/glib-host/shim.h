#define _GNU_SOURCE
#include <glib-unix.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int syscall_gettid(void) { return (int)syscall(SYS_gettid); }
