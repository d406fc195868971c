/* Boxes of codes, lines of NETWORK (network.c) after the lines of the codes of a layer:
 *     box i R.C:A,B .. ; R.C:A,B ..         C times, or not at all: all entries S of a state with
 * code i have A <= S <= B. All heads of the layer are over Q and without a form. Codes lie in their
 * boxes, and everywhere in its box a code is nearer than every other one (check_boxes). So a state
 * is in one box at most, and the code of that box is the nearest one. A transition leads a box into
 * another if the least box around the image lies in it (enclose_image): R8.4 and R8.8 of
 * theory/pages/decay.md. */
#include "theory/check/field.h"
#include <stdlib.h>
#include <string.h>

typedef struct interval {
    mpq_srcptr number, low, high;
} interval;

/* Scratch of a step, [entries] each: a box, the least box around its image, and the image of 0. */
typedef struct enclosure {
    mpq_t *box[2], *image[2], *bias, product;
} enclosure;

static int by_number(const void *a, const void *b)
{
    return mpq_cmp(((const interval *)a)->number, ((const interval *)b)->number);
}

/* Returns the value at an index; smaller indices must have been passed before. */
static mpq_srcptr value_at(const vector *v, size_t *next, size_t index, mpq_srcptr zero)
{
    return *next < v->count && v->entry[*next].index == index ? v->entry[(*next)++].value : zero;
}

/* Returns the intervals of the layer's numbers, one number of all codes after the other. */
static interval *grab_intervals(const block *y, const text *t, mpq_srcptr zero)
{
    const size_t codes = y->readout->codes;
    interval *v = grab(product_of(y->entries, codes), sizeof *v);
    for (const struct readout *r = y->readout; r < y->readout + y->readouts; r++)
        for (size_t i = 0; i < codes; i++) {
            size_t next[3] = {0};
            spend(1 + r->entries / 4);
            for (size_t k = 0; k < r->entries; k++) {
                const interval e = {value_at(&r->code[i], &next[0], k, zero),
                                    value_at(&r->low[i], &next[1], k, zero),
                                    value_at(&r->high[i], &next[2], k, zero)};
                if (mpq_cmp(e.low, e.number) > 0 || mpq_cmp(e.number, e.high) > 0)
                    reject(t, "boxes: a code is outside its own");
                v[(r->at + k) * codes + i] = e;
            }
        }
    return v;
}

/* Returns the sign of a number less the middle of two others. */
static int from_middle(mpq_t *sum, mpq_srcptr number, mpq_srcptr a, mpq_srcptr b)
{
    mpq_add(sum[0], number, number);
    mpq_add(sum[1], a, b);
    return mpq_cmp(sum[0], sum[1]);
}

/* Returns whether the intervals of one number, which are sorted, end before the middles between
 * different numbers of codes. */
static bool end_before_middles(mpq_t *sum, const interval *v, size_t codes)
{
    const interval *below = NULL, *above = NULL;
    for (size_t i = 0; i < codes; i++) {
        const interval *up = v + i, *down = v + codes - 1 - i;
        if (i > 0 && !mpq_equal(up[-1].number, up->number)) below = up - 1;
        if (i > 0 && !mpq_equal(down[1].number, down->number)) above = down + 1;
        if (below && from_middle(sum, up->low, below->number, up->number) <= 0) return false;
        if (above && from_middle(sum, down->high, above->number, down->number) >= 0) return false;
    }
    return true;
}

/* Returns whether code i is nearer than code j in its whole box: the greatest |S - i|^2 - |S - j|^2
 * there, the sum of (j - i) (2 S - i - j) over all numbers, is negative. */
static bool is_nearer(mpq_t *sum, const interval *v, size_t numbers, size_t codes, size_t i,
                      size_t j)
{
    mpq_set_ui(sum[2], 0, 1);
    for (size_t k = 0; k < numbers; k++, v += codes) {
        const int order = mpq_cmp(v[j].number, v[i].number);
        spend(1);
        if (order == 0) continue;
        from_middle(sum, order > 0 ? v[i].high : v[i].low, v[i].number, v[j].number);
        mpq_sub(sum[0], sum[0], sum[1]);
        mpq_sub(sum[1], v[j].number, v[i].number);
        mpq_mul(sum[0], sum[0], sum[1]);
        mpq_add(sum[2], sum[2], sum[0]);
        spend_on(sum[2]);
    }
    return mpq_sgn(sum[2]) < 0;
}

/* Checks that codes are nearest in their boxes: number by number, which is enough, or else pair by
 * pair. */
static void check_boxes(const block *y, const text *t)
{
    const size_t codes = y->readout->codes;
    mpq_t *sum = zeros(4);
    const interval *v = grab_intervals(y, t, sum[3]);
    interval *sorted = grab(codes, sizeof *sorted);
    size_t apart = 0;
    while (apart < y->entries) {
        spend(product_of(16, codes));
        memcpy(sorted, v + apart * codes, codes * sizeof *v);
        qsort(sorted, codes, sizeof *v, by_number);
        if (!end_before_middles(sum, sorted, codes)) break;
        apart++;
    }
    for (size_t i = 0; apart < y->entries && i < codes; i++)
        for (size_t j = 0; j < codes; j++)
            if (i != j && !is_nearer(sum, v, y->entries, codes, i, j))
                reject(t, "boxes: in the box of code %zu, code %zu can be as near", i + 1, j + 1);
}

/* Reads a number for the index after the vector's; zeros are left out. */
static void read_end(text *t, const char *before, vector *v, size_t index)
{
    struct entry e = {.index = index};
    mpq_init(e.value);
    rational(t, before, e.value, 0);
    if (mpq_sgn(e.value) != 0)
        v->entry[v->count++] = e;
    else
        mpq_clear(e.value);
}

static void read_box(text *t, const head *h, vector *low, vector *high)
{
    low->entry = grab(h->entries, sizeof *low->entry);
    high->entry = grab(h->entries, sizeof *high->entry);
    for (size_t index = 0; index < h->entries; index++) {
        number(t, " ", index / h->d + 1, index / h->d + 1);
        number(t, ".", index % h->d + 1, index % h->d + 1);
        read_end(t, ":", low, index);
        read_end(t, ",", high, index);
    }
}

/* Makes room for the boxes of a head that may have some. */
static void begin_boxes(const head *h, struct readout *r, const text *t)
{
    if (h->k) reject(t, "boxes of a head over a field or with a form");
    if (r->codes > left(t) / sizeof "1.1:0,0" / h->entries)
        reject(t, "the file is too short for its boxes");
    r->low = grab(r->codes, sizeof *r->low);
    r->high = grab(r->codes, sizeof *r->high);
}

void read_boxes(block *y, text *t)
{
    for (size_t h = 0; h < y->heads; h++) begin_boxes(&y->head[h], &y->readout[h], t);
    for (size_t i = 0; i < y->readout->codes; i++) {
        number(t, "box ", i + 1, i + 1);
        for (size_t h = 0; h < y->heads; h++) {
            if (h > 0) expect(t, " ;");
            read_box(t, &y->head[h], &y->readout[h].low[i], &y->readout[h].high[i]);
        }
        end_line(t);
    }
    check_boxes(y, t);
}

/* Compares a number and the entry at an index; smaller indices must have been passed before. */
static int against(mpq_srcptr number, const vector *v, size_t *next, size_t index)
{
    if (*next == v->count || v->entry[*next].index != index) return mpq_sgn(number);
    return mpq_cmp(number, v->entry[(*next)++].value);
}

/* Returns whether everything from the numbers at `from` to those at `to` is in the box. */
static bool is_between(mpq_t *from, mpq_t *to, const struct readout *r, uint32_t code)
{
    size_t low = 0, high = 0, i = 0;
    while (i < r->entries && against(from[i], &r->low[code], &low, i) >= 0 &&
           against(to[i], &r->high[code], &high, i) <= 0)
        spend_on(from[i++]);
    return i == r->entries;
}

bool is_in_box(const problem *x, const block *b, const uint32_t *code)
{
    if (b->readouts == 0 || !b->readout->low) return is_code(x, b, code);
    bool inside = true;
    for (const struct readout *r = b->readout; inside && r < b->readout + b->readouts; r++)
        inside = is_between(x->state + r->at, x->state + r->at, r, *code);
    return inside;
}

/* Adds a times the interval at `from` of the box to the one at `to` of its image. */
static void add_interval(enclosure *e, mpq_t a, size_t from, size_t to)
{
    for (size_t end = 0; mpq_sgn(a) != 0 && end < 2; end++) {
        mpq_mul(e->product, a, e->box[mpq_sgn(a) > 0 ? end : 1 - end][from]);
        mpq_add(e->image[end][to], e->image[end][to], e->product);
        spend_on(e->image[end][to]);
    }
}

/* Encloses the image of the box under a transition, with scratch s. It does S <- A S + b with one A
 * for all columns of S: its effect on 0 shows b, that on a row of ones a column of A. */
static void enclose_image(enclosure *e, const head *h, mpq_t *s, const transition *w)
{
    clear(s, h->entries);
    move(h, s, w);
    for (size_t i = 0; i < h->entries; i++) {
        mpq_set(e->bias[i], s[i]);
        for (size_t end = 0; end < 2; end++) mpq_set(e->image[end][i], s[i]);
    }
    for (size_t row = 0; row < h->n; row++) {
        clear(s, h->entries);
        for (size_t j = 0; j < h->d; j++) mpq_set_ui(s[row * h->d + j], 1, 1);
        move(h, s, w);
        for (size_t i = 0; i < h->entries; i++) {
            mpq_sub(s[i], s[i], e->bias[i]);
            spend_on(s[i]);
            /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no head has 0 columns */
            add_interval(e, s[i], row * h->d + i % h->d, i);
        }
    }
}

static enclosure *grab_enclosure(size_t entries)
{
    enclosure *e = grab(1, sizeof *e);
    for (size_t end = 0; end < 2; end++) {
        e->box[end] = zeros(entries);
        e->image[end] = zeros(entries);
    }
    e->bias = zeros(entries);
    mpq_init(e->product);
    return e;
}

bool leads_boxes(problem *x, const block *b, size_t letter, const uint32_t *from,
                 const uint32_t *to)
{
    if (!b->readout->low) return leads_exactly(x, b, letter, from, to);
    if (!x->own) x->own = grab_enclosure(x->net.entries);
    enclosure *e = x->own;
    for (size_t i = 0; i < b->heads; i++) {
        const struct readout *r = &b->readout[i];
        put(e->box[0], r->entries, &r->low[*from]);
        put(e->box[1], r->entries, &r->high[*from]);
        enclose_image(e, &b->head[i], x->state + r->at, &b->head[i].slot->on[letter]);
        if (!is_between(e->image[0], e->image[1], r, *to)) return false;
    }
    return true;
}
