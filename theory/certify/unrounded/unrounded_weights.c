/* Weights (theory/pages/unrounded.md, U3) and the texts for numbers that do not fit. */
#include "models/network/schedule/key_norm.h"
#include "models/network/schedule/sum_plan.h"
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 48 /* characters of a number, and of a name, in a reason */

static void name_place(f2l_buf *text, const f2l_step_place *place)
{
    f2l_buf_printf(text, "%s %zu, head %zu", place->part, place->index + 1, place->head + 1);
    if (place->letter == F2L_NO_INDEX) return;
    const size_t letter = place->of != NULL ? place->of[place->letter] : place->letter;
    if (place->wired != NULL) {
        size_t slot = 0;
        while (place->wired->slot_at[slot + 1] <= letter) slot++;
        f2l_buf_printf(text, ", slot %zu, value %zu", slot + 1,
                       letter - place->wired->slot_at[slot] + 1);
    } else if (place->letters != NULL) {
        f2l_buf_printf(text, ", letter %.*s", SHOWN, f2l_names_get(place->letters, letter));
    } else {
        f2l_buf_printf(text, ", letter %zu", letter + 1);
    }
}

static const char *format_name(const f2l_format *format)
{
    return format->name != NULL ? format->name : "the format";
}

static f2l_status finish_reason(f2l_buf *text, f2l_error *err)
{
    f2l_status status = f2l_buf_status(text, err);
    if (status == F2L_OK) status = f2l_fail(err, F2L_UNKNOWN, "%s", text->data);
    f2l_buf_clear(text);
    return status;
}

static void show_number(f2l_buf *text, const mpq_t x)
{
    f2l_buf number;
    f2l_buf_init(&number);
    f2l_buf_rational(&number, x);
    if (number.failed) text->failed = true;
    if (number.size > SHOWN)
        f2l_buf_printf(text, "%.*s..", SHOWN, number.data);
    else if (number.size > 0)
        f2l_buf_text(text, number.data);
    f2l_buf_clear(&number);
}

f2l_status f2l_unrounded_misfit(const f2l_step_place *place, size_t factor, const char *what,
                                const mpq_t x, const f2l_format *format, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    name_place(&text, place);
    if (factor != F2L_NO_INDEX) f2l_buf_printf(&text, ", factor %zu", factor + 1);
    f2l_buf_printf(&text, ": %s is ", what);
    show_number(&text, x);
    f2l_buf_printf(&text, ", no value of %s", format_name(format));
    return finish_reason(&text, err);
}

f2l_status f2l_unrounded_stop(const f2l_step_place *place, const char *why, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    name_place(&text, place);
    f2l_buf_printf(&text, ": %s", why);
    return finish_reason(&text, err);
}

f2l_status f2l_unrounded_state(const f2l_step_place *place, const char *what, const f2l_qvec *state,
                               size_t d, const f2l_format *format, f2l_error *err)
{
    for (size_t i = 0; i < state->count; i++) {
        if (f2l_format_holds(format, state->value[i])) continue;
        char name[96];
        (void)snprintf(name, sizeof name, "row %zu, column %zu of %s", state->index[i] / d + 1,
                       state->index[i] % d + 1, what);
        return f2l_unrounded_misfit(place, F2L_NO_INDEX, name, state->value[i], format, err);
    }
    return F2L_OK;
}

static f2l_status no_square(const f2l_step_place *place, size_t factor, const f2l_factor *from,
                            const mpq_t n2, const f2l_format *format, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    name_place(&text, place);
    f2l_buf_printf(&text, ", factor %zu: coordinate %lu of the key is ", factor + 1,
                   (unsigned long)from->u.index[0] + 1);
    show_number(&text, from->u.value[0]);
    f2l_buf_text(&text, "/sqrt(");
    show_number(&text, n2);
    f2l_buf_printf(&text, "), no value of %s", format_name(format));
    return finish_reason(&text, err);
}

/* Sets out = v / sqrt(n2); n2 is a square. */
static f2l_status over_root(f2l_qvec *out, const f2l_qvec *v, const mpq_t n2, f2l_error *err)
{
    mpq_t root, x;
    if (mpq_cmp_ui(n2, 1, 1) == 0) return f2l_qvec_copy(out, v, err);
    mpq_inits(root, x, NULL);
    mpz_sqrt(mpq_numref(root), mpq_numref(n2));
    mpz_sqrt(mpq_denref(root), mpq_denref(n2));
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < v->count && status == F2L_OK; i++) {
        mpq_div(x, v->value[i], root);
        status = f2l_qvec_push(out, v->index[i], x, err);
    }
    mpq_clears(root, x, NULL);
    return status;
}

/* Sets *same to whether the keys that the normalisation computes from x[] are `key` (U3.1). */
static f2l_status key_normalises(bool *same, const f2l_unrounded_run *run, const double *x,
                                 const f2l_qvec *key, size_t n, double eps, f2l_error *err)
{
    *same = false;
    double *const k = f2l_calloc(key->count, sizeof *k);
    if (k == NULL) return f2l_fail_memory(err);
    memcpy(k, x, key->count * sizeof *k);
    f2l_status status =
        f2l_normalise_key(k, key->index, key->count, n, run->schedule, &run->nearest, eps, err);
    mpq_t value;
    mpq_init(value);
    *same = status == F2L_OK;
    for (size_t i = 0; i < key->count && *same; i++) {
        if (!run->schedule->wide_keys) k[i] = f2l_format_round(&run->nearest, k[i]);
        if (isfinite(k[i])) mpq_set_d(value, k[i]);
        *same = isfinite(k[i]) && mpq_equal(value, key->value[i]) != 0;
    }
    mpq_clear(value);
    f2l_free(k);
    return status == F2L_EDOMAIN ? F2L_OK : status;
}

/* Sets x[i] of U3.1. */
static void raw_key(double *x, const f2l_unrounded_run *run, const f2l_qvec *u)
{
    mpq_t scale, most, y;
    mpq_inits(scale, most, y, NULL);
    for (size_t i = 0; i < u->count; i++) {
        mpq_abs(y, u->value[i]);
        if (mpq_cmp(y, most) > 0) mpq_set(most, y);
    }
    mpq_set_d(scale, run->schedule->raw);
    mpq_div(scale, scale, most);
    for (size_t i = 0; i < u->count; i++) {
        mpq_mul(y, u->value[i], scale);
        x[i] = f2l_format_round_q(&run->nearest, y);
    }
    mpq_clears(scale, most, y, NULL);
}

static f2l_status check_normalisation(const f2l_unrounded_run *run, const f2l_step_place *place,
                                      size_t factor, const f2l_factor *from, const f2l_qvec *key,
                                      size_t n, f2l_error *err)
{
    double *x = f2l_calloc(key->count, sizeof *x);
    if (x == NULL) return f2l_fail_memory(err);
    raw_key(x, run, &from->u);
    const double eps = run->schedule->eps;
    bool same = false;
    f2l_status status = key_normalises(&same, run, x, key, n, eps, err);
    if (status == F2L_OK && same)
        status = key_normalises(&same, run, x, key, n, f2l_format_round(run->fp32, eps), err);
    f2l_free(x);
    if (status != F2L_OK || same) return status;
    char why[160];
    (void)snprintf(why, sizeof why,
                   "the key of factor %zu, normalised with eps %g from raw keys of size %g, is "
                   "rounded",
                   factor + 1, eps, run->schedule->raw);
    return f2l_unrounded_stop(place, why, err);
}

static f2l_status check_entries(const f2l_step_place *place, size_t factor, const char *what,
                                const f2l_qvec *v, const f2l_format *format, f2l_error *err)
{
    for (size_t i = 0; i < v->count; i++) {
        if (f2l_format_holds(format, v->value[i])) continue;
        char name[64];
        (void)snprintf(name, sizeof name, "coordinate %lu of the %s",
                       (unsigned long)v->index[i] + 1, what);
        return f2l_unrounded_misfit(place, factor, name, v->value[i], format, err);
    }
    return F2L_OK;
}

/* Checks that beta is the number that the schedule makes of it. */
static f2l_status check_beta(const f2l_step_factor *factor, size_t m, const f2l_unrounded_run *run,
                             const f2l_step_place *place, f2l_error *err)
{
    const bool wide = run->schedule->beta == F2L_BETA_FP32 || run->schedule->beta == F2L_BETA_LOGIT;
    const f2l_format *const of = wide ? run->fp32 : run->format;
    double number;
    mpq_t made;
    if (!f2l_format_holds(of, factor->beta))
        return f2l_unrounded_misfit(place, m, "beta", factor->beta, of, err);
    f2l_status status = f2l_schedule_beta(&number, run->schedule, run->format, factor->beta, err);
    if (status != F2L_OK) return status == F2L_EDOMAIN ? F2L_UNKNOWN : status;
    mpq_init(made);
    if (isfinite(number)) mpq_set_d(made, number);
    const bool same = isfinite(number) && mpq_equal(made, factor->beta) != 0;
    mpq_clear(made);
    return same ? F2L_OK : f2l_unrounded_stop(place, "beta is changed by its logit", err);
}

/* Returns whether two keys are normalised to the same numbers: sums of squares have an order that
 * depends on the coordinates, unless there is one. */
static bool same_keys(const f2l_qvec *x, const f2l_qvec *y)
{
    bool same = x->count == y->count;
    for (size_t i = 0; i < x->count && same; i++)
        same = (x->count == 1 || x->index[i] == y->index[i]) &&
               mpq_equal(x->value[i], y->value[i]) != 0;
    return same;
}

static f2l_status check_factor(const f2l_step_factor *factor, size_t m, const f2l_factor *from,
                               f2l_steps *steps, const f2l_unrounded_run *run,
                               const f2l_step_place *place, f2l_error *err)
{
    const bool computed = run->schedule->eps >= 0;
    const f2l_factor *beta = steps->beta_passed, *key = steps->key_passed;
    f2l_status status = beta && mpq_equal(beta->beta, from->beta) != 0
                            ? F2L_OK
                            : check_beta(factor, m, run, place, err);
    if (status == F2L_OK) steps->beta_passed = from;
    if (status == F2L_OK && run->ring)
        status = check_entries(place, m, "key in the ring", &factor->k, run->ring, err);
    if (status != F2L_OK) return status;
    if (!computed || !run->schedule->wide_keys)
        status = check_entries(place, m, "key", &factor->k, run->format, err);
    if (status == F2L_OK && run->operands)
        status = check_entries(place, m, "key", &factor->k, run->operands, err);
    if (status == F2L_OK) status = check_entries(place, m, "value", &factor->v, run->format, err);
    if (status != F2L_OK || !computed || (key && same_keys(&key->u, &from->u))) return status;
    status = check_normalisation(run, place, m, from, &factor->k, steps->n, err);
    if (status == F2L_OK) steps->key_passed = from;
    return status;
}

static bool is_square(const mpq_t x)
{
    return mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x));
}

/* raw: the head's keys are not normalised. */
static f2l_status init_factor(f2l_step_factor *out, size_t m, const f2l_factor *from, bool raw,
                              f2l_steps *steps, const f2l_unrounded_run *run,
                              const f2l_step_place *place, f2l_error *err)
{
    const bool cast = run->schedule->exact_matrices;
    mpq_t n2;
    mpq_init(n2);
    if (raw)
        mpq_set_ui(n2, 1, 1);
    else
        f2l_qvec_norm2(n2, &from->u);
    mpq_set(out->beta, from->beta);
    f2l_status status;
    if (cast) {
        mpq_div(out->beta, from->beta, n2);
        status = f2l_qvec_copy(&out->k, &from->u, err);
        if (status == F2L_OK) status = f2l_qvec_copy(&out->v, &from->c, err);
    } else if (!is_square(n2)) {
        status = no_square(place, m, from, n2, run->format, err);
    } else {
        status = over_root(&out->k, &from->u, n2, err);
        if (status == F2L_OK) status = over_root(&out->v, &from->c, n2, err);
        if (status == F2L_OK) status = check_factor(out, m, from, steps, run, place, err);
    }
    mpq_clear(n2);
    return status;
}

/* Puts the keys into the order of the sum. */
static f2l_status order_factor(f2l_step_factor *f, size_t n, const f2l_schedule_order *how,
                               f2l_error *err)
{
    uint64_t *scratch = f2l_calloc(f->k.count, sizeof *scratch);
    f->order = f2l_calloc(f->k.count, sizeof *f->order);
    f->sums = f2l_calloc(f->k.count, sizeof *f->sums);
    const bool made = scratch && f->order && f->sums;
    if (made) f2l_sum_plan(f->order, f->sums, f->k.index, f->k.count, n, how, scratch);
    f2l_free(scratch);
    return made ? F2L_OK : f2l_fail_memory(err);
}

static int by_row(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Lists the rows that factors and bias of the letter name, increasing. */
static void list_touched(f2l_step_letter *out, size_t d)
{
    size_t count = 0;
    for (size_t m = 0; m < out->factors; m++)
        for (size_t i = 0; i < out->factor[m].k.count; i++)
            out->row[count++] = out->factor[m].k.index[i];
    for (size_t i = 0; i < out->source->bias.count; i++)
        out->row[count++] = (uint32_t)(out->source->bias.index[i] / d);
    if (count > 1) qsort(out->row, count, sizeof *out->row, by_row);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || out->row[i] != out->row[i - 1]) out->row[out->touched++] = out->row[i];
}

/* Finds the rows that the letter may change (U5). */
static f2l_status init_touched(f2l_step_letter *out, size_t n, size_t d, f2l_error *err)
{
    const bool all = mpq_cmp_ui(out->source->gate, 1, 1) != 0;
    size_t room = all ? n : out->source->bias.count;
    for (size_t m = 0; !all && m < out->factors; m++) room += out->factor[m].k.count;
    out->row = f2l_calloc(room, sizeof *out->row);
    if (out->row == NULL) return f2l_fail_memory(err);
    if (!all) list_touched(out, d);
    for (size_t i = 0; all && i < n; i++) out->row[out->touched++] = (uint32_t)i;
    return F2L_OK;
}

static f2l_status check_letter_gate(const f2l_transition *source, size_t d,
                                    const f2l_unrounded_run *run, const f2l_step_place *place,
                                    f2l_error *err)
{
    if (run->schedule->exact_matrices) return F2L_OK;
    const f2l_format *of_gate = f2l_schedule_gate_format(run->schedule, run->format);
    if (!f2l_format_holds(of_gate, source->gate))
        return f2l_unrounded_misfit(place, F2L_NO_INDEX, "the gate", source->gate, of_gate, err);
    return f2l_unrounded_state(place, "the bias", &source->bias, d, run->format, err);
}

/* Sets the letter `steps->letters`. */
static f2l_status init_letter(f2l_steps *steps, const f2l_head *head, const f2l_unrounded_run *run,
                              const f2l_step_place *place, f2l_error *err)
{
    f2l_step_letter *out = &steps->letter[steps->letters];
    const f2l_transition *source = &head->letter[steps->letters];
    out->source = source;
    f2l_status status = check_letter_gate(source, head->d, run, place, err);
    if (status != F2L_OK) return status;
    out->factor = f2l_calloc(source->factors, sizeof *out->factor);
    if (out->factor == NULL) return f2l_fail_memory(err);
    for (; out->factors < source->factors && status == F2L_OK; out->factors++) {
        f2l_step_factor *factor = &out->factor[out->factors];
        mpq_init(factor->beta);
        status = init_factor(factor, out->factors, &source->factor[out->factors], head->raw, steps,
                             run, place, err);
        if (status == F2L_OK && run->schedule->order.sum != F2L_SUM_LEFT)
            status = order_factor(factor, head->n, &run->schedule->order, err);
    }
    return status == F2L_OK ? init_touched(out, head->n, head->d, err) : status;
}

f2l_status f2l_steps_init(f2l_steps *out, const f2l_head *head, size_t letters,
                          const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err)
{
    place->letter = F2L_NO_INDEX;
    if (head->field != NULL || head->form.count > 0)
        return f2l_unrounded_stop(
            place, "it has a field or a form, which this analysis does not treat", err);
    if (head->raw && run->schedule->eps >= 0)
        return f2l_unrounded_stop(place, "raw keys are not normalised", err);
    out->n = head->n;
    out->d = head->d;
    out->letter = f2l_calloc(letters, sizeof *out->letter);
    if (out->letter == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (; out->letters < letters && status == F2L_OK; out->letters++) {
        place->letter = out->letters;
        status = init_letter(out, head, run, place, err);
    }
    place->letter = F2L_NO_INDEX;
    return status;
}

void f2l_steps_clear(f2l_steps *steps)
{
    for (size_t a = 0; a < steps->letters; a++) {
        f2l_step_letter *letter = &steps->letter[a];
        for (size_t m = 0; m < letter->factors; m++) {
            mpq_clear(letter->factor[m].beta);
            f2l_qvec_clear(&letter->factor[m].k);
            f2l_qvec_clear(&letter->factor[m].v);
            f2l_free(letter->factor[m].order);
            f2l_free(letter->factor[m].sums);
        }
        f2l_free(letter->factor);
        f2l_free(letter->row);
    }
    f2l_free(steps->letter);
    *steps = (f2l_steps){0};
}
