#include "models/network/exact/exact.h"
#include "models/network/net/head.h"
#include "numeric/base/mem.h"
#include <stdlib.h>
#include <string.h>

f2l_status f2l_stepper_init(f2l_stepper *stepper, size_t numbers, size_t columns, f2l_error *err)
{
    *stepper = (f2l_stepper){.ready = true};
    mpq_inits(stepper->r, stepper->t, (mpq_ptr)NULL);
    f2l_status status = f2l_scratch_init(&stepper->scratch, numbers, columns, err);
    if (status != F2L_OK) f2l_stepper_clear(stepper);
    return status;
}

void f2l_stepper_clear(f2l_stepper *stepper)
{
    f2l_scratch_clear(&stepper->scratch);
    if (stepper->ready) mpq_clears(stepper->r, stepper->t, (mpq_ptr)NULL);
    f2l_numbers_free(stepper->number, stepper->numbers);
    *stepper = (f2l_stepper){0};
}

f2l_status f2l_exact_head_init(f2l_exact_head *head, const f2l_head *weights, size_t letters,
                               const mpz_t denominator, const f2l_task *task, f2l_error *err)
{
    *head = (f2l_exact_head){.weights = weights, .letters = letters};
    if (!f2l_head_is_plain(weights)) return f2l_field_head_new(&head->over, weights, letters, err);
    head->first = f2l_calloc(letters + 1, sizeof *head->first);
    if (head->first == NULL) return f2l_fail_memory(err);
    for (size_t x = 0; x < letters; x++)
        head->first[x + 1] = head->first[x] + weights->letter[x].factors;
    head->scale = f2l_calloc(head->first[letters], sizeof *head->scale);
    if (head->scale == NULL) {
        f2l_exact_head_clear(head);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < head->first[letters]; i++) mpq_init(head->scale[i]);
    f2l_status status = F2L_OK;
    size_t done = 0;
    for (size_t x = 0; status == F2L_OK && x < letters; x++) {
        for (size_t i = 0; i < weights->letter[x].factors; i++)
            f2l_factor_scale(head->scale[head->first[x] + i], weights,
                             &weights->letter[x].factor[i]);
        if (f2l_net_poll_due(&done, 1 + weights->letter[x].factors))
            status = f2l_task_poll(task, "preparing exact steps", (double)x, (double)letters, err);
    }
    if (status == F2L_OK) status = f2l_small_head_init(&head->small, head, denominator, err);
    if (status != F2L_OK) f2l_exact_head_clear(head);
    return status;
}

void f2l_exact_head_clear(f2l_exact_head *head)
{
    for (size_t f = 0; head->scale != NULL && f < head->first[head->letters]; f++)
        mpq_clear(head->scale[f]);
    f2l_free(head->scale);
    f2l_free(head->first);
    f2l_field_head_free(head->over);
    f2l_small_head_clear(&head->small);
    *head = (f2l_exact_head){0};
}

/* Applies one factor to one column; c_j = NULL is zero. */
static void step_big_column(f2l_stepper *stepper, const f2l_factor *factor, const mpq_t scale,
                            size_t d, uint32_t column, mpq_srcptr c)
{
    f2l_scratch *s = &stepper->scratch;
    mpq_set_ui(stepper->r, 0, 1);
    for (size_t k = 0; k < factor->u.count; k++) {
        uint32_t slot = s->slot[factor->u.index[k] * d + column];
        if (slot == 0 || mpq_sgn(s->big[slot - 1]) == 0) continue;
        mpq_mul(stepper->t, factor->u.value[k], s->big[slot - 1]);
        mpq_add(stepper->r, stepper->r, stepper->t);
    }
    if (c != NULL) mpq_sub(stepper->r, stepper->r, c);
    if (mpq_sgn(stepper->r) == 0) return;
    mpq_mul(stepper->r, stepper->r, scale);
    for (size_t k = 0; k < factor->u.count; k++) {
        size_t at = f2l_scratch_touch(s, (uint32_t)(factor->u.index[k] * d) + column);
        mpq_mul(stepper->t, factor->u.value[k], stepper->r);
        mpq_sub(s->big[at], s->big[at], stepper->t);
    }
}

static bool load_big_state(f2l_scratch *s, const f2l_head *head, const f2l_qvec *state)
{
    if (!f2l_scratch_reserve(s, state->count)) return false;
    for (size_t i = 0; i < state->count; i++) {
        mpq_set(s->big[f2l_scratch_touch(s, state->index[i])], state->value[i]);
        f2l_scratch_activate(s, (uint32_t)(state->index[i] % head->d));
    }
    return true;
}

static void apply_big_gate(f2l_scratch *s, const mpq_t gate)
{
    if (mpq_cmp_ui(gate, 1, 1) == 0) return;
    if (mpq_sgn(gate) == 0) f2l_scratch_reset(s);
    for (size_t i = 0; i < s->count; i++) mpq_mul(s->big[i], s->big[i], gate);
}

/* Applies one factor. False: no memory. */
static bool step_factor(f2l_stepper *stepper, const f2l_factor *factor, const mpq_t scale, size_t d)
{
    f2l_scratch *s = &stepper->scratch;
    for (size_t j = 0; j < factor->c.count; j++) {
        f2l_scratch_activate(s, factor->c.index[j]);
        s->write[factor->c.index[j]] = (uint32_t)j + 1;
    }
    bool room = f2l_scratch_reserve(s, factor->u.count * s->columns);
    for (size_t j = 0; room && j < s->columns; j++) {
        uint32_t write = s->write[s->column[j]];
        step_big_column(stepper, factor, scale, d, s->column[j],
                        write == 0 ? NULL : factor->c.value[write - 1]);
    }
    for (size_t j = 0; j < factor->c.count; j++) s->write[factor->c.index[j]] = 0;
    return room;
}

/* Computes S <- S + bias. False: no memory. */
static bool add_big_bias(f2l_scratch *s, const f2l_qvec *bias, size_t d)
{
    if (!f2l_scratch_reserve(s, bias->count)) return false;
    for (size_t i = 0; i < bias->count; i++) {
        const size_t at = f2l_scratch_touch(s, bias->index[i]);
        mpq_add(s->big[at], s->big[at], bias->value[i]);
        f2l_scratch_activate(s, (uint32_t)(bias->index[i] % d));
    }
    return true;
}

/* Steps in rationals, from an empty scratch. False: no memory. */
static bool big_step(f2l_stepper *stepper, const f2l_exact_head *head, const size_t *letter,
                     size_t count, const f2l_qvec *state)
{
    bool room = load_big_state(&stepper->scratch, head->weights, state);
    for (size_t k = 0; room && k < count; k++) {
        const f2l_transition *transition = &head->weights->letter[letter[k]];
        apply_big_gate(&stepper->scratch, transition->gate);
        for (size_t i = 0; room && i < transition->factors; i++)
            room = step_factor(stepper, &transition->factor[i],
                               head->scale[head->first[letter[k]] + i], head->weights->d);
        room = room && add_big_bias(&stepper->scratch, &transition->bias, head->weights->d);
    }
    return room;
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

f2l_status f2l_vector_put(f2l_qvec *v, size_t at, uint32_t index, const mpq_t value, f2l_error *err)
{
    if (at == v->count) return f2l_qvec_push(v, index, value, err);
    v->index[at] = index;
    mpq_set(v->value[at], value);
    return F2L_OK;
}

void f2l_vector_cut(f2l_qvec *v, size_t count)
{
    while (v->count > count) mpq_clear(v->value[--v->count]);
}

/* Sets out to the scratch state; `denominator` is the small arithmetic's, 0 for the big one. */
static f2l_status collect_exact_state(f2l_stepper *stepper, f2l_qvec *out, int64_t denominator,
                                      f2l_error *err)
{
    f2l_scratch *s = &stepper->scratch;
    size_t count = 0;
    bool sorted = true;
    for (size_t i = 0; i < s->count; i++) {
        if (denominator > 0 ? s->small[i] == 0 : mpq_sgn(s->big[i]) == 0) continue;
        if (count > 0 && s->order[count - 1] > s->touched[i]) sorted = false;
        s->order[count++] = s->touched[i];
    }
    if (!sorted) qsort(s->order, count, sizeof *s->order, compare_places);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < count && status == F2L_OK; i++) {
        size_t at = s->slot[s->order[i]] - 1;
        if (denominator > 0) {
            mpq_set_si(stepper->t, (long)s->small[at], (unsigned long)denominator);
            if (denominator > 1) mpq_canonicalize(stepper->t);
        }
        status =
            f2l_vector_put(out, i, s->order[i], denominator > 0 ? stepper->t : s->big[at], err);
    }
    if (status != F2L_OK) f2l_qvec_clear(out);
    f2l_vector_cut(out, count);
    return status;
}

f2l_status f2l_stepper_step(f2l_stepper *stepper, f2l_qvec *out, const f2l_exact_head *head,
                            const size_t *letter, size_t count, const f2l_qvec *state,
                            f2l_error *err)
{
    if (head->over != NULL)
        return f2l_field_head_step(stepper, out, head->over, letter, count, state, err);
    f2l_scratch *s = &stepper->scratch;
    f2l_status status = f2l_small_step(s, head, letter, count, state);
    int64_t denominator = head->small.denominator;
    if (status == F2L_UNKNOWN) {
        f2l_scratch_reset(s);
        denominator = 0;
        status = big_step(stepper, head, letter, count, state) ? F2L_OK : F2L_ENOMEM;
    }
    if (status == F2L_OK) {
        status = collect_exact_state(stepper, out, denominator, err);
    } else {
        f2l_qvec_clear(out);
        status = f2l_fail_memory(err);
    }
    f2l_scratch_reset(s);
    return status;
}
