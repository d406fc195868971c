/* F2L_CLONES before a function compiles the function for wider vectors too; the version is chosen
 * at load time by the features of the processor. Clones compute the same bits: without -ffast-math
 * and contraction the compiler may not change the order of a sum, so vectors are wider but every
 * lane computes the same numbers. */
#ifndef F2L_CLONES_H
#define F2L_CLONES_H

#include <stdlib.h> /* __GLIBC__ */

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define F2L_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define F2L_CLONES
#endif

/* F2L_INLINE compiles a function into every clone of its caller. */
#define F2L_INLINE static inline __attribute__((always_inline))

#endif
