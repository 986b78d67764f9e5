// The first process of an instance: starts the program, tells its exact end, and leaves nothing behind.
//
//   extension-init STATUSFD [OPTIONS] -- PROGRAM [ARGUMENT…]
//   --parent PID        not the first process of its own namespace, but a child of PID (the launcher)
//   --chdir DIRECTORY   where the program starts
//   --stop program      it is stopped, as by SIGSTOP, when it is loaded and has not run an instruction
//   --unset NAME        a variable that the program does not get
//   --writable DIRECTORY, --devices DIRECTORY   for Landlock: where it may do everything, or write to what is there
//   --network WORD      for Landlock: the network is the machine's, for a client, a server or both
//   --wait N            starts the program when one byte comes from descriptor N, and keeps that open
//   --soft-nofile N     the soft limit of open files alone
//   --nofile N, --fsize N, --core N, --data N, --nproc N   both limits, as in setrlimit(2), or less where no more is left
//
// Descriptors 0 to 3 are the program's. STATUSFD gets lines: "landlock ABI" (0: the kernel has none), "executed", "stopped",
// "failed STAGE ERRNO" (limits, fork, landlock, sessionBus, debugger, program),
// then "exit STATUS" or "signal NUMBER CORE".
//
//   extension-init --guard PROGRAM [ARGUMENT…]
//
// Above the launcher, where there are no control groups: has no part in what it does, and when the launcher ends, ends
// what it leaves. When this process is killed, the launcher gets SIGTERM.
#define _GNU_SOURCE
#include "landlock.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { control_socket = 3, usage = 64, not_started = 127 };
// SIGRTMAX. Ends everything at once. Sent by the launcher, and by the kernel when the launcher dies.
enum { end_signal = 64 };

static int status;
static int parent;
static int guards;
static int stops;
/// Tells when the filter before the session bus is there; 0: there is none.
static int gate;

/// Closes all from the first number on; one may stay.
static void close_descriptors(int first, int kept) {
  if (kept > first) KERNEL(close_range, first, kept - 1, 0, 0, 0);
  KERNEL(close_range, kept < first ? first : kept + 1, ~0U, 0, 0, 0);
}

// MARK: What is told

/// The report: whole lines, in one piece.
static char report[256];
static char *report_end = report;

static void report_line(const char *words, int count, long first, long second) {
  report_end = add_text(report_end, words);
  if (count > 0) report_end = add_number(add_text(report_end, " "), first);
  if (count > 1) report_end = add_number(add_text(report_end, " "), second);
  report_end = add_text(report_end, "\n");
}

static void send_report(void) {
  if (!guards) KERNEL(write, status, report, report_end - report, 0, 0);
  report_end = report;
}

static _Noreturn void fail(const char *stage, long error) {
  report_end = add_text(report_end, "failed ");
  report_line(stage, 1, error < 0 ? -error : error, 0);
  send_report();
  end_process(not_started);
}

// MARK: Before the program

static void set_limit(int resource, const char *text, int soft_only) {
  struct rlimit limit;
  unsigned long value;
  long error = read_number(text, &value) ? KERNEL(prlimit64, 0, resource, NULL, &limit, 0) : -EINVAL;
  if (error == 0) {
    // It says what may be used at most, so less is right too.
    if (value > limit.rlim_max) value = limit.rlim_max;
    limit.rlim_cur = value;
    if (!soft_only) limit.rlim_max = value;
    error = KERNEL(prlimit64, 0, resource, &limit, NULL, 0);
  }
  if (error < 0) fail("limits", error);
}

static void unset(char **variables, const char *name) {
  char **kept = variables;
  for (; *variables; variables++)
    if (!is_variable(*variables, name)) *kept++ = *variables;
  *kept = NULL;
}

static int number_of(const char *text) {
  unsigned long number;
  if (!read_number(text, &number) || number > 0x7fffffff) end_process(usage);
  return (int)number;
}

/// Reads the options that must hold before the program runs. Returns the index of the program.
static int prepare(int count, char **arguments, char **variables) {
  int index = 2;
  for (; index + 1 < count && !is_same(arguments[index], "--"); index += 2) {
    const char *name = arguments[index], *value = arguments[index + 1];
    if (is_same(name, "--parent")) {
      parent = number_of(value);
    } else if (is_same(name, "--stop")) {
      stops = 1;
    } else if (is_same(name, "--unset")) {
      unset(variables, value);
    } else if (is_same(name, "--chdir")) {
      long error = KERNEL(chdir, value, 0, 0, 0, 0);
      if (error < 0) fail("program", error);
    } else if (is_same(name, "--writable")) {
      landlock_add_writable(value);
    } else if (is_same(name, "--devices")) {
      landlock_add_devices(value);
    } else if (is_same(name, "--network")) {
      if (!landlock_share_network(value)) end_process(usage);
    } else if (is_same(name, "--wait")) {
      gate = number_of(value);
    } else if (is_same(name, "--soft-nofile")) {
      set_limit(RLIMIT_NOFILE, value, 1);
    } else if (is_same(name, "--nofile")) {
      set_limit(RLIMIT_NOFILE, value, 0);
    } else if (is_same(name, "--fsize")) {
      set_limit(RLIMIT_FSIZE, value, 0);
    } else if (is_same(name, "--core")) {
      set_limit(RLIMIT_CORE, value, 0);
    } else if (is_same(name, "--data")) {
      set_limit(RLIMIT_DATA, value, 0);
    } else if (is_same(name, "--nproc")) {
      set_limit(RLIMIT_NPROC, value, 0);
    } else {
      end_process(usage);
    }
  }
  if (index + 1 >= count) end_process(usage);
  return index + 1;
}

/// The program could look for the bus at once.
static void wait_for_gate(void) {
  char byte;
  long got;
  do got = KERNEL(read, gate, &byte, 1, 0, 0);
  while (got == -EINTR);
  if (got != 1) fail("sessionBus", got);
}

// MARK: The program

/// Why the program did not start, and what Landlock it has. Its process shares this memory until its exec.
static struct {
  const char *stage;
  long error;
  int landlock;
} start_of_program;

/// The program's process, from its beginning to its exec. It starts with the dispositions of this one, which the launcher
/// has put to their defaults.
static _Noreturn __attribute__((noinline)) void become_program(char **arguments, char **variables) {
  int count = 0;
  while (variables[count]) count++;
  char *own[count + 2], number[32];
  char **next = own;
  if (!guards) {
    unset(variables, "LISTEN_PID");
    char *end = add_number(add_text(number, "LISTEN_PID="), KERNEL(getpid, 0, 0, 0, 0, 0));
    *end = 0;
    *next++ = number;
  }
  do *next++ = *variables;
  while (*variables++);
  // Where this is not the first process of a namespace, nothing else ends the program when this process is killed.
  if (guards) KERNEL(prctl, PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
  if (parent) KERNEL(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  const signals none = 0;
  KERNEL(rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none, 0);
  // Not in the first process, which has to end what the program leaves.
  start_of_program.stage = "landlock";
  long error = landlock_is_wanted() ? landlock_restrict() : 0;
  if (error >= 0) {
    start_of_program.landlock = (int)error;
    start_of_program.stage = "debugger";
    error = stops ? KERNEL(ptrace, PTRACE_TRACEME, 0, NULL, NULL, 0) : 0;
  }
  if (error >= 0) {
    start_of_program.stage = "program";
    error = KERNEL(execve, arguments[0], arguments, own, 0, 0);
  }
  start_of_program.error = error;
  end_process(not_started);
}

/// Lets go of the program where its exec has stopped it, and leaves it stopped: a debugger that comes later finds the
/// program itself, not what stood in its place before.
static void leave_stopped(int program) {
  int state = 0;
  long got;
  do got = KERNEL(wait4, program, &state, 0, NULL, 0);
  while (got == -EINTR);
  if (got != program || !WIFSTOPPED(state) || KERNEL(ptrace, PTRACE_DETACH, program, NULL, SIGSTOP, 0) < 0) {
    KERNEL(kill, program, SIGKILL, 0, 0, 0);
    return;
  }
  // It is let go first and stops then. Its end, if that comes instead, is left to whoever waits for it.
  siginfo_t stop;
  stop.si_code = 0;
  while (KERNEL(waitid, P_PID, program, &stop, WSTOPPED | WEXITED | WNOWAIT, NULL) == -EINTR) {}
  if (stop.si_code == CLD_STOPPED) report_line("stopped", 0, 0, 0);
  send_report();
}

/// Starts the program and returns after its exec. Until then this process stands still: nothing of its memory is copied.
static int start(char **arguments, char **variables) {
  long program = KERNEL(clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
  if (program == 0) become_program(arguments, variables);
  if (program < 0) fail("fork", program);
  if (guards) {
    close_descriptors(0, -1);
    return (int)program;
  }
  // The control socket ends with the program, not with this process.
  KERNEL(close, control_socket, 0, 0, 0, 0);
  if (start_of_program.error < 0) fail(start_of_program.stage, start_of_program.error);
  if (landlock_is_wanted()) report_line("landlock", 1, start_of_program.landlock, 0);
  report_line("executed", 0, 0, 0);
  send_report();
  if (stops) leave_stopped((int)program);
  return (int)program;
}

// MARK: The end

/// Kills the children; those of theirs come to this process as they end, and have their turn then.
static void kill_children(void) {
  char path[64], text[512];
  *add_text(add_number(add_text(path, "/proc/self/task/"), KERNEL(getpid, 0, 0, 0, 0, 0)), "/children") = 0;
  long list = KERNEL(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0, 0);
  if (list < 0) return;
  int child = 0;
  long got;
  // A space ends each number.
  while ((got = KERNEL(read, list, text, sizeof text, 0, 0)) > 0) {
    for (long index = 0; index < got; index++) {
      if (text[index] >= '0' && text[index] <= '9') {
        child = child * 10 + (text[index] - '0');
      } else {
        if (child > 0) KERNEL(kill, child, SIGKILL, 0, 0, 0);
        child = 0;
      }
    }
  }
  KERNEL(close, list, 0, 0, 0, 0);
}

/// Ends what the program has left. The kernel does it for the first process of a namespace.
static void clean_up(void) {
  if (!parent && !guards) return;
  const signals ended = signal_set(SIGCHLD);
  const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
  for (int idle = 0;; idle++) {
    long child;
    while ((child = KERNEL(wait4, -1, NULL, WNOHANG, NULL, 0)) > 0) idle = 0;
    // The next launcher comes after this process. What a file system that hangs keeps from dying is not waited for.
    if (child == -ECHILD || (guards && idle > 250)) return;
    kill_children();
    KERNEL(rt_sigtimedwait, &ended, NULL, &moment, sizeof ended, 0);
  }
}

/// Takes the ends of all children; true when the program's was among them.
static int reap(int program, int *end) {
  int found = 0, state = 0;
  long child;
  while ((child = KERNEL(wait4, -1, &state, WNOHANG, NULL, 0)) > 0) {
    if (child != program) continue;
    *end = state;
    found = 1;
  }
  return found;
}

int run(int count, char **arguments, char **variables) {
  if (count < 3) return usage;
  guards = is_same(arguments[1], "--guard");
  if (!guards) {
    status = number_of(arguments[1]);
    if (status <= control_socket || KERNEL(fcntl, status, F_GETFD, 0, 0, 0) < 0) return usage;
  }
  KERNEL(prctl, PR_SET_NAME, "extension-init", 0, 0, 0);
  const signals all = ~0UL;
  KERNEL(rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all, 0);
  // struct sigaction as the kernel has it, with SIG_DFL. Where it is ignored, ends of children are not told.
  static const unsigned long standard[4];
  KERNEL(rt_sigaction, SIGCHLD, standard, NULL, sizeof all, 0);
  int program_index = guards ? 2 : prepare(count, arguments, variables);
  if (!guards) {
    // Directories of the world outside must not lie open in a process that the program can look into.
    KERNEL(fcntl, status, F_SETFD, FD_CLOEXEC, 0, 0);
    if (gate > status) {
      KERNEL(fcntl, gate, F_SETFD, FD_CLOEXEC, 0, 0);
      close_descriptors(status + 1, gate);
    } else {
      close_descriptors(control_socket + 1, status);
    }
  }
  if (parent || guards) KERNEL(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (parent) {
    KERNEL(prctl, PR_SET_PDEATHSIG, end_signal, 0, 0, 0);
    // It may have died before the call above.
    if (KERNEL(getppid, 0, 0, 0, 0, 0) != parent) return not_started;
  }
  if (gate) wait_for_gate();
  int program = start(arguments + program_index, variables);

  int end = 0;
  while (1) {
    long number = KERNEL(rt_sigtimedwait, &all, NULL, NULL, sizeof all, 0);
    if (number == SIGCHLD) {
      if (reap(program, &end)) break;
    } else if (number == end_signal) {
      KERNEL(kill, program, SIGKILL, 0, 0, 0);
    } else if (number == SIGTERM || number == SIGINT || number == SIGHUP || number == SIGUSR1 || number == SIGUSR2) {
      KERNEL(kill, program, number, 0, 0, 0);
    }
  }
  if (WIFEXITED(end)) {
    report_line("exit", 1, WEXITSTATUS(end), 0);
  } else {
    report_line("signal", 2, WTERMSIG(end), !!WCOREDUMP(end));
  }
  send_report();
  clean_up();
  return WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
}
