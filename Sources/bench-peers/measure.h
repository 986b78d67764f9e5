// What the peers of the benchmark have in common. Each one is a process that says "ready" when it can be measured, and
// then, for each number in a line of its standard input, measures that often and writes the nanoseconds in a line. It
// ends with its input, and its last line of standard error says why it cannot be measured.
#pragma once
#include <stdint.h>
#include <sys/types.h>

/// Nanoseconds, as all processes of the machine count them.
uint64_t now(void);
/// Says what failed, with the error's text, and ends the process. Negative numbers are errors, too.
_Noreturn void fail(const char *what, int error);
/// Forks a process that ends with this one.
pid_t child(void);
/// Keeps a process (0: the caller) on one CPU.
void keep_on(pid_t process, int cpu);
/// Measures as often as standard input asks.
_Noreturn void serve(uint64_t (*once)(void));
