#include "numeric/base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef F2L_MEM_FAILURES
static _Thread_local size_t failure_countdown; /* 0: no failure is planned */
static _Thread_local bool failure_lasts;

void f2l_mem_fail_after(size_t n, bool forever)
{
    failure_countdown = n;
    failure_lasts = forever;
}

static bool allocation_fails(void)
{
    if (failure_countdown == 0) return false;
    if (failure_countdown > 1) {
        failure_countdown--;
        return false;
    }
    if (!failure_lasts) failure_countdown = 0;
    return true;
}
#else
static inline bool allocation_fails(void)
{
    return false;
}
#endif

bool f2l_mul_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

bool f2l_add_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

/* Returns whether the product is a valid size of a block; objects over PTRDIFF_MAX bytes break
 * pointer subtraction, so they count as overflow too. */
static bool block_size(size_t *out, size_t count, size_t size)
{
    if (!f2l_mul_size(out, count, size) || *out > PTRDIFF_MAX) return false;
    if (*out == 0) *out = 1;
    return true;
}

/* glibc's calloc takes none of the small blocks that are at hand in the thread, as malloc does;
 * apart, because of malloc and memset in one function a compiler makes a calloc. */
#define SMALL 512

static __attribute__((noinline)) void *take_small(size_t bytes)
{
    return malloc(bytes);
}

void *f2l_calloc(size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(&bytes, count, size) || allocation_fails()) return NULL;
    if (bytes > SMALL) return calloc(1, bytes);
    void *p = take_small(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

void *f2l_realloc(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (!block_size(&bytes, count, size) || allocation_fails()) return NULL;
    return realloc(old, bytes);
}

char *f2l_strndup(const char *text, size_t n)
{
    size_t bytes;
    if (!f2l_add_size(&bytes, n, 1)) return NULL;
    char *copy = f2l_realloc(NULL, bytes, 1);
    if (!copy) return NULL;
    if (n > 0) memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}

void f2l_free(void *p)
{
    free(p);
}

bool f2l_grow(void **array, size_t *capacity, size_t count, size_t size)
{
    if (count < *capacity) return true;
    size_t wanted = *capacity < 8 ? 16 : *capacity;
    if (wanted == *capacity && !f2l_mul_size(&wanted, *capacity, 2)) return false;
    /* `array` points to a T *, not to a void *: copying the bytes keeps to the aliasing rules. */
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = f2l_realloc(old, wanted, size);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
