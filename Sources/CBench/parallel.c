// Many programs started at once.
#define _GNU_SOURCE
#include "CBench.h"
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
  const char *path, *const *argv, *message, *extra;
  /// Of how many threads it is which, and how many programs they start together.
  int thread, threads, count;
  int *sockets;
  pid_t *processes;
  int failed;
  pthread_barrier_t *answered, *ended;
} share;

static int start_one(share *own, int index) {
  int pair[2], extra = -1;
  own->sockets[index] = -1;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair[1], 3);
  // Opened for each, since who reads it moves on.
  if (own->extra) {
    extra = open(own->extra, O_RDONLY | O_CLOEXEC);
    posix_spawn_file_actions_adddup2(&actions, extra, 4);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, own->extra ? 5 : 4);
  int failed = posix_spawn(&own->processes[index], own->path, &actions, NULL, (char *const *)own->argv, environ);
  close(pair[1]);
  if (extra >= 0) close(extra);
  posix_spawn_file_actions_destroy(&actions);
  own->sockets[index] = pair[0];
  if (failed) own->processes[index] = 0;
  size_t size = strlen(own->message) + 1;
  return failed || send(pair[0], own->message, size, MSG_NOSIGNAL) != (ssize_t)size ? -1 : 0;
}

/// What a thread started ends with it, where it asked for that; so it stays until all have answered.
static void *start_share(void *argument) {
  share *own = argument;
  char reply[1024];
  for (int index = own->thread; index < own->count; index += own->threads)
    if (start_one(own, index) < 0) own->failed = 1;
  for (int index = own->thread; index < own->count && !own->failed; index += own->threads)
    if (recv(own->sockets[index], reply, sizeof reply, 0) <= 0) own->failed = 1;
  pthread_barrier_wait(own->answered);
  pthread_barrier_wait(own->ended);
  return NULL;
}

uint64_t cbench_spawn_many(const char *path, const char *const *argv, const char *message, const char *extra, int count,
                           int threads) {
  share shares[8];
  pthread_t ids[8];
  pthread_barrier_t answered, ended;
  int *sockets = calloc((size_t)count, sizeof *sockets), failed = 0, status;
  pid_t *processes = calloc((size_t)count, sizeof *processes);
  pthread_barrier_init(&answered, NULL, (unsigned)threads + 1);
  pthread_barrier_init(&ended, NULL, (unsigned)threads + 1);
  uint64_t start = now();
  for (int thread = 0; thread < threads; thread++) {
    shares[thread] = (share){path, argv, message, extra, thread, threads, count, sockets, processes, 0, &answered, &ended};
    pthread_create(&ids[thread], NULL, start_share, &shares[thread]);
  }
  pthread_barrier_wait(&answered);
  uint64_t time = now() - start;
  for (int index = 0; index < count; index++) {
    if (processes[index] > 0) kill(processes[index], SIGKILL);
    if (sockets[index] >= 0) close(sockets[index]);
  }
  for (int index = 0; index < count; index++)
    while (processes[index] > 0 && waitpid(processes[index], &status, 0) < 0 && errno == EINTR) {
    }
  pthread_barrier_wait(&ended);
  for (int thread = 0; thread < threads; thread++) {
    pthread_join(ids[thread], NULL);
    failed |= shares[thread].failed;
  }
  pthread_barrier_destroy(&answered), pthread_barrier_destroy(&ended);
  free(sockets), free(processes);
  return failed ? 0 : time;
}

/// Keeps the descriptors that come; -1: the end, or an error.
static int take_reply(int socket, int *held, int *held_count, char problem[CBENCH_PROBLEM]) {
  char bytes[4096], space[CMSG_SPACE(8 * sizeof(int))] __attribute__((aligned(8)));
  struct iovec vector = {bytes, sizeof bytes};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) {
    snprintf(problem, CBENCH_PROBLEM, "the connection ended");
    return -1;
  }
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    size_t size = header->cmsg_len - CMSG_LEN(0);
    memcpy(held + *held_count, CMSG_DATA(header), size);
    *held_count += (int)(size / sizeof(int));
  }
  if (bytes[got - 1] != 0) return 0;
  if (!strstr(bytes, "\"error\"")) return 1;
  snprintf(problem, CBENCH_PROBLEM, "%.1000s", bytes);
  return -1;
}

int cbench_ask_all(const int *sockets, const char *const *messages, int count, uint64_t *times, int *held,
                   char *problem) {
  struct pollfd *entries = calloc((size_t)count, sizeof *entries);
  int held_count = 0, left = count, failed = 0;
  uint64_t start = now();
  for (int index = 0; index < count; index++) {
    entries[index] = (struct pollfd){.fd = sockets[index], .events = POLLIN};
    if (send(sockets[index], messages[index], strlen(messages[index]) + 1, MSG_NOSIGNAL) < 0) failed = 1;
  }
  while (left > 0 && !failed) {
    if (poll(entries, (nfds_t)count, 60000) <= 0) {
      snprintf(problem, CBENCH_PROBLEM, "%d did not answer in a minute", left);
      failed = 1;
    }
    for (int index = 0; index < count && !failed; index++) {
      if (!entries[index].revents) continue;
      int result = take_reply(entries[index].fd, held, &held_count, problem);
      if (result < 0) failed = 1;
      if (result <= 0) continue;
      times[index] = now() - start;
      entries[index].fd = -1;
      left--;
    }
  }
  free(entries);
  if (!failed) return held_count;
  while (held_count > 0) close(held[--held_count]);
  return -1;
}
