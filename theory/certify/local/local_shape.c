/* The tables of a local closure, and the shape of networks that can have one. */
#include "numeric/base/mem.h"
#include "theory/certify/local/impl.h"

void f2l_local_init(f2l_local *local)
{
    *local = (f2l_local){.verdict = F2L_UNKNOWN};
}

void f2l_local_clear(f2l_local *local)
{
    for (size_t l = 0; local->level && l < local->levels; l++) {
        f2l_free(local->level[l].set);
        f2l_free(local->level[l].code);
        f2l_free(local->level[l].child);
        f2l_free(local->level[l].next_at);
        f2l_free(local->level[l].next);
    }
    f2l_free(local->level);
    f2l_free(local->start);
    f2l_local_init(local);
}

/* Returns whether the contexts of level l, from 0, read letters of the layer: on the first level
 * and where no letters are named, the letter with their number. */
static bool reads_letters(const f2l_layer *layer, const f2l_level *level,
                          const f2l_local_reading *reading, size_t l)
{
    if (!reading->letter || !reading->letter[l]) return layer->letters == level->contexts;
    bool good = l > 0;
    for (size_t x = 0; good && x < level->contexts; x++)
        good = reading->letter[l][x] < layer->letters;
    return good;
}

f2l_status f2l_local_check_shape(const f2l_net *net, const f2l_cascade *c, const size_t *layers,
                                 const f2l_local_reading *reading, const f2l_fsa *fsa,
                                 f2l_error *err)
{
    size_t at = 0, l = 0;
    for (; l < c->levels && layers[l] > 0 && layers[l] <= net->layers - at; l++) at += layers[l];
    if (at != net->layers || l != c->levels)
        return f2l_fail(err, F2L_UNKNOWN,
                        "the network has %zu layers, which does not fit %zu levels", net->layers,
                        c->levels);
    for (at = l = 0; l < c->levels; at += layers[l++])
        if (!reads_letters(&net->layer[at], &c->level[l], reading, l))
            return f2l_fail(err, F2L_UNKNOWN,
                            "layer %zu has %zu letters, level %zu %zu "
                            "contexts",
                            at + 1, net->layer[at].letters, l + 1, c->level[l].contexts);
    for (l = 0; l < net->layers; l++)
        if (net->layer[l].parts == 0)
            return f2l_fail(err, F2L_UNKNOWN, "layer %zu has no part decoder", l + 1);
    bool good = c->sets.states == fsa->states.count && c->sets.size[0] == c->sets.states &&
                c->level[0].contexts == fsa->letters.count;
    for (size_t a = 0; good && a < fsa->letters.count; a++) {
        const f2l_context *x = &c->level[0].context[a];
        good = x->letter == a && x->from == 0 && x->to == 0;
    }
    if (!good)
        return f2l_fail(err, F2L_UNKNOWN,
                        "the contexts of level 1 are not the letters on "
                        "all states");
    return F2L_OK;
}
