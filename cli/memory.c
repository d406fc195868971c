#include "cli/memory.h"
#include "cli/cli.h"
#include "cli/signals.h"
#include "cli/watchdog.h"
#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void exhausted(void)
{
    static const char text[] = "fsa2lrnn: error: out of memory\n";
    f2l_watchdog_exhausted();
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    f2l_signals_abandon();
    _exit(F2L_EXIT_MEMORY);
}

#define MOST_LIMBS 8 /* of a block that is kept */
#define MOST_KEPT 4096

/* Blocks of some limbs that GMP has freed, each of which begins with the address of the next one:
 * small numbers come and go by the million, and malloc has few blocks of a size at hand. They are
 * malloc's, of exactly that size, and the main thread's alone. */
static struct {
    void *first;
    size_t count;
} kept[MOST_LIMBS + 1];
static _Thread_local bool keeps_blocks;

/* Returns how many limbs a block has if it is one that is kept, else 0. */
static size_t kept_limbs(size_t size)
{
    const size_t limbs = size / sizeof(mp_limb_t);
    return keeps_blocks && limbs <= MOST_LIMBS && size % sizeof(mp_limb_t) == 0 &&
                   size >= sizeof(void *)
               ? limbs
               : 0;
}

static void *gmp_allocate(size_t size)
{
    const size_t limbs = kept_limbs(size);
    void *p = limbs ? kept[limbs].first : NULL;
    if (p) {
        memcpy(&kept[limbs].first, p, sizeof kept->first);
        kept[limbs].count--;
        return p;
    }
    p = malloc(size);
    if (!p) exhausted();
    return p;
}

static void *gmp_reallocate(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    void *p = realloc(old, size);
    if (!p) exhausted();
    return p;
}

static void gmp_free(void *p, size_t size)
{
    const size_t limbs = kept_limbs(size);
    if (!limbs || kept[limbs].count >= MOST_KEPT) {
        free(p);
        return;
    }
    memcpy(p, &kept[limbs].first, sizeof kept->first);
    kept[limbs].first = p;
    kept[limbs].count++;
}

void f2l_memory_guard(void)
{
#ifndef F2L_MEM_FAILURES /* sanitizers are to see every block */
    keeps_blocks = true;
#endif
    mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_free);
}
