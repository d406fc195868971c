/* Brute force: all two-letter automata with up to 3 states and 10,000 random ones with 4 to 10 states,
 * decomposed in the three ways and run on random words of 1,000 letters. F2L_TEST_SHORT=1 (always under
 * AddressSanitizer) does a tenth. */
#include "cascade_support.h"
#include "f2l_cascade_group.h"

#define SEED 20240611

typedef struct totals {
    size_t passed, failed, beyond, capped, ranked;
} totals;

static bool in_bounds(const f2l_cascade *c, size_t n)
{
    bool good = true;
    for (size_t l = 0; l < c->levels; l++)
        good = good && (c->kind == F2L_CASCADE_HOLONOMY || c->level[l].width <= n);
    if (c->kind == F2L_CASCADE_HOLONOMY) return good;
    return good && (c->kind == F2L_CASCADE_CAPPED ? c->levels <= n - 1 : c->levels == n - 1);
}

static void one(const f2l_fsa *fsa, f2l_cascade_kind kind, totals *t, f2l_rng *rng, const char *what)
{
    f2l_cascade c;
    f2l_error err = {0};
    const size_t n = fsa->states.count;
    f2l_status status = f2l_cascade_build(&c, fsa, kind, 0, NULL, &err);
    const size_t wrong = status == F2L_OK ? disagreements(&c, 1, 1000, rng) : 1;
    const bool good = status == F2L_OK && wrong == 0 && in_bounds(&c, n);
    t->passed += good;
    t->failed += !good;
    if (!good && t->failed < 20)
        printf("FAILED: %s, %s: %zu wrong steps, %zu levels %s\n", what, f2l_cascade_kind_name(kind), wrong,
               c.levels, err.text);
    t->beyond += kind == F2L_CASCADE_HOLONOMY && c.levels > n - 1;
    t->capped += c.capped > 0;
    t->ranked += kind == F2L_CASCADE_CAPPED && c.by_rank;
    f2l_cascade_clear(&c);
}

static void all_kinds(const f2l_fsa *fsa, totals *t, f2l_rng *rng, const char *what)
{
    for (int kind = 0; kind < 3; kind++) one(fsa, (f2l_cascade_kind)kind, t, rng, what);
}

static void all_small(size_t n, totals *t, f2l_rng *rng, size_t step)
{
    size_t tables = 1;
    for (size_t i = 0; i < 2 * n; i++) tables *= n;
    for (size_t code = 0; code < tables; code += step) {
        char what[64];
        f2l_fsa fsa;
        size_t rest = code;
        table_init(&fsa, n, 2);
        for (size_t i = 0; i < 2 * n; i++, rest /= n) fsa.next[i] = (uint32_t)(rest % n);
        snprintf(what, sizeof what, "table %zu of %zu states", code, n);
        all_kinds(&fsa, t, rng, what);
        f2l_fsa_clear(&fsa);
    }
}

int main(void)
{
    totals t = {0};
    f2l_rng rng;
#ifdef __SANITIZE_ADDRESS__
    const bool less = true;
#else
    const bool less = getenv("F2L_TEST_SHORT") != NULL;
#endif
    const size_t random = less ? 1000 : 10000;
    for (size_t n = 1; n <= 3; n++) {
        f2l_rng_init(&rng, SEED, n);
        all_small(n, &t, &rng, less && n == 3 ? 10 : 1);
    }
    for (size_t i = 0; i < random; i++) {
        char what[64];
        f2l_fsa fsa;
        f2l_rng_init(&rng, SEED, 1000 + i);
        table_random(&fsa, 4 + i % 7, 2, &rng);
        snprintf(what, sizeof what, "seed %d, stream %zu", SEED, 1000 + i);
        all_kinds(&fsa, &t, &rng, what);
        f2l_fsa_clear(&fsa);
    }
    printf("seed %d, %zu random automata; holonomy beyond |Q|-1 levels: %zu, covers capped: %zu, levels by "
           "size: %zu\n",
           SEED, random, t.beyond, t.capped, t.ranked);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed ? 1 : 0;
}
