#define _GNU_SOURCE
#include "measure.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void fail(const char *what, int error) {
  fprintf(stderr, "%s: %s\n", what, strerror(abs(error)));
  exit(1);
}

pid_t child(void) {
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) fail("fork", errno);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
  }
  return pid;
}

void serve(uint64_t (*once)(void)) {
  int count;
  puts("ready");
  fflush(stdout);
  while (scanf("%d", &count) == 1) {
    for (int each = 0; each < count; each++) printf(each ? " %llu" : "%llu", (unsigned long long)once());
    putchar('\n');
    fflush(stdout);
  }
  exit(0);
}

void keep_on(pid_t process, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(process, sizeof set, &set);
}
