// The first process of an instance: starts the program, tells its exact end, and leaves nothing behind.
//
//   extension-init STATUSFD [OPTIONS] -- PROGRAM [ARGUMENT…]
//   --parent PID        not the first process of its own namespace, but a child of PID (the launcher)
//   --sandbox N         PROGRAM is bwrap and gets descriptors 0 to N - 1; its sandbox has a first process of its own,
//                       which tells of the end. This one is there to leave nothing of it when the launcher dies.
//   --chdir DIRECTORY   where the program starts
//   --stop program      it is stopped, as by SIGSTOP, when it is loaded and has not run an instruction
//   --unset NAME        a variable that the program does not get
//   --writable DIRECTORY, --devices DIRECTORY   for Landlock: where it may do everything, or write to what is there
//   --network WORD      for Landlock: the network is the machine's, for a client, a server or both
//   --wait N            starts the program when one byte comes from descriptor N, and keeps that open
//   --soft-nofile N     the soft limit of open files alone
//   --nofile N, --fsize N, --core N   both limits, as in setrlimit(2)
//
// Descriptors 0 to 3 are the program's. STATUSFD gets lines: "landlock ABI" (0: the kernel has none), "executed", "stopped",
// "failed STAGE ERRNO" (limits, fork, landlock, sessionBus, debugger, program),
// then "exit STATUS" or "signal NUMBER CORE". Linked statically, so that it runs in a sandbox without libraries.
#define _GNU_SOURCE
#include "landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { control_socket = 3, usage = 64, not_started = 127 };
// Ends everything at once. Sent by the launcher, and by the kernel when the launcher dies.
#define SIGEND SIGRTMAX

static int status;
static pid_t parent;
/// How many descriptors the sandbox gets; 0 in a sandbox or without one.
static int sandbox_descriptors;
static int stops;
/// Tells when the filter before the session bus is there; 0: there is none.
static int gate;

/// Closes all from the first number on; one may stay.
static void close_descriptors(int first, int kept) {
  if (kept > first) syscall(SYS_close_range, first, kept - 1, 0);
  syscall(SYS_close_range, kept < first ? first : kept + 1, ~0U, 0);
}

static void set_limit(int resource, const char *text, int soft_only) {
  struct rlimit limit;
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 10);
  if (errno == 0 && (end == text || *end)) errno = EINVAL;
  if (errno == 0 && getrlimit(resource, &limit) == 0) {
    // A soft limit alone is a default, not a rule: as much of it as may be.
    limit.rlim_cur = soft_only && value > limit.rlim_max ? limit.rlim_max : value;
    if (!soft_only) limit.rlim_max = value;
    if (setrlimit(resource, &limit) == 0) return;
  }
  dprintf(status, "failed limits %d\n", errno);
  exit(not_started);
}

/// Reads the options that must hold before the program runs. Returns the index of the program.
static int prepare(int count, char **arguments) {
  int index = 2;
  for (; index + 1 < count && strcmp(arguments[index], "--"); index += 2) {
    const char *name = arguments[index], *value = arguments[index + 1];
    if (!strcmp(name, "--parent")) {
      parent = atoi(value);
    } else if (!strcmp(name, "--sandbox")) {
      sandbox_descriptors = atoi(value);
    } else if (!strcmp(name, "--stop")) {
      stops = 1;
    } else if (!strcmp(name, "--unset")) {
      unsetenv(value);
    } else if (!strcmp(name, "--chdir")) {
      if (chdir(value) == 0) continue;
      dprintf(status, "failed program %d\n", errno);
      exit(not_started);
    } else if (!strcmp(name, "--writable")) {
      landlock_add_writable(value);
    } else if (!strcmp(name, "--devices")) {
      landlock_add_devices(value);
    } else if (!strcmp(name, "--network")) {
      if (!landlock_share_network(value)) exit(usage);
    } else if (!strcmp(name, "--wait")) {
      gate = atoi(value);
    } else if (!strcmp(name, "--soft-nofile")) {
      set_limit(RLIMIT_NOFILE, value, 1);
    } else if (!strcmp(name, "--nofile")) {
      set_limit(RLIMIT_NOFILE, value, 0);
    } else if (!strcmp(name, "--fsize")) {
      set_limit(RLIMIT_FSIZE, value, 0);
    } else if (!strcmp(name, "--core")) {
      set_limit(RLIMIT_CORE, value, 0);
    } else {
      exit(usage);
    }
  }
  if (index + 1 >= count) exit(usage);
  return index + 1;
}

/// Why the program did not start. In the pipe that its exec closes.
struct failure {
  enum { at_program, at_debugger, at_landlock } stage;
  int error;
};

static _Noreturn void run(char **arguments, int report) {
  char text[16];
  snprintf(text, sizeof text, "%d", getpid());
  setenv("LISTEN_PID", text, 1);
  // Where this is not the first process of a namespace, nothing else ends the program when this process is killed.
  if (parent) prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction standard;
  memset(&standard, 0, sizeof standard);
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  struct failure failure = {at_program, 0};
  // Not in the first process, which has to end what the program leaves.
  int landlock = landlock_is_wanted() ? landlock_restrict() : 0;
  if (landlock < 0) {
    failure.stage = at_landlock;
  } else if (stops && ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0) {
    failure.stage = at_debugger;
  } else {
    if (landlock_is_wanted()) dprintf(status, "landlock %d\n", landlock);
    execv(arguments[0], arguments);
  }
  failure.error = errno;
  (void)!write(report, &failure, sizeof failure);
  _exit(not_started);
}

/// Lets go of the program where its exec has stopped it, and leaves it stopped: a debugger that comes later finds the
/// program itself, not what stood in its place before.
static void leave_stopped(pid_t program) {
  int state;
  pid_t got;
  do got = waitpid(program, &state, 0);
  while (got < 0 && errno == EINTR);
  if (got != program || !WIFSTOPPED(state) || ptrace(PTRACE_DETACH, program, NULL, (void *)SIGSTOP) < 0) {
    kill(program, SIGKILL);
    return;
  }
  // It is let go first and stops then. Its end, if that comes instead, is left to whoever waits for it.
  siginfo_t stop;
  while (waitid(P_PID, program, &stop, WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR) {}
  if (stop.si_code == CLD_STOPPED) dprintf(status, "stopped\n");
}

/// Starts the program and returns after its exec.
static pid_t start(char **arguments) {
  int report[2];
  struct failure failure = {at_program, 0};
  pid_t program = -1;
  if (pipe2(report, O_CLOEXEC) == 0) program = fork();
  if (program < 0) {
    dprintf(status, "failed fork %d\n", errno);
    exit(not_started);
  }
  if (program == 0) run(arguments, report[1]);
  close(report[1]);
  // The control socket ends with the program, not with this process.
  close(control_socket);
  ssize_t got;
  do got = read(report[0], &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  close(report[0]);
  // Otherwise the exec has closed the pipe, and nothing was written.
  if (got != 0) {
    const char *stage = failure.stage == at_landlock ? "landlock"
                        : failure.stage == at_debugger ? "debugger"
                        : sandbox_descriptors          ? "sandbox"
                                                       : "program";
    dprintf(status, "failed %s %d\n", stage, failure.error);
    exit(not_started);
  }
  if (sandbox_descriptors) {
    close_descriptors(0, -1);
  } else {
    dprintf(status, "executed\n");
    if (stops) leave_stopped(program);
  }
  return program;
}

/// The program could look for the bus at once.
static void wait_for_gate(void) {
  char byte;
  ssize_t got;
  do got = read(gate, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) return;
  dprintf(status, "failed sessionBus %d\n", got < 0 ? errno : 0);
  exit(not_started);
}

/// Kills the children; those of theirs come to this process as they end, and have their turn then.
static void kill_children(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
  FILE *list = fopen(path, "re");
  if (!list) return;
  int child;
  while (fscanf(list, "%d", &child) == 1) kill(child, SIGKILL);
  fclose(list);
}

/// Ends what the program has left. The kernel does it for the first process of a namespace.
static void clean_up(void) {
  if (!parent) return;
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
  while (1) {
    pid_t child;
    while ((child = waitpid(-1, NULL, WNOHANG)) > 0) {}
    if (child < 0 && errno == ECHILD) return;
    kill_children();
    sigtimedwait(&ended, NULL, &moment);
  }
}

/// Takes the ends of all children; true when the program's was among them.
static int reap(pid_t program, int *end) {
  int found = 0, state;
  pid_t child;
  while ((child = waitpid(-1, &state, WNOHANG)) > 0) {
    if (child != program) continue;
    *end = state;
    found = 1;
  }
  return found;
}

int main(int count, char **arguments) {
  if (count < 2) return usage;
  status = atoi(arguments[1]);
  if (status <= control_socket || fcntl(status, F_GETFD) < 0) return usage;
  prctl(PR_SET_NAME, "extension-init");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
  signal(SIGCHLD, SIG_DFL);
  int program_index = prepare(count, arguments);
  // Directories of the world outside must not lie open in a process that the program can look into.
  if (sandbox_descriptors) {
    close_descriptors(sandbox_descriptors, -1);
  } else {
    fcntl(status, F_SETFD, FD_CLOEXEC);
    if (gate > status) {
      fcntl(gate, F_SETFD, FD_CLOEXEC);
      close_descriptors(status + 1, gate);
    } else {
      close_descriptors(control_socket + 1, status);
    }
  }
  if (parent) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGEND);
    // It may have died before the call above.
    if (getppid() != parent) return not_started;
  }
  if (gate) wait_for_gate();
  pid_t program = start(arguments + program_index);

  int end;
  while (1) {
    int number = sigwaitinfo(&all, NULL);
    if (number == SIGCHLD) {
      if (reap(program, &end)) break;
    } else if (number == SIGEND) {
      kill(program, SIGKILL);
    } else if (number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGUSR1 || number == SIGUSR2) {
      kill(program, number);
    }
  }
  if (sandbox_descriptors) {
    // The sandbox has told it.
  } else if (WIFEXITED(end)) {
    dprintf(status, "exit %d\n", WEXITSTATUS(end));
  } else {
    dprintf(status, "signal %d %d\n", WTERMSIG(end), !!WCOREDUMP(end));
  }
  clean_up();
  return WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
}
