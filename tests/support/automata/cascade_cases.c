#include "tests/support/automata/cascade_cases.h"

void build(f2l_cascade *c, const f2l_fsa *fsa, f2l_cascade_kind kind)
{
    f2l_error err = {0};
    f2l_status status = f2l_cascade_build(c, fsa, kind, 0, NULL, &err);
    cr_assert_eq(status, F2L_OK, "%s: %s: %s", f2l_cascade_kind_name(kind), f2l_status_name(status),
                 err.text);
}

void family(f2l_fsa *fsa, const char *name)
{
    char found[64];
    FILE *in = fopen(FAMILIES, "r");
    cr_assert_not_null(in, "run from the top folder");
    while (table_read(fsa, found, in)) {
        if (strcmp(found, name) == 0) {
            fclose(in);
            return;
        }
        f2l_fsa_clear(fsa);
    }
    cr_assert_fail("no family %s", name);
}

size_t stale_disagreements(const f2l_cascade *c, f2l_rng *rng)
{
    size_t wrong = 0;
    uint32_t *coordinate = calloc(c->levels + 1, sizeof *coordinate);
    for (int w = 0; w < 20; w++) {
        for (size_t l = 0; l < c->levels; l++)
            coordinate[l] = (uint32_t)f2l_rng_below(rng, 1 + c->level[l].width);
        for (uint32_t x = 0; c->sets.size[x] > 1;) {
            uint32_t i = (uint32_t)f2l_rng_below(rng, c->cover_count[x]);
            coordinate[c->lambda[x] - 1] = i;
            x = c->cover[c->cover_at[x] + i];
        }
        size_t state = f2l_cascade_decode(c, coordinate);
        for (int t = 0; t < 50; t++) {
            size_t letter = f2l_rng_below(rng, c->fsa->letters.count);
            state = c->fsa->next[state * c->fsa->letters.count + letter];
            f2l_cascade_step(c, letter, coordinate);
            wrong += f2l_cascade_decode(c, coordinate) != state;
        }
    }
    free(coordinate);
    return wrong;
}
