/* U4 in integers, where all weights and states are dyadic and small, which is the usual case. It
 * can only find that nothing rounds; all other cases are left to the rationals, which name the
 * number that does not fit. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <math.h>
#include <string.h>

/* Checks U3 for m 2^-places; m is not 0. */
static bool fits_slowly(const f2l_fit *f, int64_t m)
{
    const f2l_format *format = f->format;
    if (m == INT64_MIN) return false;
    const uint64_t size = (uint64_t)(m < 0 ? -m : m);
    const int low = __builtin_ctzll(size), bits = 64 - __builtin_clzll(size);
    if (bits - low > format->precision) return false;
    const int top = bits - 1 - f->places, least = low - f->places;
    if (format->subnormals ? least < format->emin - format->precision + 1 : top < format->emin)
        return false;
    return ldexp((double)(size >> low), least) <= format->largest;
}

static inline bool fits_integer(const f2l_fit *f, int64_t m)
{
    return (m < f->limit && m > -f->limit) || m == 0 || fits_slowly(f, m);
}

typedef struct walk_machine {
    f2l_integer_steps weights;
    const f2l_unrounded_run *run;
    size_t n;
    f2l_fit f_product, f_sum, f_scaled, f_back, f_state, f_kept; /* f_product: k S; f_back: k beta r
                                                                  */
    f2l_fit f_operand, f_scaled_operand, f_scaled_ring, f_output; /* where the schedule has them */
    int64_t *base, *s; /* [n] before the letter, and during it */
    double *numbers;   /* [2 n] s, where it is looked at as doubles */
    int64_t reg[F2L_STEP_REGISTERS];
    const f2l_integer_factor *factor; /* of the letter */
    size_t letter, j;
    bool good; /* nothing has left the integers, or was rounded */
} walk_machine;

#define WALK_GATES
#include "models/network/schedule/walk.inc"

static void choose_fits(walk_machine *p, const f2l_unrounded_run *run)
{
    const f2l_integer_steps *w = &p->weights;
    if (run->operands) p->f_operand = f2l_fit_of(run->operands, w->state);
    if (run->operands) p->f_scaled_operand = f2l_fit_of(run->operands, w->scaled);
    if (run->ring) p->f_scaled_ring = f2l_fit_of(run->ring, w->scaled);
    p->f_output = f2l_fit_of(&run->output, w->state);
    p->f_product = f2l_fit_of(run->inner, w->state + w->key);
    p->f_sum = f2l_fit_of(run->inner, w->sum);
    p->f_scaled = f2l_fit_of(run->inner, w->scaled);
    p->f_back = f2l_fit_of(run->inner, w->product);
    p->f_state = f2l_fit_of(run->inner, w->state);
    p->f_kept = f2l_fit_of(run->kept, w->state);
}

static void clear_integer_machine(walk_machine *p)
{
    f2l_integers_clear(&p->weights);
    f2l_free(p->base);
    f2l_free(p->s);
    f2l_free(p->numbers);
}

/* Returns false if integers do not suffice, or if memory is out, which the rationals will
 * report. */
static bool prepare_integer_machine(walk_machine *p, const f2l_steps *steps,
                                    const f2l_vectors *start, const f2l_unrounded_run *run)
{
    int places = 0;
    *p = (walk_machine){.n = steps->n, .run = run};
    for (size_t i = 0; i < start->count; i++) f2l_integers_most(&places, &start->vector[i]);
    f2l_integers_init(&p->weights, steps);
    if (!f2l_integers_fill(&p->weights, places + F2L_INTEGERS_SLACK)) return false;
    choose_fits(p, run);
    p->base = f2l_calloc(steps->n, sizeof *p->base);
    p->s = f2l_calloc(steps->n, sizeof *p->s);
    p->numbers = f2l_calloc(steps->n, 2 * sizeof *p->numbers);
    return p->base && p->s && p->numbers;
}

/* --- the walk; letters with gates or biases are left to the rationals (f2l_integers_fill), so that
 * it does not matter where the gate is --- */

/* Returns the place of key coordinate q of the sum's order. */
static size_t integer_key_place(const f2l_integer_factor *f, size_t q)
{
    return f->order ? f->order[q] : q;
}

WALK bool walk_goes_on(const walk_machine *p)
{
    return p->good;
}

WALK void walk_gate(walk_machine *p, size_t letter)
{
    (void)p, (void)letter;
}

/* Looks at the column as it is stored; numbers that doubles may not have are left to the rationals.
 */
static void look_at_stored_integers(walk_machine *p)
{
    for (size_t i = 0; i < p->n && p->good; i++) {
        p->good = p->s[i] < INT64_C(1) << 53 && p->s[i] > -(INT64_C(1) << 53);
        p->numbers[i] = ldexp((double)p->s[i], -p->weights.state);
    }
    p->good = p->good && f2l_store_keeps(&p->run->store, p->numbers, p->numbers + p->n, p->n, 1);
}

/* Does what keep_stored of unrounded_step.c does. */
static void keep_stored_integers(walk_machine *p)
{
    const f2l_schedule *schedule = p->run->schedule;
    if (schedule->read_unstored || schedule->output)
        for (size_t i = 0; i < p->n && p->good; i++) p->good = fits_integer(&p->f_output, p->s[i]);
    if (p->good && f2l_unrounded_by_column(&schedule->store)) look_at_stored_integers(p);
}

WALK void walk_store(walk_machine *p)
{
    p->good = f2l_unrounded_by_column(&p->run->schedule->store);
    if (p->good) keep_stored_integers(p);
}

WALK void walk_gate_column(walk_machine *p, size_t letter)
{
    (void)p, (void)letter;
}

WALK void walk_gate_sum(walk_machine *p, size_t letter)
{
    (void)p, (void)letter;
}

WALK void walk_fold_gate(walk_machine *p, size_t letter)
{
    (void)p, (void)letter;
}

WALK void walk_bias(walk_machine *p, size_t letter)
{
    (void)p, (void)letter;
}

WALK walk_range walk_factors(const walk_machine *p, size_t letter)
{
    const size_t first = p->weights.first[letter];
    return (walk_range){first, first + p->weights.steps->letter[letter].factors};
}

WALK walk_range walk_columns(const walk_machine *p)
{
    return (walk_range){p->j, p->j + 1};
}

WALK bool walk_column(walk_machine *p, size_t factor, size_t column)
{
    (void)column;
    p->factor = &p->weights.factor[factor];
    return true;
}

WALK walk_range walk_keys(const walk_machine *p, size_t factor)
{
    return (walk_range){0, p->weights.factor[factor].keys};
}

WALK unsigned walk_sums(const walk_machine *p, size_t q)
{
    return p->factor->sums[q];
}

/* Returns k_q S_q, with the places of f_product. */
static inline int64_t integer_product(walk_machine *p, size_t q)
{
    const size_t at = integer_key_place(p->factor, q);
    int64_t out = 0;
    p->good = !__builtin_mul_overflow(p->factor->key[at], p->s[p->factor->row[at]], &out);
    return out;
}

/* Looks at the state as an operand of product q. */
static inline void look_at_operand(walk_machine *p, bool narrow, size_t q)
{
    const int64_t s = p->s[p->factor->row[integer_key_place(p->factor, q)]];
    p->good = p->good && (!narrow || fits_integer(&p->f_operand, s));
}

WALK void walk_product(walk_machine *p, bool narrow, size_t to, size_t q)
{
    p->reg[to] = integer_product(p, q);
    p->good = p->good && fits_integer(&p->f_product, p->reg[to]);
    look_at_operand(p, narrow, q);
}

WALK void walk_add_product(walk_machine *p, bool narrow, size_t to, size_t q)
{
    const int64_t term = integer_product(p, q);
    p->good = p->good && !__builtin_add_overflow(p->reg[to], term, &p->reg[to]) &&
              fits_integer(&p->f_product, p->reg[to]);
    look_at_operand(p, narrow, q);
}

WALK void walk_add(walk_machine *p, size_t to, size_t q)
{
    (void)q;
    p->good = !__builtin_add_overflow(p->reg[to], p->reg[to + 1], &p->reg[to]) &&
              fits_integer(&p->f_product, p->reg[to]);
}

/* Gives the sum the places of f_sum, too. */
WALK void walk_subtract_value(walk_machine *p, size_t factor)
{
    const f2l_integer_steps *w = &p->weights;
    const f2l_integer_factor *f = &w->factor[factor];
    int64_t *r = &p->reg[0];
    p->good = !__builtin_mul_overflow(*r, INT64_C(1) << (w->sum - w->state - w->key), r);
    for (size_t q = 0; q < f->values && p->good; q++)
        if (f->column[q] == p->j)
            p->good = !__builtin_sub_overflow(*r, f->value[q], r) && fits_integer(&p->f_sum, *r);
}

WALK void walk_scale(walk_machine *p, bool narrow, size_t factor)
{
    int64_t *r = &p->reg[0];
    p->good = !__builtin_mul_overflow(*r, p->weights.factor[factor].beta, r) &&
              fits_integer(&p->f_scaled, *r) &&
              (!narrow || fits_integer(&p->f_scaled_operand, *r)) &&
              (!p->run->ring || fits_integer(&p->f_scaled_ring, *r));
}

/* Sets reg[1] = k_q reg[0], with the places of f_back. */
static inline void multiply_back(walk_machine *p, size_t q)
{
    const int64_t key = p->factor->key[integer_key_place(p->factor, q)];
    p->good = !__builtin_mul_overflow(key, p->reg[0], &p->reg[1]);
}

WALK void walk_product_back(walk_machine *p, size_t q)
{
    multiply_back(p, q);
    p->good = p->good && fits_integer(&p->f_back, p->reg[1]);
}

WALK void walk_subtract(walk_machine *p, size_t q)
{
    const int finer = p->weights.product - p->weights.state;
    int64_t *entry = &p->s[p->factor->row[integer_key_place(p->factor, q)]];
    p->good = (p->reg[1] & ((INT64_C(1) << finer) - 1)) == 0 &&
              !__builtin_sub_overflow(*entry, p->reg[1] / (INT64_C(1) << finer), entry) &&
              fits_integer(&p->f_state, *entry) &&
              (!p->run->ring || f2l_integer_in_ring(*entry, p->weights.state));
}

WALK void walk_subtract_product(walk_machine *p, size_t q)
{
    multiply_back(p, q);
    if (p->good) walk_subtract(p, q);
}

/* --- all letters --- */

/* Sets base to the vector; returns false if it does not fit into integers. */
static bool load_integer_vector(const walk_machine *p, const f2l_qvec *from)
{
    bool good = true;
    for (size_t i = 0; i < p->n; i++) p->base[i] = 0;
    for (size_t i = 0; i < from->count && good; i++)
        good = f2l_integers_scale(&p->base[from->index[i]], from->value[i], p->weights.state);
    return good;
}

/* Steps column j of the letter, from the loaded vector. Returns whether nothing is rounded. */
static bool step_integer_column(walk_machine *p, f2l_schedule_order order, size_t a, size_t j)
{
    const f2l_step_letter *letter = &p->weights.steps->letter[a];
    memcpy(p->s, p->base, p->n * sizeof *p->s);
    p->j = j;
    p->good = true;
    walk_letter(order, p->run->operands != NULL, p, a);
    for (size_t q = 0; q < letter->touched && p->good; q++)
        p->good = fits_integer(&p->f_kept, p->s[letter->row[q]]);
    if (p->good && !p->run->plain) keep_stored_integers(p);
    return p->good;
}

f2l_status f2l_unrounded_small(bool *exact, const f2l_steps *steps, const f2l_vectors *start,
                               const f2l_unrounded_run *run, f2l_error *err)
{
    walk_machine p;
    f2l_meter meter = {.task = run->task, .phase = "steps"};
    f2l_status status = F2L_OK;
    const bool tried = !run->schedule->exact_matrices;
    *exact = tried && prepare_integer_machine(&p, steps, start, run);
    for (size_t i = 0; i < start->count && *exact && status == F2L_OK; i++) {
        *exact = load_integer_vector(&p, &start->vector[i]);
        for (size_t a = 0; a < steps->letters && *exact && status == F2L_OK; a++) {
            status = f2l_meter_spend(&meter, 2 + 6 * steps->letter[a].factors, (double)i,
                                     (double)start->count, err);
            if (status != F2L_OK) break;
            if (start->vector[i].count == 0 &&
                f2l_step_keeps_zero(&steps->letter[a], steps->d, start->column[i]))
                continue;
            *exact = step_integer_column(&p, run->schedule->order, a, start->column[i]);
        }
    }
    if (tried) clear_integer_machine(&p);
    return status;
}
