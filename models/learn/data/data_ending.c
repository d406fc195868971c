#include "models/learn/data/data_ending.h"
#include "numeric/base/mem.h"

static size_t next_ending_state(const f2l_ending *e, size_t state, size_t letter)
{
    return e->fsa->next[state * e->fsa->letters.count + letter];
}

/* Returns the number of words of t - 1 letters after the letter, as a number of the table; NULL: it
 * is 0, or for t = 1 the letter gives another label. For t = 1 and the label it is row 0's, 1. */
static const mp_limb_t *count_after_letter(const f2l_ending *e, size_t t, size_t state,
                                           size_t letter)
{
    if (t > 1) return f2l_counts_at(&e->count, t - 1, next_ending_state(e, state, letter));
    return e->label_of[state * e->fsa->letters.count + letter] == e->label
               ? f2l_counts_at(&e->count, 0, 0)
               : NULL;
}

static void count_all_ending(f2l_ending *e, size_t t, size_t state)
{
    for (size_t a = 0; a < e->fsa->letters.count; a++) {
        const mp_limb_t *ways = count_after_letter(e, t, state, a);
        if (ways != NULL) f2l_counts_add(&e->count, f2l_counts_at(&e->count, t, state), ways);
    }
}

f2l_status f2l_ending_init(f2l_ending *out, const f2l_fsa *fsa, const uint32_t *label_of,
                           uint32_t label, size_t longest, const f2l_task *task, f2l_error *err)
{
    const size_t states = fsa->states.count, letters = fsa->letters.count;
    f2l_meter meter = {.task = task, .phase = "counting words"};
    *out = (f2l_ending){.fsa = fsa, .label_of = label_of, .longest = longest, .label = label};
    f2l_status status =
        f2l_counts_init(&out->count, longest + 1, states, letters, longest, task, err);
    if (status != F2L_OK) return status;
    out->rest = f2l_calloc(out->count.limbs, sizeof *out->rest);
    if (out->rest == NULL) return f2l_fail_memory(err);
    *f2l_counts_at(&out->count, 0, 0) = 1;
    for (size_t t = 1; t <= longest; t++) {
        status = f2l_meter_spend(&meter, states * letters * (1 + out->count.limbs / 8), (double)t,
                                 (double)longest, err);
        if (status != F2L_OK) return status;
        for (size_t q = 0; q < states; q++) count_all_ending(out, t, q);
    }
    return F2L_OK;
}

void f2l_ending_clear(f2l_ending *ending)
{
    f2l_counts_clear(&ending->count);
    f2l_free(ending->rest);
    *ending = (f2l_ending){0};
}

bool f2l_ending_exists(const f2l_ending *e, size_t length)
{
    return f2l_ending_has(e, length, 1);
}

bool f2l_ending_has(const f2l_ending *e, size_t length, uint64_t words)
{
    return f2l_counts_reach(&e->count, f2l_counts_at(&e->count, length, e->fsa->start), words);
}

/* Chooses the letter that is read in the state, t letters before the end. */
static uint32_t choose_ending_letter(const f2l_ending *e, size_t t, size_t state)
{
    for (uint32_t a = 0;; a++) {
        const mp_limb_t *ways = count_after_letter(e, t, state, a);
        if (ways != NULL && f2l_counts_choose(&e->count, e->rest, ways)) return a;
    }
}

void f2l_ending_draw(f2l_ending *e, uint32_t *letter, size_t length, f2l_rng *rng)
{
    size_t state = e->fsa->start;
    f2l_counts_below(&e->count, e->rest, f2l_counts_at(&e->count, length, state), rng);
    for (size_t i = 0; i < length; i++) {
        letter[i] = choose_ending_letter(e, length - i, state);
        state = next_ending_state(e, state, letter[i]);
    }
}
