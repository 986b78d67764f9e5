// ask-extension ID LINE: sends an extension a line, and prints the one that comes back.
#include <extensionkit.h>
#include <stdio.h>

int main(int count, char **words) {
  extk_error *error = NULL;
  if (count != 3) return fprintf(stderr, "usage: ask-extension ID LINE\n"), 64;
  extk_host *host = extk_host_new("org.example.Host", &error);
  extk_activation *use = host ? extk_activate(host, words[1], NULL, EXTK_TIMEOUT_DEFAULT, &error) : NULL;
  FILE *connection = use ? fdopen(extk_connect(use, EXTK_TIMEOUT_DEFAULT, &error), "r") : NULL;
  if (error) return fprintf(stderr, "%s\n", error->message), 1;
  dprintf(fileno(connection), "%s\n", words[2]);
  for (int byte; (byte = fgetc(connection)) != EOF && byte != '\n';) putchar(byte);
  putchar('\n');
}
