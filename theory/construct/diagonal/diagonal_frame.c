/* The coordinates that heads hold, and the coordinates of the cells that these encode
 * (theory/pages/diagonal.md, G.5, G.10). */
#include "numeric/base/mem.h"
#include "theory/construct/diagonal/impl.h"

#define MAX_TUPLES ((size_t)1 << 22)

void f2l_frame_clear(f2l_frame *f)
{
    f2l_refined_clear(&f->of);
    f2l_free(f->kind);
    f2l_free(f->prime);
    *f = (f2l_frame){0};
}

/* Returns whether coordinate i of the base is split; coordinate 0 is the orbit, to which nothing is
 * added. */
static bool is_split(const f2l_frame *f, size_t i)
{
    return f->one && i > 0 && f->base->values[i] > 2;
}

static void add_frame_coordinate(f2l_frame *f, f2l_cell_kind kind, size_t prime, size_t values,
                                 size_t layer)
{
    f2l_refined *r = &f->of;
    const size_t i = r->coordinates++;
    f->kind[i] = kind;
    f->prime[i] = (uint32_t)prime;
    r->values[i] = (uint32_t)values;
    r->layer[i] = layer;
    r->weight[i] = (uint32_t)r->tuples;
    if (r->tuples <= MAX_TUPLES) r->tuples *= values;
    if (values > 1 && layer >= r->layers) r->layers = layer + 1;
}

/* Adds cell i of the base, whose layer begins at `layer`. */
static void add_cell(f2l_frame *f, const f2l_refined *base, size_t i, size_t layer)
{
    const size_t p = base->values[i];
    if (!is_split(f, i)) {
        add_frame_coordinate(f,
                             i == 0   ? F2L_CELL_ROW
                             : p == 2 ? F2L_CELL_SIGN
                                      : F2L_CELL_PLANE,
                             p, p, layer);
        return;
    }
    add_frame_coordinate(f, F2L_CELL_PARITY, 2, 2, layer);
    add_frame_coordinate(f, F2L_CELL_TURN, p, 2 * p, layer + 1);
    add_frame_coordinate(f, F2L_CELL_FRAME, p, f->framed ? p : 1, layer + 2);
    f->hidden *= f->framed ? 2 * p : 2;
}

/* Returns the number of layers that the base's layer k becomes. */
static size_t layers_of(const f2l_frame *f, const f2l_refined *base, size_t k)
{
    bool split = false;
    for (size_t i = 1; i < base->coordinates; i++)
        split = split || (base->layer[i] == k && is_split(f, i));
    return split ? 2 + f->framed : 1;
}

f2l_status f2l_frame_build(f2l_frame *out, const f2l_refined *base, size_t l, bool one, bool resets,
                           f2l_error *err)
{
    const size_t most = 3 * base->coordinates;
    *out = (f2l_frame){.base = base, .one = one, .framed = resets, .hidden = 1};
    f2l_refined *r = &out->of;
    out->kind = f2l_calloc(most, sizeof *out->kind);
    out->prime = f2l_calloc(most, sizeof *out->prime);
    r->values = f2l_calloc(most, sizeof *r->values);
    r->weight = f2l_calloc(most, sizeof *r->weight);
    r->layer = f2l_calloc(most, sizeof *r->layer);
    r->tuples = 1;
    if (!out->kind || !out->prime || !r->values || !r->weight || !r->layer)
        return f2l_fail_memory(err);
    for (size_t i = 0; i < base->coordinates; i++) {
        size_t layer = 0;
        for (size_t k = 0; k < base->layer[i]; k++) layer += layers_of(out, base, k);
        add_cell(out, base, i, layer);
    }
    if (r->tuples > MAX_TUPLES)
        return f2l_fail(err, F2L_UNKNOWN, "level %zu has too many combinations of its cells", l);
    return F2L_OK;
}

uint32_t f2l_frame_put(const f2l_frame *f, uint32_t tuple, size_t hidden)
{
    uint32_t out = 0;
    for (size_t i = 0, e = 0; i < f->base->coordinates; i++) {
        const uint32_t p = f->base->values[i], c = f2l_refine_digit(f->base, tuple, i);
        if (!is_split(f, i)) {
            out += f->of.weight[e++] * c;
            continue;
        }
        const uint32_t q = hidden % 2, turned = f->framed ? (uint32_t)(hidden / 2 % p) : c;
        hidden /= f->framed ? 2 * p : 2;
        out += f->of.weight[e++] * q;
        out += f->of.weight[e++] * (q * p + turned);
        out += f->of.weight[e++] * (f->framed ? (c + p - turned) % p : 0);
    }
    return out;
}

uint32_t f2l_frame_take(const f2l_frame *f, uint32_t tuple)
{
    uint32_t out = 0;
    for (size_t i = 0, e = 0; i < f->base->coordinates; i++) {
        const uint32_t p = f->base->values[i];
        uint32_t c = f2l_refine_digit(&f->of, tuple, e);
        if (is_split(f, i)) {
            c = (f2l_refine_digit(&f->of, tuple, e + 1) + f2l_refine_digit(&f->of, tuple, e + 2)) %
                p;
            e += 2;
        }
        out += f->base->weight[i] * c;
        e++;
    }
    return out;
}

size_t f2l_frame_move(const f2l_frame *f, uint32_t from, uint32_t to, size_t hidden)
{
    size_t out = 0, weight = 1;
    for (size_t i = 0; i < f->base->coordinates; i++) {
        const uint32_t p = f->base->values[i];
        if (!is_split(f, i)) continue;
        const uint32_t by =
            (f2l_refine_digit(f->base, to, i) + p - f2l_refine_digit(f->base, from, i)) % p;
        const size_t each = f->framed ? 2 * p : 2, mine = hidden % each;
        const size_t q = (mine + (by != 0)) % 2, turned = f->framed ? (mine / 2 + by) % p : 0;
        out += weight * (q + 2 * turned);
        weight *= each;
        hidden /= each;
    }
    return out;
}
