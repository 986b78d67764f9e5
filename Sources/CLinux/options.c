#include "CLinux.h"

// getopt_long(3) keeps its place in globals, which Swift refuses to touch.
int clinux_getopt(int argc, char *const *argv, const char *letters, const struct option *names, int *next,
                  const char **value, int *bad) {
  opterr = 0;
  optind = *next;
  int result = getopt_long(argc, argv, letters, names, NULL);
  *next = optind;
  *value = optarg;
  *bad = optopt;
  return result;
}
