// The same rules as the mounts, once more and from another part of the kernel: a descriptor or a mount that should not be
// there leads nowhere. The kernel's header may be older than the kernel, so its numbers are here.
#define _GNU_SOURCE
#include "landlock.h"
#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>

enum { create_ruleset = 444, add_rule = 445, restrict_self = 446, path_beneath = 1, version = 1 };

enum {
  fs_execute = 1 << 0,
  fs_write_file = 1 << 1,
  fs_read_file = 1 << 2,
  fs_read_dir = 1 << 3,
  fs_first = (1 << 13) - 1,   // ABI 1: also remove and make each kind of file
  fs_refer = 1 << 13,         // ABI 2
  fs_truncate = 1 << 14,      // ABI 3
  fs_ioctl_dev = 1 << 15,     // ABI 5
  net_bind_tcp = 1 << 0,      // ABI 4
  net_connect_tcp = 1 << 1,
  scope_abstract_socket = 1 << 0, // ABI 6
  scope_signal = 1 << 1,
};

struct ruleset {
  uint64_t fs, net, scoped;
};

struct path_rule {
  uint64_t allowed;
  int32_t directory;
} __attribute__((packed));

enum { limit = 2048 };
static struct {
  const char *path;
  int devices;
} places[limit];
static int count;
static int networked;
static uint64_t allowed_net;

static void add(const char *path, int devices) {
  // Found out when the rules are made.
  if (++count > limit) return;
  places[count - 1].path = path;
  places[count - 1].devices = devices;
}

void landlock_add_writable(const char *path) { add(path, 0); }
void landlock_add_devices(const char *path) { add(path, 1); }
int landlock_is_wanted(void) { return count > 0 || networked; }

int landlock_share_network(const char *what) {
  const int client = is_same(what, "client"), server = is_same(what, "server"), both = is_same(what, "both");
  networked = client || server || both;
  if (client || both) allowed_net |= net_connect_tcp;
  if (server || both) allowed_net |= net_bind_tcp;
  return networked;
}

static int allow(int rules, const char *path, uint64_t rights) {
  struct path_rule rule = {rights, (int)KERNEL(openat, AT_FDCWD, path, O_PATH | O_CLOEXEC, 0, 0)};
  if (rule.directory < 0) return rule.directory;
  // One file has no entries.
  struct stat status;
  if (KERNEL(fstat, rule.directory, &status, 0, 0, 0) == 0 && !S_ISDIR(status.st_mode)) {
    rule.allowed &= fs_execute | fs_write_file | fs_read_file | fs_truncate | fs_ioctl_dev;
  }
  int result = (int)kernel(add_rule, rules, path_beneath, (long)&rule, 0, 0);
  KERNEL(close, rule.directory, 0, 0, 0, 0);
  return result;
}

int landlock_restrict(void) {
  if (count > limit) return -E2BIG;
  int abi = (int)kernel(create_ruleset, 0, 0, version, 0, 0);
  if (abi < 0 && abi != -ENOSYS && abi != -EOPNOTSUPP) return abi;
  // The sockets of the desktop would be open.
  if (networked && abi < 6) return -EOPNOTSUPP;
  // The first one forbids to move a file from one directory to another.
  if (abi < 2) return 0;
  // Without any place the mounts are the program's own to change: it makes sandboxes.
  struct ruleset handled = {.fs = count ? fs_first | fs_refer : 0};
  size_t size = sizeof handled.fs;
  if (count && abi >= 3) handled.fs |= fs_truncate;
  if (abi >= 4) {
    handled.net = (net_bind_tcp | net_connect_tcp) & ~allowed_net;
    size += sizeof handled.net;
  }
  if (count && abi >= 5) handled.fs |= fs_ioctl_dev;
  if (abi >= 6) {
    handled.scoped = scope_abstract_socket | scope_signal;
    size += sizeof handled.scoped;
  }
  int rules = (int)kernel(create_ruleset, (long)&handled, (long)size, 0, 0, 0);
  if (rules < 0) return rules;
  const uint64_t reading = fs_execute | fs_read_file | fs_read_dir;
  const uint64_t devices = reading | fs_write_file | (handled.fs & (fs_truncate | fs_ioctl_dev));
  int failed = count ? allow(rules, "/", reading) : 0;
  for (int index = 0; index < count && !failed; index++) {
    failed = allow(rules, places[index].path, places[index].devices ? devices : handled.fs);
  }
  if (!failed) failed = (int)KERNEL(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!failed) failed = (int)kernel(restrict_self, rules, 0, 0, 0, 0);
  KERNEL(close, rules, 0, 0, 0, 0);
  return failed ? failed : abi;
}
