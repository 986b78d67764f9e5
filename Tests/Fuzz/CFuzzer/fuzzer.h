#pragma once
#include <stddef.h>
#include <stdint.h>

/* Of libFuzzer, as FuzzerInterface.h of LLVM declares it: runs `test` until an option or a fault ends it. */
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
