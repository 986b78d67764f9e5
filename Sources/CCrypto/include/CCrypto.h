#pragma once

// OpenSSL's libcrypto, loaded when it is first used: its tables alone are 400 KiB of memory that a process has for itself,
// and most of what is started here hashes nothing. Its functions have their own names; those that are used are in CCrypto.c.
#include <openssl/evp.h>

/// Loads the library where that was not done; any thread may call it. NULL, or why it cannot be used now, for this thread.
///
/// A function that is called without it ends the process with that reason, as the dynamic linker would have at its start.
const char *ccrypto_fault(void);
