#include "automata/cascade/cascade.h"
#include "automata/cascade/impl.h"
#include <string.h>

void f2l_cascade_init(f2l_cascade *c)
{
    memset(c, 0, sizeof *c);
}

void f2l_cascade_clear(f2l_cascade *c)
{
    f2l_cascade_table_clear(c);
    f2l_subsets_clear(&c->sets);
    f2l_free(c->image);
    f2l_free(c->class_of);
    f2l_free(c->lambda);
    f2l_free(c->cover_count);
    f2l_free(c->cover_at);
    f2l_free(c->cover);
    f2l_free(c->tau_at);
    f2l_free(c->tau);
    f2l_free(c->place);
    f2l_cascade_init(c);
}

const char *f2l_cascade_kind_name(f2l_cascade_kind kind)
{
    static const char *const name[] = {"holonomy", "capped", "zeiger"};
    return name[kind];
}

static f2l_status build_cascade_family(f2l_builder *b, f2l_cascade_kind kind, f2l_error *err)
{
    return kind == F2L_CASCADE_HOLONOMY ? f2l_build_holonomy(b, err)
           : kind == F2L_CASCADE_CAPPED ? f2l_build_capped(b, err)
                                        : f2l_build_zeiger(b, err);
}

f2l_status f2l_cascade_family(f2l_cascade *out, const f2l_fsa *fsa, f2l_cascade_kind kind,
                              size_t max_sets, const f2l_task *task, f2l_error *err)
{
    f2l_builder b;
    f2l_cascade_init(out);
    out->kind = kind;
    f2l_status status = f2l_builder_init(&b, out, fsa, max_sets, task, err);
    if (status == F2L_OK) status = build_cascade_family(&b, kind, err);
    f2l_builder_clear(&b);
    if (status != F2L_OK) f2l_cascade_clear(out);
    return status;
}

f2l_status f2l_cascade_tables(f2l_cascade *c, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_cascade_table(c, task, err);
    /* Levels by longest paths need not satisfy the conditions; levels by set sizes always do. */
    if (status == F2L_REFUTED && c->kind == F2L_CASCADE_CAPPED && !c->by_rank) {
        status = f2l_cascade_levels_rank(c, task, err);
        if (status == F2L_OK) status = f2l_cascade_table(c, task, err);
    }
    if (status != F2L_OK) f2l_cascade_clear(c);
    return status;
}

f2l_status f2l_cascade_build(f2l_cascade *out, const f2l_fsa *fsa, f2l_cascade_kind kind,
                             size_t max_sets, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_cascade_family(out, fsa, kind, max_sets, task, err);
    return status == F2L_OK ? f2l_cascade_tables(out, task, err) : status;
}

void f2l_cascade_measure(f2l_cascade_size *out, const f2l_cascade *c)
{
    *out = (f2l_cascade_size){.levels = c->levels};
    for (size_t l = 0; l < c->levels; l++) {
        const f2l_level *level = &c->level[l];
        out->states += level->width;
        out->contexts += level->permutations + level->identities + level->resets + level->maps;
    }
}

static int order_sizes(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

int f2l_cascade_compare(const f2l_cascade_size *a, const f2l_cascade_size *b)
{
    int by_levels = order_sizes(a->levels, b->levels),
        by_states = order_sizes(a->states, b->states);
    return by_levels ? by_levels : by_states ? by_states : order_sizes(a->contexts, b->contexts);
}

static void swap(f2l_cascade *a, f2l_cascade *b)
{
    const f2l_cascade c = *a;
    *a = *b;
    *b = c;
}

f2l_status f2l_cascade_build_smaller(f2l_cascade *out, f2l_cascade *other, f2l_error *reason,
                                     const f2l_fsa *fsa, size_t max_sets, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_error why = {0};
    f2l_cascade_init(other);
    f2l_status status = f2l_cascade_build(out, fsa, F2L_CASCADE_CAPPED, max_sets, task, err);
    if (status != F2L_OK && status != F2L_UNKNOWN) return status;
    /* A cancelled task is no limit of the family. */
    f2l_status stopped = f2l_task_poll(task, "cascade", 0, 0, err);
    if (stopped != F2L_OK) {
        f2l_cascade_clear(out);
        return stopped;
    }
    const f2l_status pure =
        f2l_cascade_build(other, fsa, F2L_CASCADE_HOLONOMY, max_sets, task, &why);
    stopped = pure == F2L_UNKNOWN ? f2l_task_poll(task, "cascade", 0, 0, &why) : F2L_OK;
    if ((pure != F2L_OK && pure != F2L_UNKNOWN) || stopped != F2L_OK ||
        (pure != F2L_OK && status != F2L_OK)) {
        f2l_cascade_clear(out);
        if (err) *err = why;
        return pure;
    }
    if (reason && pure != F2L_OK) *reason = why;
    if (reason && status != F2L_OK && err) *reason = *err;
    if (status != F2L_OK) {
        swap(out, other);
        return F2L_OK;
    }
    f2l_cascade_size a, b;
    f2l_cascade_measure(&a, out);
    f2l_cascade_measure(&b, other);
    if (pure == F2L_OK && f2l_cascade_compare(&b, &a) <= 0) swap(out, other);
    return F2L_OK;
}

void f2l_cascade_encode(const f2l_cascade *c, size_t state, uint32_t *coordinate)
{
    if (c->levels) memset(coordinate, 0, c->levels * sizeof *coordinate);
    for (uint32_t x = 0; c->sets.size[x] > 1;) {
        uint32_t i = 0; /* the table pass has checked that some member holds the state */
        while (!f2l_set_has(f2l_subsets_get(&c->sets, c->cover[c->cover_at[x] + i]), state)) i++;
        if (c->place && c->lambda[x] == c->levels) i = c->place[state];
        coordinate[c->lambda[x] - 1] = i;
        x = c->cover[c->cover_at[x] + i];
    }
}

size_t f2l_cascade_decode(const f2l_cascade *c, const uint32_t *coordinate)
{
    uint32_t x = 0;
    while (c->sets.size[x] > 1) x = c->cover[c->cover_at[x] + coordinate[c->lambda[x] - 1]];
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, x), c->sets.words) return q;
    return 0;
}

void f2l_cascade_step(const f2l_cascade *c, size_t letter, uint32_t *coordinate)
{
    size_t at = letter; /* the contexts of level 1 are the letters in order */
    for (size_t l = 1; l <= c->levels; l++) {
        const f2l_level *level = &c->level[l - 1];
        const f2l_context *x = &level->context[at];
        uint32_t old = coordinate[l - 1];
        coordinate[l - 1] = f2l_level_moved(level, x, old);
        at = level->next[x->next + (c->lambda[x->from] == l ? old : 0)];
    }
}
