/* Cascades whose last levels are one level, which holds the point itself. */
#include "automata/cascade/impl.h"
#include <string.h>

/* Copies the sets with their images, so that they keep their numbers, and adds all sets of one
 * state. */
static f2l_status copy_sets(f2l_cascade *out, const f2l_cascade *of, uint32_t *singleton,
                            f2l_error *err)
{
    const size_t letters = of->fsa->letters.count, states = of->sets.states;
    uint64_t *one = f2l_calloc(of->sets.words + 1, sizeof *one);
    f2l_status status = one ? F2L_OK : f2l_fail_memory(err);
    f2l_subsets_init(&out->sets, states);
    for (uint32_t x = 0, id; status == F2L_OK && x < of->sets.count; x++)
        status = f2l_subsets_add(&out->sets, f2l_subsets_get(&of->sets, x), &id, err);
    for (size_t q = 0; status == F2L_OK && q < states; q++) {
        memset(one, 0, of->sets.words * sizeof *one);
        f2l_set_put(one, q);
        status = f2l_subsets_add(&out->sets, one, &singleton[q], err);
    }
    f2l_free(one);
    if (status != F2L_OK) return status;
    const size_t known = of->sets.count * letters, all = out->sets.count * letters;
    out->image = f2l_calloc(all, sizeof *out->image);
    if (!out->image) return f2l_fail_memory(err);
    memcpy(out->image, of->image, known * sizeof *out->image);
    for (size_t i = known; i < all; i++) out->image[i] = F2L_NO_SET;
    return F2L_OK;
}

/* Writes the cover of a set of the joined level. */
static f2l_status cover_points(f2l_cascade *out, uint32_t set, const uint32_t *singleton,
                               size_t places, f2l_error *err)
{
    const uint64_t *members = f2l_subsets_get(&out->sets, set);
    uint32_t *cover = out->cover + out->cover_at[set], first = F2L_NO_SET;
    for (size_t i = 0; i < places; i++) cover[i] = F2L_NO_SET;
    F2L_SET_EACH(q, members, out->sets.words)
    {
        if (cover[out->place[q]] != F2L_NO_SET)
            return f2l_fail(err, F2L_EDOMAIN, "two members of a set have one place");
        cover[out->place[q]] = singleton[q];
        if (first == F2L_NO_SET) first = singleton[q];
    }
    for (size_t i = 0; i < places; i++)
        if (cover[i] == F2L_NO_SET) cover[i] = first;
    out->cover_count[set] = (uint32_t)places;
    return F2L_OK;
}

/* Writes level and cover of every set. */
static f2l_status write_covers(f2l_cascade *out, const f2l_cascade *of, const uint32_t *singleton,
                               size_t places, f2l_error *err)
{
    const size_t level = out->levels;
    f2l_status status = F2L_OK;
    size_t at = 0;
    for (uint32_t x = 0; status == F2L_OK && x < out->sets.count; x++) {
        const uint32_t lambda = x < of->sets.count ? of->lambda[x] : 0;
        out->cover_at[x] = at;
        if (out->sets.size[x] == 1) {
            out->lambda[x] = (uint32_t)level + 1;
        } else if (lambda >= level) {
            out->lambda[x] = (uint32_t)level;
            status = cover_points(out, x, singleton, places, err);
        } else if (lambda > 0) {
            out->lambda[x] = lambda;
            out->cover_count[x] = of->cover_count[x];
            memcpy(out->cover + at, of->cover + of->cover_at[x],
                   of->cover_count[x] * sizeof *out->cover);
        }
        at += out->cover_count[x];
    }
    return status;
}

static f2l_status make_joined_family(f2l_cascade *out, const f2l_cascade *of, uint32_t *singleton,
                                     const uint32_t *place, size_t places, f2l_error *err)
{
    const size_t states = of->sets.states;
    size_t covers = 0;
    f2l_status status = copy_sets(out, of, singleton, err);
    if (status != F2L_OK) return status;
    const size_t sets = out->sets.count;
    for (size_t x = 0; x < sets; x++) {
        const size_t old = x < of->sets.count ? of->cover_count[x] : 0;
        covers += old > places ? old : places;
    }
    out->lambda = f2l_calloc(sets, sizeof *out->lambda);
    out->cover_count = f2l_calloc(sets, sizeof *out->cover_count);
    out->cover_at = f2l_calloc(sets, sizeof *out->cover_at);
    out->cover = f2l_calloc(covers + 1, sizeof *out->cover);
    out->place = f2l_calloc(states, sizeof *out->place);
    if (!out->lambda || !out->cover_count || !out->cover_at || !out->cover || !out->place)
        return f2l_fail_memory(err);
    memcpy(out->place, place, states * sizeof *place);
    return write_covers(out, of, singleton, places, err);
}

f2l_status f2l_cascade_join(f2l_cascade *out, const f2l_cascade *of, size_t level,
                            const uint32_t *place, size_t places, const f2l_task *task,
                            f2l_error *err)
{
    f2l_cascade_init(out);
    out->kind = of->kind;
    out->fsa = of->fsa;
    out->levels = level;
    out->by_rank = true; /* these levels are not to be numbered again */
    uint32_t *singleton = f2l_calloc(of->sets.states, sizeof *singleton);
    f2l_status status = singleton ? make_joined_family(out, of, singleton, place, places, err)
                                  : f2l_fail_memory(err);
    f2l_free(singleton);
    if (status == F2L_OK) return f2l_cascade_tables(out, task, err);
    f2l_cascade_clear(out);
    return status;
}
