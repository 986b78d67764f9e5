#pragma once
#include <sqlite3.h>

// Without this each database takes room for 20 pages at once, and most of them need a few.
static inline int csqlite_no_pages_beforehand(void) { return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0); }
