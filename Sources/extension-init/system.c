#include "system.h"

// The kernel leaves the count of arguments on the stack, then the arguments, NULL, the variables, NULL.
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n  xor %ebp, %ebp\n  mov %rsp, %rdi\n  and $-16, %rsp\n  call begin\n");
#else
__asm__(".globl _start\n_start:\n  mov x29, #0\n  mov x30, #0\n  mov x0, sp\n  and sp, x0, #-16\n  b begin\n");
#endif

_Noreturn __attribute__((used)) void begin(long *stack) {
  char **arguments = (char **)(stack + 1);
  end_process(run((int)stack[0], arguments, arguments + stack[0] + 1));
}

_Noreturn void end_process(int code) {
  while (1) KERNEL(exit_group, code, 0, 0, 0, 0);
}

// The compiler wants these two. It must not find out what they are, and call them in themselves.
void *memset(void *to, int value, size_t count) {
  for (volatile char *byte = to; count > 0; count--) *byte++ = (char)value;
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  const char *source = from;
  for (volatile char *byte = to; count > 0; count--) *byte++ = *source++;
  return to;
}

int is_same(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return *one == *other;
}

int is_variable(const char *text, const char *name) {
  while (*name && *text == *name) text++, name++;
  return !*name && *text == '=';
}

int read_number(const char *text, unsigned long *number) {
  *number = 0;
  if (!*text) return 0;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return 0;
    if (__builtin_mul_overflow(*number, 10, number)) return 0;
    if (__builtin_add_overflow(*number, (unsigned long)(*text - '0'), number)) return 0;
  }
  return 1;
}

char *add_text(char *end, const char *text) {
  while (*text) *end++ = *text++;
  return end;
}

char *add_number(char *end, long number) {
  char digits[20];
  int count = 0;
  if (number < 0) *end++ = '-', number = -number;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *end++ = digits[--count];
  return end;
}
