/* The intermediate results of a step (theory/pages/unrounded.md, U4), in exact arithmetic. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <stdio.h>

f2l_status f2l_step_room_init(f2l_step_room *room, size_t n, f2l_error *err)
{
    *room = (f2l_step_room){.n = n, .tree = 1};
    mpq_inits(room->r, room->t, NULL);
    while (room->tree < n) room->tree *= 2;
    room->s = f2l_calloc(n, sizeof *room->s);
    room->p = f2l_calloc(room->tree, sizeof *room->p);
    if (room->s == NULL || room->p == NULL) {
        f2l_free(room->s);
        f2l_free(room->p);
        mpq_clears(room->r, room->t, NULL);
        *room = (f2l_step_room){0};
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) mpq_init(room->s[i]);
    for (size_t i = 0; i < room->tree; i++) mpq_init(room->p[i]);
    return F2L_OK;
}

void f2l_step_room_clear(f2l_step_room *room)
{
    if (room->s == NULL) return;
    for (size_t i = 0; i < room->n; i++) mpq_clear(room->s[i]);
    for (size_t i = 0; i < room->tree; i++) mpq_clear(room->p[i]);
    f2l_free(room->s);
    f2l_free(room->p);
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

/* One letter on one column. */
typedef struct walk {
    f2l_step_room *room;
    const f2l_unrounded_run *run;
    const f2l_step_place *place;
    size_t j, factor; /* factor: F2L_NO_INDEX at gate and bias */
    f2l_error *err;
} walk;

/* Returns F2L_UNKNOWN. row, and the walk's column: F2L_NO_INDEX where they do not apply. */
static f2l_status misfit(const walk *w, const char *what, size_t row, const mpq_t x,
                         const f2l_format *format)
{
    char name[96];
    size_t used = (size_t)snprintf(name, sizeof name, "%s", what);
    if (row != F2L_NO_INDEX && used < sizeof name)
        used += (size_t)snprintf(name + used, sizeof name - used, " of row %zu", row + 1);
    if (w->j != F2L_NO_INDEX && used < sizeof name)
        (void)snprintf(name + used, sizeof name - used, ", column %zu,", w->j + 1);
    return f2l_unrounded_misfit(w->place, w->factor, name, x, format, w->err);
}

static inline f2l_status look(const walk *w, const char *what, size_t row, const mpq_t x)
{
    return f2l_format_holds(w->run->inner, x) ? F2L_OK : misfit(w, what, row, x, w->run->inner);
}

/* Returns v_j; NULL: v_j is 0. */
static mpq_srcptr value_of(const f2l_step_factor *factor, size_t j)
{
    for (size_t i = 0; i < factor->v.count; i++)
        if (factor->v.index[i] == j) return factor->v.value[i];
    return NULL;
}

/* Computes r = k^T S from left to right; `fused`: only the first product is a separate number. */
static f2l_status sum_left(const walk *w, const f2l_step_factor *factor, bool fused)
{
    f2l_step_room *room = w->room;
    f2l_status status = F2L_OK;
    mpq_set_ui(room->r, 0, 1);
    for (size_t q = 0; q < factor->k.count && status == F2L_OK; q++) {
        const size_t i = factor->k.index[q];
        mpq_mul(room->t, factor->k.value[q], room->s[i]);
        if (q == 0 || !fused) status = look(w, "the product of key and state", i, room->t);
        mpq_add(room->r, room->r, room->t);
        if (q > 0 && status == F2L_OK)
            status = look(w, "the sum of key times state up to that", i, room->r);
    }
    return status;
}

/* Computes r = k^T S by halves. */
static f2l_status sum_tree(const walk *w, const f2l_step_factor *factor)
{
    f2l_step_room *room = w->room;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < room->tree; i++) mpq_set_ui(room->p[i], 0, 1);
    for (size_t q = 0; q < factor->k.count && status == F2L_OK; q++) {
        const size_t i = factor->k.index[q];
        mpq_mul(room->p[i], factor->k.value[q], room->s[i]);
        status = look(w, "the product of key and state", i, room->p[i]);
    }
    for (size_t h = room->tree / 2; h > 0 && status == F2L_OK; h /= 2)
        for (size_t i = 0; i < h && status == F2L_OK; i++) {
            if (mpq_sgn(room->p[i + h]) == 0) continue;
            mpq_add(room->p[i], room->p[i], room->p[i + h]);
            status = look(w, "a sum by halves of key times state", F2L_NO_INDEX, room->p[i]);
        }
    mpq_set(room->r, room->p[0]);
    return status;
}

/* Computes r = beta (r - v_j), and its parts. */
static f2l_status difference(const walk *w, const f2l_step_factor *factor)
{
    f2l_step_room *room = w->room;
    const mpq_srcptr v = value_of(factor, w->j);
    f2l_status status = F2L_OK;
    if (v != NULL) {
        mpq_sub(room->r, room->r, v);
        status = look(w, "key times state less the value", F2L_NO_INDEX, room->r);
    }
    if (status != F2L_OK) return status;
    mpq_mul(room->r, room->r, factor->beta);
    return look(w, "beta times that difference", F2L_NO_INDEX, room->r);
}

/* Computes S <- S - k r. */
static f2l_status update(const walk *w, const f2l_step_factor *factor, bool fused)
{
    f2l_step_room *room = w->room;
    f2l_status status = F2L_OK;
    for (size_t q = 0; q < factor->k.count && status == F2L_OK; q++) {
        const size_t i = factor->k.index[q];
        mpq_mul(room->t, factor->k.value[q], room->r);
        if (!fused) status = look(w, "the product of key and difference", i, room->t);
        mpq_sub(room->s[i], room->s[i], room->t);
        if (status == F2L_OK) status = look(w, "the new state", i, room->s[i]);
    }
    return status;
}

static f2l_status step_factor(const walk *w, const f2l_step_factor *factor)
{
    const f2l_schedule_kind kind = w->run->schedule->kind;
    const bool tree = kind == F2L_SCHEDULE_RECURRENT, fused = kind == F2L_SCHEDULE_FMA;
    f2l_status status = tree ? sum_tree(w, factor) : sum_left(w, factor, fused);
    if (status == F2L_OK) status = difference(w, factor);
    if (status == F2L_OK) status = update(w, factor, tree || fused);
    return status;
}

/* Applies factors of `cast`, within which nothing is rounded. */
static void apply(f2l_step_room *room, const f2l_step_factor *factor, size_t j)
{
    const mpq_srcptr v = value_of(factor, j);
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

static f2l_status gate(const walk *w, const f2l_step_letter *letter, bool checked)
{
    f2l_status status = F2L_OK;
    if (mpq_cmp_ui(letter->source->gate, 1, 1) == 0) return F2L_OK;
    for (size_t i = 0; i < w->room->n && status == F2L_OK; i++) {
        mpq_mul(w->room->s[i], w->room->s[i], letter->source->gate);
        if (checked) status = look(w, "gate times state", i, w->room->s[i]);
    }
    return status;
}

static f2l_status bias(const walk *w, const f2l_step_letter *letter, size_t d, bool checked)
{
    const f2l_qvec *b = &letter->source->bias;
    f2l_status status = F2L_OK;
    for (size_t q = 0; q < b->count && status == F2L_OK; q++) {
        if (b->index[q] % d != w->j) continue;
        const size_t i = b->index[q] / d;
        mpq_add(w->room->s[i], w->room->s[i], b->value[q]);
        if (checked) status = look(w, "state plus bias", i, w->room->s[i]);
    }
    return status;
}

/* Stores the state after the letter. */
static f2l_status keep(const walk *w, const f2l_step_letter *letter, const char *what)
{
    for (size_t q = 0; q < letter->touched; q++) {
        const size_t i = letter->row[q];
        if (!f2l_format_holds(w->run->state, w->room->s[i]))
            return misfit(w, what, i, w->room->s[i], w->run->state);
    }
    return F2L_OK;
}

static f2l_status step_exactly(const walk *w, const f2l_step_letter *letter, size_t d,
                               const char *what)
{
    (void)gate(w, letter, false);
    for (size_t m = 0; m < letter->factors; m++) apply(w->room, &letter->factor[m], w->j);
    (void)bias(w, letter, d, false);
    return keep(w, letter, what);
}

f2l_status f2l_step_column(f2l_step_room *room, const f2l_steps *steps, size_t letter, size_t j,
                           const f2l_unrounded_run *run, const f2l_step_place *place,
                           f2l_error *err)
{
    const f2l_step_letter *of = &steps->letter[letter];
    walk w = {room, run, place, j, F2L_NO_INDEX, err};
    if (run->schedule->kind == F2L_SCHEDULE_CAST)
        return step_exactly(&w, of, steps->d, "the new state");
    f2l_status status = gate(&w, of, true);
    for (size_t m = 0; m < of->factors && status == F2L_OK; m++) {
        w.factor = m;
        status = step_factor(&w, &of->factor[m]);
    }
    w.factor = F2L_NO_INDEX;
    if (status == F2L_OK) status = bias(&w, of, steps->d, true);
    return status == F2L_OK ? keep(&w, of, "the new state") : status;
}

/* Computes column i of A; d = 0 leaves the letter's writes out. */
static f2l_status matrix_column(const walk *w, const f2l_step_letter *letter, size_t i)
{
    static const f2l_qvec zero = {0};
    f2l_step_room_load(w->room, &zero);
    mpq_set_ui(w->room->s[i], 1, 1);
    (void)gate(w, letter, false);
    for (size_t m = 0; m < letter->factors; m++) apply(w->room, &letter->factor[m], w->j);
    return keep(w, letter, "an entry of A");
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
        walk w = {room, run, place, F2L_NO_INDEX, F2L_NO_INDEX, err};
        mpq_set_ui(room->t, 1, 1);
        if (letter->touched < steps->n && !f2l_format_holds(run->state, room->t))
            status = f2l_unrounded_misfit(place, F2L_NO_INDEX, "an entry of A", room->t, run->state,
                                          err);
        for (size_t q = 0; q < letter->touched && status == F2L_OK; q++)
            status = matrix_column(&w, letter, letter->row[q]);
        for (size_t j = 0; j < steps->d && status == F2L_OK; j++) {
            if (f2l_step_keeps_zero(letter, steps->d, j)) continue;
            w.j = j;
            f2l_step_room_load(room, &zero);
            status = step_exactly(&w, letter, steps->d, "the entry of B");
        }
        if (status == F2L_OK)
            status = f2l_task_poll(run->task, "matrices", (double)a, (double)steps->letters, err);
    }
    place->letter = F2L_NO_INDEX;
    return status;
}
