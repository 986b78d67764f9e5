#define _GNU_SOURCE
#include "CCrypto.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

// The one whose headers these are.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define SONAME "libcrypto.so." TEXT(OPENSSL_SHLIB_VERSION)

// For those who make packages, who find no DT_NEEDED: https://systemd.io/ELF_DLOPEN_METADATA/
#define METADATA                                                                                                     \
  "[{\"feature\":\"digests\",\"description\":\"SHA-256 and base64\",\"priority\":\"required\",\"soname\":[\"" SONAME "\"]}]"
static const struct {
  uint32_t name_size, size, type;
  char name[4];
  char text[(sizeof METADATA + 3) / 4 * 4];
} metadata __attribute__((used, section(".note.dlopen"), aligned(4))) = {
    4, sizeof METADATA, 0x407c0c0a, "FDO", METADATA,
};

#define FUNCTIONS                                                                                                    \
  FUNCTION(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX *context, const char *algorithm, const char *properties),           \
           (context, algorithm, properties))                                                                         \
  FUNCTION(EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())                                                                 \
  FUNCTION(int, EVP_DigestInit_ex2, (EVP_MD_CTX *context, const EVP_MD *type, const OSSL_PARAM *parameters),         \
           (context, type, parameters))                                                                              \
  FUNCTION(int, EVP_DigestUpdate, (EVP_MD_CTX *context, const void *bytes, size_t count), (context, bytes, count))   \
  FUNCTION(int, EVP_DigestFinal_ex, (EVP_MD_CTX *context, unsigned char *result, unsigned int *count),               \
           (context, result, count))                                                                                 \
  FUNCTION(int, EVP_EncodeBlock, (unsigned char *result, const unsigned char *bytes, int count), (result, bytes, count)) \
  FUNCTION(int, EVP_DecodeBlock, (unsigned char *result, const unsigned char *text, int count), (result, text, count))

static struct {
#define FUNCTION(Result, name, parameters, arguments) __typeof__(name) *name;
  FUNCTIONS
#undef FUNCTION
  // It gives nothing back.
  __typeof__(EVP_MD_CTX_free) *EVP_MD_CTX_free;
} library;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_loaded;
static _Thread_local char fault[512];

static void *find(void *handle, const char *name) {
  void *function = fault[0] ? NULL : dlsym(handle, name);
  if (!function && !fault[0]) snprintf(fault, sizeof fault, "%s", dlerror());
  return function;
}

static void load(void) {
  fault[0] = 0;
  void *handle = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    snprintf(fault, sizeof fault, "%s", dlerror());
    return;
  }
#define FUNCTION(Result, name, parameters, arguments) library.name = (__typeof__(name) *)find(handle, #name);
  FUNCTIONS
#undef FUNCTION
  library.EVP_MD_CTX_free = (__typeof__(EVP_MD_CTX_free) *)find(handle, "EVP_MD_CTX_free");
  if (!fault[0]) is_loaded = true;
}

const char *ccrypto_fault(void) {
  if (is_loaded) return NULL;
  pthread_mutex_lock(&loading);
  if (!is_loaded) load();
  pthread_mutex_unlock(&loading);
  return is_loaded ? NULL : fault;
}

static void need(void) {
  if (!ccrypto_fault()) return;
  fprintf(stderr, "%s: error while loading shared libraries: %s\n", program_invocation_short_name, fault);
  _exit(127);
}

// Seen by nobody else: another library that uses OpenSSL has its own way to it.
#define HIDDEN __attribute__((visibility("hidden")))

#define FUNCTION(Result, name, parameters, arguments)                                                                \
  HIDDEN Result name parameters {                                                                                    \
    need();                                                                                                          \
    return library.name arguments;                                                                                   \
  }
FUNCTIONS
#undef FUNCTION

HIDDEN void EVP_MD_CTX_free(EVP_MD_CTX *context) {
  need();
  library.EVP_MD_CTX_free(context);
}
