/* U4 for all schedules at once (U4b): the largest numbers that steps of a head can have in any
 * order of their operations, in integers, and the columns that come of them. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <math.h>
#include <string.h>

#define MOST_NUMBERS ((size_t)1 << 22) /* of all columns that are kept */

void f2l_unrounded_scan_clear(f2l_unrounded_scan *scan)
{
    f2l_free(scan->number);
    f2l_index_clear(&scan->index);
    *scan = (f2l_unrounded_scan){0};
}

/* --- the columns --- */

static uint64_t hash_of_numbers(const int64_t *number, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++) hash = f2l_hash(hash, (uint64_t)number[i]);
    return hash;
}

static uint64_t hash_of_column(const void *scan, size_t i)
{
    const f2l_unrounded_scan *s = scan;
    return hash_of_numbers(s->number + i * s->n, s->n);
}

static bool is_column(const void *scan, size_t i, const void *of)
{
    const f2l_unrounded_scan *s = scan;
    return memcmp(s->number + i * s->n, of, s->n * sizeof *s->number) == 0;
}

/* Keeps a column unless it is there; where there is no room the scan is of no use. */
static void keep_column(f2l_unrounded_scan *s, const int64_t *column)
{
    const uint64_t hash = hash_of_numbers(column, s->n);
    if (!f2l_index_grow(&s->index, hash_of_column, s) || (s->columns + 1) * s->n > MOST_NUMBERS) {
        s->small = false;
        return;
    }
    if (f2l_index_find(&s->index, hash, is_column, s, column) != F2L_NO_INDEX) return;
    s->small = f2l_grow((void **)&s->number, &s->room, s->columns, s->n * sizeof *s->number);
    if (!s->small) return;
    memcpy(s->number + s->columns++ * s->n, column, s->n * sizeof *column);
    f2l_index_add(&s->index, hash);
}

/* --- the steps --- */

/* One column during a letter. */
typedef struct scan_machine {
    f2l_unrounded_scan *scan;
    const f2l_integer_steps *weights;
    int64_t *base, *s; /* [n] before the letter, and during it */
    size_t j;
} scan_machine;

static void raise_to(uint64_t *most, int64_t x)
{
    const uint64_t size = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
    if (size > *most) *most = size;
}

/* Sets *r to k^T S; returns false if the sum of the sizes of its terms is too large. */
static bool sum_products(int64_t *r, const scan_machine *m, const f2l_integer_factor *f)
{
    int64_t size = 0;
    bool good = true;
    *r = 0;
    for (size_t q = 0; q < f->keys && good; q++) {
        int64_t term = 0;
        good = !__builtin_mul_overflow(f->key[q], m->s[f->row[q]], &term) && term != INT64_MIN &&
               !__builtin_add_overflow(size, term < 0 ? -term : term, &size);
        *r += good ? term : 0; /* of no larger size than the sum of the sizes */
    }
    raise_to(&m->scan->most[F2L_SCAN_PRODUCTS], size);
    return good;
}

/* Replaces k^T S by beta (k^T S - v). */
static bool scale_difference(int64_t *r, const scan_machine *m, const f2l_integer_factor *f)
{
    const f2l_integer_steps *w = m->weights;
    bool good = !__builtin_mul_overflow(*r, INT64_C(1) << (w->sum - w->state - w->key), r);
    for (size_t q = 0; q < f->values && good; q++) {
        if (f->column[q] != m->j) continue;
        good = !__builtin_sub_overflow(*r, f->value[q], r);
        raise_to(&m->scan->most[F2L_SCAN_DIFFERENCE], *r);
    }
    good = good && !__builtin_mul_overflow(*r, f->beta, r);
    raise_to(&m->scan->most[F2L_SCAN_SCALED], *r);
    return good;
}

/* Does S <- S - k r; returns false unless the new state has the places of the old one. */
static bool subtract_products(const scan_machine *m, const f2l_integer_factor *f, int64_t r)
{
    const int finer = m->weights->product - m->weights->state;
    bool good = true;
    for (size_t q = 0; q < f->keys && good; q++) {
        int64_t *entry = &m->s[f->row[q]], back = 0;
        good = !__builtin_mul_overflow(f->key[q], r, &back) &&
               (back & ((INT64_C(1) << finer) - 1)) == 0 &&
               !__builtin_sub_overflow(*entry, back / (INT64_C(1) << finer), entry);
        raise_to(&m->scan->most[F2L_SCAN_BACK], back);
        raise_to(&m->scan->most[F2L_SCAN_STATE], *entry);
        m->scan->coarse = m->scan->coarse && f2l_integer_in_ring(*entry, m->weights->state);
    }
    return good;
}

static void scan_letter(const scan_machine *m, size_t letter)
{
    const f2l_integer_steps *w = m->weights;
    const size_t first = w->first[letter];
    bool good = true;
    memcpy(m->s, m->base, m->scan->n * sizeof *m->s);
    for (size_t i = 0; i < w->steps->letter[letter].factors && good; i++) {
        const f2l_integer_factor *f = &w->factor[first + i];
        int64_t r;
        good = sum_products(&r, m, f) && scale_difference(&r, m, f) && subtract_products(m, f, r);
    }
    m->scan->small = good;
    if (good) keep_column(m->scan, m->s);
}

static bool load_start(const scan_machine *m, const f2l_qvec *from)
{
    bool good = true;
    memset(m->base, 0, m->scan->n * sizeof *m->base);
    for (size_t i = 0; i < from->count && good; i++) {
        int64_t *to = &m->base[from->index[i]];
        good = f2l_integers_scale(to, from->value[i], m->weights->state);
        raise_to(&m->scan->most[F2L_SCAN_STATE], *to);
        m->scan->coarse = m->scan->coarse && f2l_integer_in_ring(*to, m->weights->state);
    }
    return good;
}

static f2l_status scan_all(scan_machine *m, const f2l_vectors *start, const f2l_task *task,
                           f2l_error *err)
{
    const f2l_steps *steps = m->weights->steps;
    f2l_meter meter = {.task = task, .phase = "steps"};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < start->count && m->scan->small && status == F2L_OK; i++) {
        m->j = start->column[i];
        m->scan->small = load_start(m, &start->vector[i]);
        if (m->scan->small) keep_column(m->scan, m->base);
        for (size_t a = 0; a < steps->letters && m->scan->small && status == F2L_OK; a++) {
            status = f2l_meter_spend(&meter, 2 + 6 * steps->letter[a].factors, (double)i,
                                     (double)start->count, err);
            if (start->vector[i].count == 0 &&
                f2l_step_keeps_zero(&steps->letter[a], steps->d, m->j))
                continue;
            if (status == F2L_OK) scan_letter(m, a);
        }
    }
    return status;
}

f2l_status f2l_unrounded_scan_head(f2l_unrounded_scan *scan, const f2l_steps *steps,
                                   const f2l_vectors *start, const f2l_task *task, f2l_error *err)
{
    f2l_integer_steps weights;
    int places = 0;
    for (size_t i = 0; i < start->count; i++) f2l_integers_most(&places, &start->vector[i]);
    f2l_integers_init(&weights, steps);
    *scan = (f2l_unrounded_scan){.tried = true, .coarse = true, .n = steps->n};
    int64_t *room = f2l_calloc(steps->n, 2 * sizeof *room);
    scan->small = room && f2l_integers_fill(&weights, places + F2L_INTEGERS_SLACK);
    scan_machine m = {.scan = scan, .weights = &weights, .base = room};
    m.s = room ? room + steps->n : NULL;
    const f2l_status status = scan->small ? scan_all(&m, start, task, err) : F2L_OK;
    scan->places[F2L_SCAN_PRODUCTS] = weights.state + weights.key;
    scan->places[F2L_SCAN_DIFFERENCE] = weights.sum;
    scan->places[F2L_SCAN_SCALED] = weights.scaled;
    scan->places[F2L_SCAN_BACK] = weights.product;
    scan->places[F2L_SCAN_STATE] = weights.state;
    f2l_integers_clear(&weights);
    f2l_free(room);
    if (status != F2L_OK) f2l_unrounded_scan_clear(scan);
    return status;
}

/* --- a schedule --- */

/* Returns whether all numbers of one kind are numbers of the format. */
static bool kind_fits(const f2l_unrounded_scan *s, f2l_scan_kind kind, const f2l_format *format)
{
    return s->most[kind] < (uint64_t)f2l_fit_of(format, s->places[kind]).limit;
}

/* Returns whether every column stays what it is when it is stored. */
static bool columns_are_kept(const f2l_unrounded_scan *s, const f2l_unrounded_run *run)
{
    const f2l_store *store = &run->store;
    const bool plain = !store->how->scale && !store->how->residual && !f2l_store_draws(store);
    if (plain && kind_fits(s, F2L_SCAN_STATE, &store->format)) return true;
    double *number = f2l_calloc(s->n, 2 * sizeof *number);
    bool kept = number && s->most[F2L_SCAN_STATE] < UINT64_C(1) << 53;
    for (size_t i = 0; i < s->columns && kept; i++) {
        for (size_t k = 0; k < s->n; k++)
            number[k] = ldexp((double)s->number[i * s->n + k], -s->places[F2L_SCAN_STATE]);
        kept = f2l_store_keeps(store, number, number + s->n, s->n, 1);
    }
    f2l_free(number);
    return kept;
}

/* Returns whether U4a holds of what is between letters. */
static bool states_fit(const f2l_unrounded_scan *s, const f2l_unrounded_run *run)
{
    const f2l_schedule *schedule = run->schedule;
    const bool read = schedule->read_unstored || schedule->output;
    return kind_fits(s, F2L_SCAN_STATE, run->format) && kind_fits(s, F2L_SCAN_STATE, run->kept) &&
           (!read || kind_fits(s, F2L_SCAN_STATE, &run->output)) && (!run->ring || s->coarse) &&
           (!schedule->prefill ||
            kind_fits(s, F2L_SCAN_STATE, f2l_schedule_handover_format(schedule)));
}

bool f2l_unrounded_scan_allows(bool *states, const f2l_unrounded_scan *s,
                               const f2l_unrounded_run *run)
{
    const f2l_schedule *schedule = run->schedule;
    const bool by_column = f2l_unrounded_by_column(&schedule->store);
    *states = false;
    if (!s->small || schedule->exact_matrices || schedule->order.store_factors) return false;
    for (f2l_scan_kind kind = 0; kind < F2L_SCAN_KINDS; kind++)
        if (!kind_fits(s, kind, run->inner)) return false;
    if (run->operands && (!kind_fits(s, F2L_SCAN_STATE, run->operands) ||
                          !kind_fits(s, F2L_SCAN_SCALED, run->operands)))
        return false;
    if (run->ring && !kind_fits(s, F2L_SCAN_SCALED, run->ring)) return false;
    if (!states_fit(s, run)) return false;
    const bool stores = !run->plain || f2l_schedule_stores(schedule);
    if (stores && by_column && !columns_are_kept(s, run)) return false;
    *states = by_column;
    return true;
}
