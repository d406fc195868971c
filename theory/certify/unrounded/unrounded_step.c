/* The intermediate results of a step (theory/pages/unrounded.md, U4), in exact arithmetic. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <stdio.h>

f2l_status f2l_step_room_init(f2l_step_room *room, size_t n, f2l_error *err)
{
    *room = (f2l_step_room){.n = n};
    room->s = f2l_calloc(n, sizeof *room->s);
    room->numbers = f2l_calloc(n, 2 * sizeof *room->numbers);
    if (room->s == NULL || room->numbers == NULL) {
        f2l_free(room->s);
        f2l_free(room->numbers);
        room->s = NULL;
        return f2l_fail_memory(err);
    }
    mpq_inits(room->r, room->t, NULL);
    for (size_t i = 0; i < F2L_STEP_REGISTERS; i++) mpq_init(room->reg[i]);
    for (size_t i = 0; i < n; i++) mpq_init(room->s[i]);
    return F2L_OK;
}

void f2l_step_room_clear(f2l_step_room *room)
{
    if (room->s == NULL) return;
    for (size_t i = 0; i < room->n; i++) mpq_clear(room->s[i]);
    for (size_t i = 0; i < F2L_STEP_REGISTERS; i++) mpq_clear(room->reg[i]);
    f2l_free(room->s);
    f2l_free(room->numbers);
    mpq_clears(room->r, room->t, NULL);
    *room = (f2l_step_room){0};
}

void f2l_step_room_load(f2l_step_room *room, const f2l_qvec *vector)
{
    for (size_t i = 0; i < room->n; i++)
        if (mpq_sgn(room->s[i]) != 0) mpq_set_ui(room->s[i], 0, 1);
    for (size_t i = 0; i < vector->count; i++) mpq_set(room->s[vector->index[i]], vector->value[i]);
}

bool f2l_step_keeps_zero(const f2l_step_letter *letter, size_t d, size_t j)
{
    for (size_t m = 0; m < letter->factors; m++)
        for (size_t i = 0; i < letter->factor[m].v.count; i++)
            if (letter->factor[m].v.index[i] == j) return false;
    for (size_t i = 0; i < letter->source->bias.count; i++)
        if (letter->source->bias.index[i] % d == j) return false;
    return true;
}

/* One letter on one column. After an intermediate result that the format does not hold, `status`
 * is F2L_UNKNOWN, with the reason in *err. */
typedef struct walk_machine {
    f2l_step_room *room;
    const f2l_unrounded_run *run;
    const f2l_step_place *place;
    const f2l_step_letter *letter;
    size_t d, j, factor; /* factor: F2L_NO_INDEX at gate and bias; j: F2L_NO_INDEX in a matrix A */
    mpq_srcptr fold; /* the gate by which keys in products with the state are multiplied; NULL: 1 */
    f2l_status status;
    f2l_error *err;
} walk_machine;

#define WALK_GATES
#include "models/network/schedule/walk.inc"

/* Sets the status. row, and the machine's column: F2L_NO_INDEX where they do not apply. */
static void misfit(walk_machine *w, const char *what, size_t row, const mpq_t x,
                   const f2l_format *format)
{
    char name[96];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", what);
    if (row != F2L_NO_INDEX && used < sizeof name)
        used += (size_t)snprintf(name + used, sizeof name - used, " of row %zu", row + 1);
    if (w->j != F2L_NO_INDEX && used < sizeof name)
        (void)snprintf(name + used, sizeof name - used, ", column %zu,", w->j + 1);
    w->status = f2l_unrounded_misfit(w->place, w->factor, name, x, format, w->err);
}

static inline void look_at_number(walk_machine *w, const char *what, size_t row, const mpq_t x)
{
    if (!f2l_format_holds(w->run->inner, x)) misfit(w, what, row, x, w->run->inner);
}

bool f2l_unrounded_by_column(const f2l_schedule_store *how)
{
    return !how->scale ||
           ((how->block == F2L_BLOCK_ROW || how->block == F2L_BLOCK_GROUP) && !how->second);
}

static const f2l_step_factor *factor_of(const walk_machine *w)
{
    return &w->letter->factor[w->factor];
}

/* Returns v_j; NULL: v_j is 0. */
static mpq_srcptr value_of_factor(const f2l_step_factor *factor, size_t j)
{
    for (size_t i = 0; i < factor->v.count; i++)
        if (factor->v.index[i] == j) return factor->v.value[i];
    return NULL;
}

/* Returns the place in k of key coordinate q in the order of the sum. */
static size_t key_place_of(const f2l_step_factor *factor, size_t q)
{
    return factor->order ? factor->order[q] : q;
}

WALK bool walk_goes_on(const walk_machine *w)
{
    return w->status == F2L_OK;
}

/* Returns the letter's gate; NULL: it is 1. */
static mpq_srcptr gate_of(const walk_machine *w)
{
    return mpq_cmp_ui(w->letter->source->gate, 1, 1) == 0 ? NULL : w->letter->source->gate;
}

static void apply_checked_gate(walk_machine *w, bool checked)
{
    const mpq_srcptr gate = gate_of(w);
    if (!gate) return;
    for (size_t i = 0; i < w->room->n && w->status == F2L_OK; i++) {
        mpq_mul(w->room->s[i], w->room->s[i], gate);
        if (checked) look_at_number(w, "gate times state", i, w->room->s[i]);
    }
}

static void add_checked_bias(walk_machine *w, bool checked)
{
    const f2l_qvec *b = &w->letter->source->bias;
    w->factor = F2L_NO_INDEX;
    for (size_t q = 0; q < b->count && w->status == F2L_OK; q++) {
        if (b->index[q] % w->d != w->j) continue;
        const size_t i = b->index[q] / w->d;
        mpq_add(w->room->s[i], w->room->s[i], b->value[q]);
        if (checked) look_at_number(w, "state plus bias", i, w->room->s[i]);
    }
}

WALK void walk_gate(walk_machine *w, size_t letter)
{
    (void)letter;
    apply_checked_gate(w, true);
}

WALK void walk_gate_column(walk_machine *w, size_t letter)
{
    walk_gate(w, letter);
}

WALK void walk_gate_sum(walk_machine *w, size_t letter)
{
    const mpq_srcptr gate = gate_of(w);
    (void)letter;
    if (!gate) return;
    mpq_mul(w->room->reg[0], w->room->reg[0], gate);
    look_at_number(w, "gate times key times state", F2L_NO_INDEX, w->room->reg[0]);
}

WALK void walk_fold_gate(walk_machine *w, size_t letter)
{
    w->fold = letter == F2L_NO_INDEX ? NULL : gate_of(w);
}

static void keep_stored(walk_machine *w);

/* With scales of several columns a state between factors is not looked at. */
WALK void walk_store(walk_machine *w)
{
    if (f2l_unrounded_by_column(&w->run->schedule->store))
        keep_stored(w);
    else
        w->status =
            f2l_unrounded_stop(w->place, "several columns share a scale between factors", w->err);
}

/* Looks at the state after an update where it is made again from a ring. */
static void look_at_ring(walk_machine *w, size_t row)
{
    if (w->status == F2L_OK && w->run->ring && !f2l_unrounded_in_ring(w->room->s[row]))
        misfit(w, "the new state in a ring", row, w->room->s[row], w->run->ring);
}

WALK void walk_bias(walk_machine *w, size_t letter)
{
    (void)letter;
    add_checked_bias(w, true);
}

WALK walk_range walk_factors(const walk_machine *w, size_t letter)
{
    (void)letter;
    return (walk_range){0, w->letter->factors};
}

WALK walk_range walk_columns(const walk_machine *w)
{
    return (walk_range){w->j, w->j + 1};
}

WALK bool walk_column(walk_machine *w, size_t factor, size_t column)
{
    (void)column;
    w->factor = factor;
    return true;
}

WALK walk_range walk_keys(const walk_machine *w, size_t factor)
{
    return (walk_range){0, w->letter->factor[factor].k.count};
}

WALK unsigned walk_sums(const walk_machine *w, size_t q)
{
    return factor_of(w)->sums[q];
}

/* Looks at an operand of a product with the key. */
static void look_operand(walk_machine *w, bool narrow, const char *what, size_t row, const mpq_t x)
{
    const f2l_format *format = w->run->operands;
    if (narrow && !f2l_format_holds(format, x)) misfit(w, what, row, x, format);
}

/* Sets out = k_q S_q, with the gate where it is folded into the key. */
static void product_in_sum(walk_machine *w, bool narrow, mpq_t out, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    const size_t at = key_place_of(f, q), i = f->k.index[at];
    look_operand(w, narrow, "the state as an operand", i, w->room->s[i]);
    if (w->status != F2L_OK) return;
    mpq_set(w->room->r, f->k.value[at]);
    if (w->fold) {
        mpq_mul(w->room->r, w->room->r, w->fold);
        look_at_number(w, "gate times key", i, w->room->r);
    }
    mpq_mul(out, w->room->r, w->room->s[i]);
}

WALK void walk_product(walk_machine *w, bool narrow, size_t to, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    product_in_sum(w, narrow, w->room->reg[to], q);
    if (w->status == F2L_OK)
        look_at_number(w, "the product of key and state", f->k.index[key_place_of(f, q)],
                       w->room->reg[to]);
}

WALK void walk_add_product(walk_machine *w, bool narrow, size_t to, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    product_in_sum(w, narrow, w->room->t, q);
    if (w->status != F2L_OK) return;
    mpq_add(w->room->reg[to], w->room->reg[to], w->room->t);
    look_at_number(w, "the sum of key times state up to that", f->k.index[key_place_of(f, q)],
                   w->room->reg[to]);
}

WALK void walk_add(walk_machine *w, size_t to, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    mpq_add(w->room->reg[to], w->room->reg[to], w->room->reg[to + 1]);
    if (w->run->schedule->order.sum == F2L_SUM_HALVES)
        look_at_number(w, "a sum by halves of key times state", F2L_NO_INDEX, w->room->reg[to]);
    else
        look_at_number(w, "the sum of key times state up to that", f->k.index[key_place_of(f, q)],
                       w->room->reg[to]);
}

WALK void walk_subtract_value(walk_machine *w, size_t factor)
{
    const mpq_srcptr v = value_of_factor(&w->letter->factor[factor], w->j);
    if (v == NULL) return;
    mpq_sub(w->room->reg[0], w->room->reg[0], v);
    look_at_number(w, "key times state less the value", F2L_NO_INDEX, w->room->reg[0]);
}

WALK void walk_scale(walk_machine *w, bool narrow, size_t factor)
{
    const mpq_ptr r = w->room->reg[0];
    mpq_mul(r, r, w->letter->factor[factor].beta);
    look_at_number(w, "beta times that difference", F2L_NO_INDEX, r);
    if (w->status == F2L_OK)
        look_operand(w, narrow, "beta times that difference, as an operand", F2L_NO_INDEX, r);
    if (w->status == F2L_OK && w->run->ring && !f2l_format_holds(w->run->ring, r))
        misfit(w, "beta times that difference, in the ring,", F2L_NO_INDEX, r, w->run->ring);
}

WALK void walk_subtract_product(walk_machine *w, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    const size_t at = key_place_of(f, q), i = f->k.index[at];
    mpq_mul(w->room->t, f->k.value[at], w->room->reg[0]);
    mpq_sub(w->room->s[i], w->room->s[i], w->room->t);
    look_at_number(w, "the new state", i, w->room->s[i]);
    look_at_ring(w, i);
}

WALK void walk_product_back(walk_machine *w, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    const size_t at = key_place_of(f, q);
    mpq_mul(w->room->reg[1], f->k.value[at], w->room->reg[0]);
    look_at_number(w, "the product of key and difference", f->k.index[at], w->room->reg[1]);
}

WALK void walk_subtract(walk_machine *w, size_t q)
{
    const f2l_step_factor *f = factor_of(w);
    const size_t i = f->k.index[key_place_of(f, q)];
    mpq_sub(w->room->s[i], w->room->s[i], w->room->reg[1]);
    look_at_number(w, "the new state", i, w->room->s[i]);
    look_at_ring(w, i);
}

/* --- cast --- */

/* Applies factors of `cast`, within which nothing is rounded. */
static void apply_cast_factor(f2l_step_room *room, const f2l_step_factor *factor, size_t j)
{
    const mpq_srcptr v = value_of_factor(factor, j);
    mpq_set_ui(room->r, 0, 1);
    for (size_t q = 0; q < factor->k.count; q++) {
        mpq_mul(room->t, factor->k.value[q], room->s[factor->k.index[q]]);
        mpq_add(room->r, room->r, room->t);
    }
    if (v != NULL) mpq_sub(room->r, room->r, v);
    if (mpq_sgn(room->r) == 0) return;
    mpq_mul(room->r, room->r, factor->beta);
    for (size_t q = 0; q < factor->k.count; q++) {
        mpq_mul(room->t, factor->k.value[q], room->r);
        mpq_sub(room->s[factor->k.index[q]], room->s[factor->k.index[q]], room->t);
    }
}

/* Looks at the state after the letter. */
static void look_at_state(walk_machine *w, const char *what)
{
    w->factor = F2L_NO_INDEX;
    for (size_t q = 0; q < w->letter->touched && w->status == F2L_OK; q++) {
        const size_t i = w->letter->row[q];
        if (!f2l_format_holds(w->run->kept, w->room->s[i]))
            misfit(w, what, i, w->room->s[i], w->run->kept);
    }
}

/* Looks at the column as it is stored. */
static void look_at_stored(walk_machine *w)
{
    const size_t n = w->room->n;
    double *numbers = w->room->numbers;
    for (size_t i = 0; i < n; i++) numbers[i] = mpq_get_d(w->room->s[i]);
    if (f2l_store_keeps(&w->run->store, numbers, numbers + n, n, 1)) return;
    size_t i = 0;
    while (i + 1 < n && numbers[i] == numbers[n + i]) i++;
    misfit(w, "the new state, stored,", i, w->room->s[i], &w->run->store.format);
}

/* Looks at what storing and reading make of the column (U4a), which numbers of `kept` tell only in
 * plain schedules. A head that shares a scale is looked at where its codes are. */
static void keep_stored(walk_machine *w)
{
    const f2l_schedule *schedule = w->run->schedule;
    const f2l_schedule_store *how = &schedule->store;
    for (size_t i = 0; i < w->room->n && w->status == F2L_OK; i++)
        if ((schedule->read_unstored || schedule->output) &&
            !f2l_format_holds(&w->run->output, w->room->s[i]))
            misfit(w, "the new state, read,", i, w->room->s[i], &w->run->output);
    if (w->status == F2L_OK && f2l_unrounded_by_column(how)) look_at_stored(w);
}

static void step_exactly(walk_machine *w, const char *what)
{
    apply_checked_gate(w, false);
    for (size_t m = 0; m < w->letter->factors; m++)
        apply_cast_factor(w->room, &w->letter->factor[m], w->j);
    add_checked_bias(w, false);
    look_at_state(w, what);
}

f2l_status f2l_step_column(f2l_step_room *room, const f2l_steps *steps, size_t letter, size_t j,
                           const f2l_unrounded_run *run, const f2l_step_place *place,
                           f2l_error *err)
{
    walk_machine w = {.room = room,
                      .run = run,
                      .place = place,
                      .letter = &steps->letter[letter],
                      .d = steps->d,
                      .j = j,
                      .factor = F2L_NO_INDEX,
                      .err = err};
    if (run->schedule->exact_matrices) {
        step_exactly(&w, "the new state");
        return w.status;
    }
    walk_letter(run->schedule->order, run->operands != NULL, &w, letter);
    if (w.status == F2L_OK) look_at_state(&w, "the new state");
    if (w.status == F2L_OK && !run->plain) keep_stored(&w);
    return w.status;
}

/* Computes column i of A; the letter's writes are left out. */
static f2l_status matrix_column(walk_machine *w, size_t i)
{
    static const f2l_qvec zero = {0};
    f2l_step_room_load(w->room, &zero);
    mpq_set_ui(w->room->s[i], 1, 1);
    apply_checked_gate(w, false);
    for (size_t m = 0; m < w->letter->factors; m++)
        apply_cast_factor(w->room, &w->letter->factor[m], w->j);
    look_at_state(w, "an entry of A");
    return w->status;
}

f2l_status f2l_step_matrices(f2l_step_room *room, const f2l_steps *steps,
                             const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err)
{
    static const f2l_qvec zero = {0};
    f2l_status status = F2L_OK;
    for (size_t a = 0; a < steps->letters && status == F2L_OK; a++) {
        const f2l_step_letter *letter = &steps->letter[a];
        const uint64_t columns = letter->touched + steps->d;
        status = f2l_task_spend(run->task, "matrices", 40 * (1 + letter->factors) * columns, err);
        if (status != F2L_OK) break;
        place->letter = a;
        walk_machine w = {.room = room,
                          .run = run,
                          .place = place,
                          .letter = letter,
                          .d = steps->d,
                          .j = F2L_NO_INDEX,
                          .factor = F2L_NO_INDEX,
                          .err = err};
        mpq_set_ui(room->t, 1, 1);
        if (letter->touched < steps->n && !f2l_format_holds(run->kept, room->t))
            status =
                f2l_unrounded_misfit(place, F2L_NO_INDEX, "an entry of A", room->t, run->kept, err);
        for (size_t q = 0; q < letter->touched && status == F2L_OK; q++)
            status = matrix_column(&w, letter->row[q]);
        for (size_t j = 0; j < steps->d && status == F2L_OK; j++) {
            if (f2l_step_keeps_zero(letter, steps->d, j)) continue;
            w.j = j;
            f2l_step_room_load(room, &zero);
            step_exactly(&w, "the entry of B");
            status = w.status;
        }
        if (status == F2L_OK)
            status = f2l_task_poll(run->task, "matrices", (double)a, (double)steps->letters, err);
    }
    place->letter = F2L_NO_INDEX;
    return status;
}
