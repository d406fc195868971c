/* Brute force: all automata with two letters and up to 3 states, and 3,000 random ones with 4 to
 * 10 states, decomposed in the three ways and run on random words of 1,000 letters. */
#include "automata/cascade/cascade_group.h"
#include "tests/support/automata/brute_force.h"

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

static void one(const f2l_fsa *fsa, f2l_cascade_kind kind, totals *t, f2l_rng *rng,
                const char *what)
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
        printf("FAILED: %s, %s: %zu wrong steps, %zu levels %s\n", what,
               f2l_cascade_kind_name(kind), wrong, c.levels, err.text);
    t->beyond += kind == F2L_CASCADE_HOLONOMY && c.levels > n - 1;
    t->capped += c.capped > 0;
    t->ranked += kind == F2L_CASCADE_CAPPED && c.by_rank;
    f2l_cascade_clear(&c);
}

static void all_kinds(f2l_fsa *fsa, const char *what, f2l_rng *rng, void *context)
{
    for (int kind = 0; kind < 3; kind++) one(fsa, (f2l_cascade_kind)kind, context, rng, what);
}

int main(void)
{
    totals t = {0};
    const size_t random = brute_force(SEED, all_kinds, &t);
    printf("seed %d, %zu random automata; holonomy beyond |Q|-1 levels: %zu, covers capped: %zu, "
           "levels by size: %zu\n",
           SEED, random, t.beyond, t.capped, t.ranked);
    printf("%zu passed, %zu failed\n", t.passed, t.failed);
    return t.failed ? 1 : 0;
}
