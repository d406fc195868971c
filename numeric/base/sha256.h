/* SHA-256 (FIPS 180-4). */
#ifndef F2L_SHA256_H
#define F2L_SHA256_H

#include "numeric/base/status.h"
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_sha256 {
    uint32_t h[8];
    uint64_t bytes;
    unsigned char block[64];
} f2l_sha256;

/* Starts a hash, and appends n bytes to the hashed text. */
void f2l_sha256_init(f2l_sha256 *s);
void f2l_sha256_update(f2l_sha256 *s, const void *bytes, size_t n);
/* Writes the hash as 64 lower-case hexadecimal digits and a NUL. */
void f2l_sha256_final(f2l_sha256 *s, char hex[65]);
/* Writes the hash of n bytes, in one call; bytes may be NULL where n is 0. */
void f2l_sha256_hex(const void *bytes, size_t n, char hex[65]);
/* Write the hash of a file, and of the file `name` in the folder. Errors as f2l_read_file. */
f2l_status f2l_sha256_file(char hex[65], const char *path, f2l_error *err);
f2l_status f2l_sha256_in(char hex[65], const char *folder, const char *name, f2l_error *err);

/* A file of a folder; the name is borrowed. */
typedef struct f2l_hashed_file {
    const char *name; /* "network.lrnn" */
    size_t bytes;
    char sha256[65];
} f2l_hashed_file;

/* Returns the file that has n bytes. */
f2l_hashed_file f2l_hash_file(const char *name, const void *bytes, size_t n);

#endif
