// Prints the extensions of a point.
#include <extensionkit.h>
#include <stdio.h>

int main(void) {
  extk_error *error = NULL;
  extk_host *host = extk_host_new("org.example.Host", &error);
  extk_monitor *monitor = host ? extk_monitor_new(host, "org.example.Host.Point", NULL, NULL, &error) : NULL;
  if (!monitor) return fprintf(stderr, "%s\n", error->message), 1;
  const extk_identity *identity;
  for (size_t index = 0; (identity = extk_monitor_identity(monitor, index)); index++) puts(identity->localized_name);
}
