#define _GNU_SOURCE
#include "CBenchDaemon.h"
#include "common.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// MARK: Files

enum { walk_threads = 8, block = 128 << 10 };

struct walker {
  int root, hash, failed;
  char **names;
  int from, to;
  EVP_MD *algorithm;
  EVP_MD_CTX *digest;
  char *buffer;
};

static void walk_file(struct walker *walker, int directory, const char *name) {
  int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  ssize_t got = -1;
  EVP_DigestUpdate(walker->digest, name, strlen(name));
  // A short read of a file is its end.
  while (file >= 0 && (got = read(file, walker->buffer, block)) > 0) {
    EVP_DigestUpdate(walker->digest, walker->buffer, (size_t)got);
    if (got < block) break;
  }
  if (file < 0 || got < 0) walker->failed = 1;
  close(file);
}

static void walk_directory(struct walker *walker, int at, const char *name) {
  int descriptor = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
  if (!directory) {
    walker->failed = 1;
    return;
  }
  struct dirent *entry;
  struct stat status;
  while ((entry = readdir(directory))) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    if (!walker->hash && fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0) walker->failed = 1;
    if (entry->d_type == DT_DIR) walk_directory(walker, descriptor, entry->d_name);
    else if (walker->hash) walk_file(walker, descriptor, entry->d_name);
  }
  closedir(directory);
}

static void *walk_part(void *argument) {
  struct walker *walker = argument;
  unsigned char result[EVP_MAX_MD_SIZE];
  walker->digest = EVP_MD_CTX_new();
  walker->buffer = aligned_alloc(4096, block);
  for (int index = walker->from; index < walker->to; index++) {
    if (walker->hash) EVP_DigestInit_ex2(walker->digest, walker->algorithm, NULL);
    walk_directory(walker, walker->root, walker->names[index]);
    if (walker->hash) EVP_DigestFinal_ex(walker->digest, result, NULL);
  }
  free(walker->buffer);
  EVP_MD_CTX_free(walker->digest);
  return NULL;
}

uint64_t cbench_walk(const char *root, int hash, int threads) {
  static EVP_MD *algorithm;
  if (!algorithm) algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
  uint64_t start = now();
  DIR *directory = opendir(root);
  if (!directory || threads < 1 || threads > walk_threads) return 0;
  char **names = NULL;
  int count = 0, failed = 0;
  struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (entry->d_name[0] == '.' || entry->d_type != DT_DIR) continue;
    if (count % 1024 == 0) names = realloc(names, sizeof *names * (size_t)(count + 1024));
    names[count++] = strdup(entry->d_name);
  }
  pthread_t running[walk_threads];
  struct walker walkers[walk_threads];
  for (int each = 0; each < threads; each++) {
    walkers[each] = (struct walker){.root = dirfd(directory), .hash = hash, .names = names,
      .from = count * each / threads, .to = count * (each + 1) / threads, .algorithm = algorithm};
    if (each > 0) pthread_create(&running[each], NULL, walk_part, &walkers[each]);
  }
  walk_part(&walkers[0]);
  for (int each = 0; each < threads; each++) {
    if (each > 0) pthread_join(running[each], NULL);
    failed |= walkers[each].failed;
  }
  for (int index = 0; index < count; index++) free(names[index]);
  free(names);
  closedir(directory);
  return failed ? 0 : now() - start;
}

// MARK: Starting

uint64_t cbench_ready_once(const char *path, const char *const *environment, const int *sockets,
                           const char *notifications, int *process) {
  static char own[32];
  char *arguments[] = {(char *)path, NULL}, *variables[64] = {own, "LISTEN_FDS=2"}, bytes[4096];
  for (int index = 0; environment[index] && index < 61; index++) variables[2 + index] = (char *)environment[index];
  struct sockaddr_un address = address_of(notifications);
  int notified = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  unlink(notifications);
  if (bind(notified, (struct sockaddr *)&address, sizeof address) < 0) return 0;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  // Where they cannot be in each other's way.
  int first = fcntl(sockets[0], F_DUPFD_CLOEXEC, 10), second = fcntl(sockets[1], F_DUPFD_CLOEXEC, 10);
  uint64_t start = now();
  pid_t pid = vfork();
  if (pid == 0) {
    // Nobody else knows it; the parent waits, so its memory may be written to.
    snprintf(own, sizeof own, "LISTEN_PID=%d", (int)getpid());
    for (int standard = 0; standard < 3; standard++) dup2(null, standard);
    dup2(first, 3), dup2(second, 4);
    execve(path, arguments, variables);
    _exit(127);
  }
  *process = pid;
  uint64_t time = 0;
  struct pollfd wait = {.fd = notified, .events = POLLIN};
  while (pid > 0 && !time && poll(&wait, 1, 10000) > 0) {
    ssize_t got = recv(notified, bytes, sizeof bytes - 1, 0);
    if (got <= 0) break;
    bytes[got] = 0;
    if (strstr(bytes, "READY=1")) time = now() - start;
  }
  close(null), close(notified), close(first), close(second);
  return time;
}

// MARK: Floods

/// Until the connection ends.
static void flood(int socket, const char *bytes, size_t count) {
  static char answers[65536];
  size_t sent = 0;
  while (1) {
    struct pollfd wait = {.fd = socket, .events = POLLIN | POLLOUT};
    if (poll(&wait, 1, -1) < 0) return;
    if (wait.revents & (POLLIN | POLLHUP | POLLERR)) {
      ssize_t got = recv(socket, answers, sizeof answers, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN)) return;
    }
    if (wait.revents & POLLOUT) {
      ssize_t part = send(socket, bytes + sent, count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (part < 0 && errno != EAGAIN) return;
      if (part > 0) sent = (sent + (size_t)part) % count;
    }
  }
}

int cbench_flood_start(const char *path, const char *first, const char *repeated) {
  pid_t pid = fork_bound();
  if (pid != 0) return pid;
  size_t one = strlen(repeated) + 1, count = one * (1 + 16384 / one);
  char *bytes = malloc(count);
  for (size_t at = 0; at < count; at += one) memcpy(bytes + at, repeated, one);
  struct sockaddr_un address = address_of(path);
  while (1) {
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) usleep(100);
    else if (!*first || send(connection, first, strlen(first) + 1, MSG_NOSIGNAL) > 0) flood(connection, bytes, count);
    close(connection);
  }
}

/// Until the connection ends.
static void answer(int connection, const char *reply) {
  static char bytes[16384];
  ssize_t got;
  while ((got = recv(connection, bytes, sizeof bytes, 0)) > 0) {
    if (!reply) return;
    for (ssize_t index = 0; index < got; index++)
      if (!bytes[index] && send(connection, reply, strlen(reply) + 1, MSG_NOSIGNAL) < 0) return;
  }
}

int cbench_sink_start(const char *path, const char *reply) {
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_un address = address_of(path);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 16) < 0) return -1;
  pid_t pid = fork_bound();
  if (pid == 0) {
    while (1) {
      int connection = accept(listener, NULL, NULL);
      answer(connection, reply);
      close(connection);
    }
  }
  close(listener);
  return pid;
}
