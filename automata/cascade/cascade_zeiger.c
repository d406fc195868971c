/* The Zeiger cover: every non-empty subset, covered by dropping one point. Always |Q|-1 levels of
 * |Q|, |Q|-1,
 * .., 2 states. Exponential in |Q|: the family limit decides. */
#include "automata/cascade/impl.h"
#include <string.h>

/* Covers x by the sets without one point, in increasing order of the dropped point: pi sends "drop
 * x" to "drop xa". */
static f2l_status cover(f2l_builder *b, uint32_t x, f2l_error *err)
{
    size_t size = b->c->sets.size[x];
    f2l_subsets masks;
    uint32_t id;
    uint64_t *mask = f2l_calloc(size / 64 + 1, sizeof *mask);
    if (!mask) return f2l_fail_memory(err);
    f2l_subsets_init(&masks, size);
    f2l_status status = f2l_meter_spend(&b->meter, 32 + size * (8 + size / 4), x, 0, err);
    for (size_t drop = 0; status == F2L_OK && drop < size; drop++) {
        memset(mask, 0, masks.words * sizeof *mask);
        for (size_t t = 0; t < size; t++)
            if (t != drop) f2l_set_put(mask, t);
        status = f2l_subsets_add(&masks, mask, &id, err);
    }
    if (status == F2L_OK) status = f2l_builder_cover(b, x, &masks, err);
    f2l_subsets_clear(&masks);
    f2l_free(mask);
    return status;
}

f2l_status f2l_build_zeiger(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    uint32_t all, y;
    b->meter.phase = "subsets";
    f2l_status status = f2l_builder_add_all_states(b, &all, err);
    /* Covers add the subsets of every size in turn, so walking the growing family reaches them all.
     */
    for (uint32_t x = 0; status == F2L_OK && x < c->sets.count; x++) {
        status = f2l_builder_tau_identity(b, x, err);
        c->class_of[x] = (uint32_t)(c->sets.states - c->sets.size[x]);
        if (status == F2L_OK && c->sets.size[x] > 1) status = cover(b, x, err);
    }
    for (uint32_t x = 0; status == F2L_OK && x < c->sets.count; x++)
        for (size_t a = 0; status == F2L_OK && a < c->fsa->letters.count; a++)
            status = f2l_builder_image(b, x, a, &y, err);
    c->classes = c->sets.states;
    if (status == F2L_OK) status = f2l_cascade_levels_rank(b->c, b->task, err);
    return status;
}
