#include "models/learn/data/data_ending.h"
#include "numeric/base/mem.h"
#include <math.h>

static size_t next_ending_state(const f2l_ending *e, size_t state, size_t letter)
{
    return e->fsa->next[state * e->fsa->letters.count + letter];
}

/* Returns the logarithm of the number of ways to go on after the letter, t letters before the
 * end. */
static double log_ways_after_letter(const f2l_ending *e, size_t t, size_t state, size_t letter)
{
    const f2l_fsa *fsa = e->fsa;
    if (t == 1) return e->label_of[state * fsa->letters.count + letter] == e->label ? 0 : -INFINITY;
    return e->count[(t - 1) * fsa->states.count + next_ending_state(e, state, letter)];
}

/* Returns the greatest of these logarithms over all letters. */
static double greatest(const f2l_ending *e, size_t t, size_t state)
{
    double most = -INFINITY;
    for (size_t a = 0; a < e->fsa->letters.count; a++) {
        const double ways = log_ways_after_letter(e, t, state, a);
        if (ways > most) most = ways;
    }
    return most;
}

static double count_all(const f2l_ending *e, size_t t, size_t state)
{
    const double most = greatest(e, t, state);
    double sum = 0;
    if (isinf(most)) return most;
    for (size_t a = 0; a < e->fsa->letters.count; a++)
        sum += exp2(log_ways_after_letter(e, t, state, a) - most);
    return most + log2(sum);
}

f2l_status f2l_ending_init(f2l_ending *out, const f2l_fsa *fsa, const uint32_t *label_of,
                           uint32_t label, size_t longest, const f2l_task *task, f2l_error *err)
{
    const size_t states = fsa->states.count;
    f2l_meter meter = {.task = task, .phase = "counting words"};
    size_t entries, bytes;
    *out = (f2l_ending){
        .fsa = fsa, .label_of = label_of, .longest = longest, .label = label, .count = NULL};
    if (!f2l_mul_size(&entries, longest + 1, states) ||
        !f2l_mul_size(&bytes, entries, sizeof *out->count))
        return f2l_fail_memory(err);
    f2l_status status = f2l_task_memory(task, "counting words", bytes, err);
    if (status != F2L_OK) return status;
    out->count = f2l_calloc(entries, sizeof *out->count);
    if (!out->count) return f2l_fail_memory(err);
    for (size_t t = 1; t <= longest; t++) {
        status = f2l_meter_spend(&meter, 8 * states * fsa->letters.count, (double)t,
                                 (double)longest, err);
        if (status != F2L_OK) return status;
        for (size_t q = 0; q < states; q++) out->count[t * states + q] = count_all(out, t, q);
    }
    return F2L_OK;
}

void f2l_ending_clear(f2l_ending *ending)
{
    f2l_free(ending->count);
    *ending = (f2l_ending){0};
}

bool f2l_ending_exists(const f2l_ending *e, size_t length)
{
    return e->count[length * e->fsa->states.count + e->fsa->start] > -INFINITY;
}

/* Draws the letter that is read in the state, t letters before the end. */
static uint32_t draw_ending_letter(const f2l_ending *e, size_t t, size_t state, f2l_rng *rng)
{
    const size_t letters = e->fsa->letters.count;
    const double most = greatest(e, t, state);
    double sum = 0;
    uint32_t last = 0;
    for (size_t a = 0; a < letters; a++) sum += exp2(log_ways_after_letter(e, t, state, a) - most);
    double at = ldexp((double)(f2l_rng_u64(rng) >> 11), -53) * sum;
    for (uint32_t a = 0; a < letters; a++) {
        const double share = exp2(log_ways_after_letter(e, t, state, a) - most);
        if (share == 0) continue;
        last = a; /* sums are rounded: what is left over belongs to the last letter */
        if (at < share) return a;
        at -= share;
    }
    return last;
}

void f2l_ending_draw(const f2l_ending *e, uint32_t *letter, size_t length, f2l_rng *rng)
{
    size_t state = e->fsa->start;
    for (size_t i = 0; i < length; i++) {
        letter[i] = draw_ending_letter(e, length - i, state, rng);
        state = next_ending_state(e, state, letter[i]);
    }
}
