#include "models/learn/data/edit_pairs.h"
#include "numeric/base/mem.h"
#include <string.h>

#define NO_LETTER UINT32_MAX

static size_t next_pair_state(const f2l_edit_pairs *p, size_t state, size_t letter)
{
    return p->fsa->next[state * p->fsa->letters.count + letter];
}

static mp_limb_t *both_at(const f2l_edit_pairs *p, size_t t, size_t x, size_t y)
{
    return f2l_counts_at(&p->both, t, x * p->fsa->states.count + y);
}

/* Fills row t of `both`. */
static void count_both(f2l_edit_pairs *p, size_t t)
{
    const size_t states = p->fsa->states.count, letters = p->fsa->letters.count;
    for (size_t x = 0; x < states; x++)
        for (size_t y = 0; y < states; y++) {
            mp_limb_t *count = both_at(p, t, x, y);
            if (x == y) continue;
            if (t == 0) *count = p->fsa->accept[x] && !p->fsa->accept[y];
            for (size_t a = 0; t > 0 && a < letters; a++) {
                const size_t to_x = next_pair_state(p, x, a), to_y = next_pair_state(p, y, a);
                if (to_x != to_y) f2l_counts_add(&p->both, count, both_at(p, t - 1, to_x, to_y));
            }
        }
}

f2l_status f2l_edit_pairs_init(f2l_edit_pairs *out, const f2l_fsa *fsa, size_t longest,
                               const f2l_task *task, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    f2l_meter meter = {.task = task, .phase = "counting pairs of words"};
    size_t squares;
    *out = (f2l_edit_pairs){.fsa = fsa, .longest = longest};
    if (!f2l_mul_size(&squares, states, states)) return f2l_fail_memory(err);
    /* one more letter is chosen beside the word, at one of its places: a factor below 2^64 */
    f2l_status status =
        f2l_counts_init(&out->both, longest + 1, squares, letters, longest + 1, task, err);
    if (status == F2L_OK)
        status = f2l_counts_init(&out->pairs, longest + 1, states, letters, longest + 1, task, err);
    if (status != F2L_OK) return status;
    out->rest = f2l_calloc(out->both.limbs, sizeof *out->rest);
    out->part = f2l_calloc(out->both.limbs, sizeof *out->part);
    if (out->rest == NULL || out->part == NULL) return f2l_fail_memory(err);
    for (size_t t = 0; t <= longest; t++) {
        status = f2l_meter_spend(&meter, squares * letters, (double)t, (double)longest, err);
        if (status != F2L_OK) return status;
        count_both(out, t);
    }
    return F2L_OK;
}

void f2l_edit_pairs_clear(f2l_edit_pairs *pairs)
{
    f2l_counts_clear(&pairs->both);
    f2l_counts_clear(&pairs->pairs);
    f2l_free(pairs->rest);
    f2l_free(pairs->part);
    *pairs = (f2l_edit_pairs){.fsa = NULL};
}

/* Returns both(t, x, y, a), which is valid until the next call. */
static const mp_limb_t *both_without(const f2l_edit_pairs *p, size_t t, size_t x, size_t y,
                                     uint32_t letter)
{
    memcpy(p->part, both_at(p, t, x, y), p->both.limbs * sizeof *p->part);
    if (t > 0) {
        const size_t to_x = next_pair_state(p, x, letter), to_y = next_pair_state(p, y, letter);
        if (to_x != to_y) f2l_counts_subtract(&p->both, p->part, both_at(p, t - 1, to_x, to_y));
    }
    return p->part;
}

/* A way to go on: the letters that x and y read next, NO_LETTER: none; where they are equal the
 * edit comes later. */
typedef struct way {
    uint32_t x, y;
} way;

/* Returns the number of pairs that go on in this way, t letters of x before its end in state q;
 * NULL: none. */
static const mp_limb_t *count_way(const f2l_edit_pairs *p, size_t t, size_t q, way w)
{
    const size_t x = w.x == NO_LETTER ? q : next_pair_state(p, q, w.x),
                 y = w.y == NO_LETTER ? q : next_pair_state(p, q, w.y);
    if (w.x == w.y) return f2l_counts_at(&p->pairs, t - 1, x);
    if (x == y) return NULL;
    return w.x == NO_LETTER   ? both_without(p, t, x, y, w.y)
           : w.y == NO_LETTER ? both_without(p, t - 1, x, y, w.x)
                              : both_at(p, t - 1, x, y);
}

/* Adds the number of pairs that go on in this way to `sum`, or, with NULL, returns whether
 * p->rest chooses it. */
static bool take_way(const f2l_edit_pairs *p, mp_limb_t *sum, size_t t, size_t q, way w)
{
    const mp_limb_t *count = count_way(p, t, q, w);
    if (count == NULL) return false;
    if (sum == NULL) return f2l_counts_choose(&p->both, p->rest, count);
    f2l_counts_add(&p->both, sum, count);
    return false;
}

/* Takes all ways in order; with `sum` NULL it sets *w to the one that is chosen. */
static void take_ways(way *w, const f2l_edit_pairs *p, mp_limb_t *sum, size_t t, size_t q)
{
    const uint32_t letters = (uint32_t)p->fsa->letters.count;
    w->x = NO_LETTER;
    for (w->y = 0; p->edits.longer && w->y < letters; w->y++)
        if (take_way(p, sum, t, q, *w)) return;
    for (w->x = 0; t > 0 && w->x < letters; w->x++) {
        w->y = NO_LETTER;
        if (p->edits.shorter && take_way(p, sum, t, q, *w)) return;
        for (w->y = 0; w->y < letters; w->y++)
            if (take_way(p, sum, t, q, *w)) return;
    }
}

void f2l_edit_pairs_allow(f2l_edit_pairs *p, f2l_pair_edits edits, size_t longest)
{
    const size_t states = p->fsa->states.count;
    way w;
    p->edits = edits;
    for (size_t t = 0; t <= longest; t++)
        for (size_t q = 0; q < states; q++) {
            mp_limb_t *sum = f2l_counts_at(&p->pairs, t, q);
            memset(sum, 0, p->pairs.limbs * sizeof *sum);
            take_ways(&w, p, sum, t, q);
        }
}

bool f2l_edit_pairs_has(const f2l_edit_pairs *p, size_t length, uint64_t wanted)
{
    return f2l_counts_reach(&p->pairs, f2l_counts_at(&p->pairs, length, p->fsa->start), wanted);
}

/* Reads the t letters of x and y that follow the edit from their states; the first is not
 * `without`. */
static void draw_rest(const f2l_edit_pairs *p, uint32_t *letter, size_t t, size_t x, size_t y,
                      uint32_t without)
{
    for (; t > 0; t--) {
        uint32_t a = 0;
        for (;; a++) {
            const size_t to_x = next_pair_state(p, x, a), to_y = next_pair_state(p, y, a);
            if (a != without && to_x != to_y &&
                f2l_counts_choose(&p->both, p->rest, both_at(p, t - 1, to_x, to_y)))
                break;
        }
        *letter++ = a;
        x = next_pair_state(p, x, a);
        y = next_pair_state(p, y, a);
        without = NO_LETTER;
    }
}

void f2l_edit_pairs_draw(f2l_edit_pairs *p, uint32_t *x, uint32_t *y, size_t *size, size_t length,
                         f2l_rng *rng)
{
    size_t t = length, q = p->fsa->start, x_size = 0, y_size = 0;
    way w = {0, 0};
    f2l_counts_below(&p->pairs, p->rest, f2l_counts_at(&p->pairs, length, q), rng);
    while (w.x == w.y) {
        take_ways(&w, p, NULL, t, q);
        if (w.x != NO_LETTER) x[x_size++] = w.x;
        if (w.y != NO_LETTER) y[y_size++] = w.y;
        if (w.x == w.y) q = next_pair_state(p, q, w.x);
        t -= w.x != NO_LETTER;
    }
    const bool same = w.x != NO_LETTER && w.y != NO_LETTER;
    draw_rest(p, x + x_size, t, w.x == NO_LETTER ? q : next_pair_state(p, q, w.x),
              w.y == NO_LETTER ? q : next_pair_state(p, q, w.y),
              same               ? NO_LETTER
              : w.x == NO_LETTER ? w.y
                                 : w.x);
    memcpy(y + y_size, x + x_size, t * sizeof *y);
    *size = y_size + t;
}
