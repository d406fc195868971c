/* Boxes of codes, lines of NETWORK (network.c) behind those of the codes of a layer:
 *     box i R.C:A,B .. ; R.C:A,B ..         C times, or not at all: all entries S of a state with
 * code i have A <= S <= B All heads of the layer are over Q and without a form, and every u has one
 * entry. Codes lie in their boxes, and intervals of an entry are either those of equal numbers, and
 * equal, or lie on two sides of the middle of the two numbers. So a state is in one box at most,
 * and the code of that box is the nearest one. A transition that leads both corners of a box into
 * another leads all of it there, since it moves every entry by a function that is affine (R8.4 of
 * theory/pages/decay.md). */
#include "theory/check/field.h"
#include <stdlib.h>

typedef struct interval {
    mpq_srcptr number, low, high;
} interval;

static int by_interval(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    const int order = mpq_cmp(x->number, y->number);
    if (order != 0) return order;
    return mpq_cmp(x->low, y->low) != 0 ? mpq_cmp(x->low, y->low) : mpq_cmp(x->high, y->high);
}

/* Returns the value at an index; smaller indices must have been passed before. */
static mpq_srcptr value_at(const vector *v, size_t *next, size_t index, mpq_srcptr zero)
{
    return *next < v->count && v->entry[*next].index == index ? v->entry[(*next)++].value : zero;
}

/* Checks the intervals of one number of the state, ordered by the codes' numbers. */
static void check_intervals(const text *t, const interval *v, size_t codes, mpq_t *sum)
{
    for (size_t i = 0; i < codes; i++) {
        if (mpq_cmp(v[i].low, v[i].number) > 0 || mpq_cmp(v[i].number, v[i].high) > 0)
            reject(t, "boxes: a code is outside its own");
        if (i == 0) continue;
        const interval *before = &v[i - 1];
        if (mpq_equal(before->number, v[i].number)) {
            if (!mpq_equal(before->low, v[i].low) || !mpq_equal(before->high, v[i].high))
                reject(t, "boxes: two intervals around one number");
            continue;
        }
        mpq_add(sum[0], before->number, v[i].number);
        mpq_add(sum[1], before->high, before->high);
        if (mpq_cmp(sum[1], sum[0]) >= 0) reject(t, "boxes: an interval reaches the middle");
        mpq_add(sum[1], v[i].low, v[i].low);
        if (mpq_cmp(sum[1], sum[0]) <= 0) reject(t, "boxes: an interval reaches the middle");
    }
}

/* Checks that codes differ in some number of the state, and that their boxes have no number in
 * common there. */
static void check_boxes(const struct readout *r, const text *t)
{
    interval *v = grab(r->codes, sizeof *v);
    size_t(*next)[3] = grab(r->codes, sizeof *next);
    mpq_t *scratch = zeros(3);
    for (size_t index = 0; index < r->entries; index++) {
        spend(product_of(16, r->codes));
        for (size_t i = 0; i < r->codes; i++)
            v[i] = (interval){value_at(&r->code[i], &next[i][0], index, scratch[2]),
                              value_at(&r->low[i], &next[i][1], index, scratch[2]),
                              value_at(&r->high[i], &next[i][2], index, scratch[2])};
        qsort(v, r->codes, sizeof *v, by_interval);
        check_intervals(t, v, r->codes, scratch);
    }
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
    for (const transition *w = h->slot->on; w < h->slot->on + h->slot->values; w++)
        for (size_t i = 0; i < w->factors; i++)
            if (w->factor[i].u.count != 1) reject(t, "boxes, and a u of more than one entry");
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
    for (size_t h = 0; h < y->heads; h++) check_boxes(&y->readout[h], t);
}

/* Compares a number and the entry at an index; smaller indices must have been passed before. */
static int against(mpq_srcptr number, const vector *v, size_t *next, size_t index)
{
    if (*next == v->count || v->entry[*next].index != index) return mpq_sgn(number);
    return mpq_cmp(number, v->entry[(*next)++].value);
}

static bool is_between(mpq_t *s, size_t entries, const vector *low, const vector *high)
{
    size_t l = 0, h = 0, i = 0;
    while (i < entries && against(s[i], low, &l, i) >= 0 && against(s[i], high, &h, i) <= 0)
        spend_on(s[i++]);
    return i == entries;
}

bool is_in_box(const problem *x, const block *b, const uint32_t *code)
{
    if (b->readouts == 0 || !b->readout->low) return is_code(x, b, code);
    bool inside = true;
    for (const struct readout *r = b->readout; inside && r < b->readout + b->readouts; r++)
        inside = is_between(x->state + r->at, r->entries, &r->low[*code], &r->high[*code]);
    return inside;
}

bool leads_boxes(problem *x, const block *b, size_t letter, const uint32_t *from,
                 const uint32_t *to)
{
    if (!b->readout->low) return leads_exactly(x, b, letter, from, to);
    for (size_t c = 0; c < 2; c++) {
        for (const struct readout *r = b->readout; r < b->readout + b->readouts; r++)
            put(x->state + r->at, r->entries, c == 0 ? &r->low[*from] : &r->high[*from]);
        for (const head *h = b->head; h < b->head + b->heads; h++)
            move(h, x->state + h->at, &h->slot->on[letter]);
        if (!is_in_box(x, b, to)) return false;
    }
    return true;
}
