/* Memory: every allocation of the library goes through these, so that sizes are checked against
 * overflow and tests can make the n-th allocation fail (f2l_mem_fail_after). Freed with f2l_free
 * (plain free). */
#ifndef F2L_MEM_H
#define F2L_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Allocates count * size zeroed bytes, owned by the caller; NULL when the product overflows or
 * memory is out. count * size == 0 gives a unique pointer. */
void *f2l_calloc(size_t count, size_t size);

/* Resizes `old` to count * size bytes, of which new ones are not initialised; returns NULL, and
 * leaves `old` as it was, on failure. */
void *f2l_realloc(void *old, size_t count, size_t size);

/* Returns a copy of n bytes followed by a zero byte, owned by the caller; NULL when memory is out.
 */
char *f2l_strndup(const char *text, size_t n);

void f2l_free(void *p);

/* Makes room for one more element in a growing array: doubles *capacity when count == *capacity.
 * Returns false, and changes nothing, when memory is out. Use: f2l_grow((void **)&v, &cap, n,
 * sizeof *v). */
bool f2l_grow(void **array, size_t *capacity, size_t count, size_t size);

/* Set *out to a * b and to a + b; return false on overflow. */
bool f2l_mul_size(size_t *out, size_t a, size_t b);
bool f2l_add_size(size_t *out, size_t a, size_t b);

/* Test hook, compiled only with -DF2L_MEM_FAILURES (flavours debug, asan): the n-th allocation of
 * this thread from now on fails, and all after it when `forever`; n == 0 turns it off. */
#ifdef F2L_MEM_FAILURES
void f2l_mem_fail_after(size_t n, bool forever);
#endif

#endif
