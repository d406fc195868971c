/* The factors of a level's head (theory/pages/zeiger.md, Z.3). */
#include "numeric/base/mem.h"
#include "theory/construct/zeiger/impl.h"

/* Returns the row of the first copy; the row of the second copy follows. */
static uint32_t current_row(size_t x)
{
    return (uint32_t)(2 * x);
}

static uint32_t saved_row(const f2l_zeiger *z, size_t x)
{
    return (uint32_t)(2 * (z->n + x));
}

/* Exchanges both copies of current x with both copies of saved y: the reflection at (1, 1, -1,
 * -1). */
static f2l_status exchange_copies(f2l_transition *transition, const f2l_zeiger *z, size_t x,
                                  size_t y, f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(transition, 1, err);
    if (status != F2L_OK) return status;
    f2l_factor *factor = &transition->factor[0];
    mpq_set_ui(factor->beta, 2, 1);
    for (uint32_t i = 0; status == F2L_OK && i < 4; i++)
        status = f2l_qvec_push_si(&factor->u, (i < 2 ? current_row(x) : saved_row(z, y)) + i % 2,
                                  i < 2 ? 1 : -1, 1, err);
    return status;
}

/* Sets both copies from `row` on to `value`. */
static f2l_status put_copies(f2l_transition *transition, uint32_t row, long value, f2l_error *err)
{
    f2l_status status = f2l_transition_set_factors(transition, 2, err);
    for (uint32_t i = 0; status == F2L_OK && i < 2; i++) {
        f2l_factor *factor = &transition->factor[i];
        mpq_set_ui(factor->beta, 1, 1);
        status = f2l_qvec_push_si(&factor->u, row + i, 1, 1, err);
        if (status == F2L_OK) status = f2l_qvec_push_si(&factor->c, 0, value, 1, err);
    }
    return status;
}

/* Sets the slots x, n + x and 2n + x. */
static f2l_status slots_of(const f2l_zeiger *z, f2l_wired_head *head, size_t x, f2l_error *err)
{
    const size_t n = z->n, k = z->letters;
    f2l_transition *before = head->head.letter + head->slot_at[x];
    f2l_transition *move = head->head.letter + head->slot_at[n + x];
    f2l_transition *after = head->head.letter + head->slot_at[2 * n + x];
    f2l_status status = put_copies(&before[0], saved_row(z, x), 0, err);
    if (status == F2L_OK) status = exchange_copies(&before[1], z, x, x, err);
    for (size_t a = 0; status == F2L_OK && a < k; a++)
        status = exchange_copies(&move[1 + a], z, x, z->fsa->next[x * k + a], err);
    for (long value = 0; status == F2L_OK && value < 2; value++)
        status = put_copies(&move[k + 1 + (size_t)value], current_row(x), value, err);
    return status == F2L_OK ? exchange_copies(&after[0], z, x, x, err) : status;
}

f2l_status f2l_zeiger_head(f2l_zeiger *z, f2l_wired_head *head, uint32_t reset, uint32_t action,
                           f2l_error *err)
{
    const size_t n = z->n;
    const uint64_t transitions = n * (z->letters + 7), entries = n * (4 * z->letters + 18);
    f2l_status status = f2l_meter_spend(&z->meter,
                                        transitions * (F2L_TRANSITION_STEPS + F2L_FACTOR_STEPS) +
                                            entries * F2L_ENTRY_STEPS,
                                        0, 0, err);
    if (status != F2L_OK) return status;
    uint32_t *wire = f2l_calloc(n, 3 * sizeof *wire);
    size_t *size = f2l_calloc(n, 3 * sizeof *size);
    status = wire && size ? F2L_OK : f2l_fail_memory(err);
    for (size_t j = 0; status == F2L_OK && j < 3 * n; j++) {
        const bool acts = j >= n && j < 2 * n;
        wire[j] = acts ? action + (uint32_t)(j - n) : reset;
        size[j] = acts ? z->letters + 3 : F2L_ZEIGER_BIT;
    }
    if (status == F2L_OK) status = f2l_wired_head_set(head, 4 * n, 1, 3 * n, wire, size, err);
    f2l_free(wire);
    f2l_free(size);
    for (size_t x = 0; status == F2L_OK && x < n; x++) {
        status = slots_of(z, head, x, err);
        if (status == F2L_OK)
            status = f2l_task_poll(z->task, "building factors", (double)x, (double)n, err);
    }
    return status;
}
