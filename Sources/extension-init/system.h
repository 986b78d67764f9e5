// The kernel's calls, and the little else that is wanted of a C library. The start of a library touches more memory than
// all that extension-init does, and each page of it costs every launch about ten microseconds.
#pragma once

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "extension-init has no system calls for this processor; add them to system.h, and the start to system.c"
#endif

/// One call: its result, or the negative number of the error. In place, since a child that shares the stack must find
/// nothing on it that it can spoil.
static inline __attribute__((always_inline)) long kernel(long number, long a, long b, long c, long d, long e) {
#if defined(__x86_64__)
  long result = number;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                   : "rcx", "r11", "memory");
#else
  register long name __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b, third __asm__("x2") = c, fourth __asm__("x3") = d, fifth __asm__("x4") = e;
  __asm__ volatile("svc 0"
                   : "+r"(result)
                   : "r"(name), "r"(second), "r"(third), "r"(fourth), "r"(fifth)
                   : "memory");
#endif
  return result;
}

#define KERNEL(NAME, A, B, C, D, E) kernel(SYS_##NAME, (long)(A), (long)(B), (long)(C), (long)(D), (long)(E))

/// Signals as the kernel has them: a bit each, from the first on.
typedef unsigned long signals;
static inline signals signal_set(int number) { return 1UL << (number - 1); }

_Noreturn void end_process(int code);

int is_same(const char *one, const char *other);
/// Whether a text begins with this name and a sign of equality.
int is_variable(const char *text, const char *name);
/// A whole text as a number. Returns 0 where it is none.
int read_number(const char *text, unsigned long *number);
/// Appends to a text, and returns its new end. There must be room.
char *add_text(char *end, const char *text);
char *add_number(char *end, long number);

/// What the process does; its result is the exit status.
int run(int count, char **arguments, char **variables);
