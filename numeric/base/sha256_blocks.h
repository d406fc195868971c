/* The blocks of SHA-256 (sha256.h). */
#ifndef F2L_SHA256_BLOCKS_H
#define F2L_SHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* Takes `blocks` blocks of 64 bytes into the state; by the instructions of x86-64 for SHA-256 where
 * the processor has them, five times as fast. */
void f2l_sha256_blocks(uint32_t h[8], const unsigned char *bytes, size_t blocks);
/* The same in C alone. */
void f2l_sha256_blocks_plain(uint32_t h[8], const unsigned char *bytes, size_t blocks);

#endif
