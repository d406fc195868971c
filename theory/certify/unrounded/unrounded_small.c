/* U4 in integers: the same walk as theory/certify/unrounded/unrounded_step.c where all weights and
 * states are dyadic and small, which is the usual case. It can only find that nothing rounds; all
 * other cases are left to the rationals, which name the number that does not fit. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"
#include <string.h>

/* The numbers m 2^-places that a format has: all those below `limit` are among them. */
typedef struct fit {
    const f2l_format *format;
    int places;
    int64_t limit;
} fit;

static fit fit_of(const f2l_format *format, int places)
{
    fit f = {format, places, 0};
    const bool fine = format->subnormals ? -places >= format->emin - format->precision + 1
                                         : -places >= format->emin;
    const int bits = format->precision;
    if (fine && bits < 62 && ldexp(1, bits - places) <= format->largest)
        f.limit = (INT64_C(1) << bits) + 1;
    return f;
}

/* Checks U3 for m 2^-places; m is not 0. */
static bool fits_slowly(const fit *f, int64_t m)
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

static inline bool fits(const fit *f, int64_t m)
{
    return (m < f->limit && -m < f->limit) || m == 0 || fits_slowly(f, m);
}

typedef struct small {
    f2l_integer_steps weights;
    f2l_schedule_kind kind;
    size_t n, tree;
    fit f_product, f_sum, f_scaled, f_back, f_state, f_kept; /* f_product: k S; f_back: k beta r */
    int64_t *base, *s; /* [n] before the letter, and during it */
    uint32_t *at;      /* [n] positions in the tree */
    int64_t *partial;  /* [n] */
} small;

static void choose_fits(small *p, const f2l_unrounded_run *run)
{
    const f2l_integer_steps *w = &p->weights;
    p->f_product = fit_of(run->inner, w->state + w->key);
    p->f_sum = fit_of(run->inner, w->sum);
    p->f_scaled = fit_of(run->inner, w->scaled);
    p->f_back = fit_of(run->inner, w->product);
    p->f_state = fit_of(run->inner, w->state);
    p->f_kept = fit_of(run->state, w->state);
}

static void clear(small *p)
{
    f2l_integers_clear(&p->weights);
    f2l_free(p->base);
    f2l_free(p->s);
    f2l_free(p->at);
    f2l_free(p->partial);
}

/* Returns false if integers do not suffice, or if memory is out, which the rationals will
 * report. */
static bool prepare(small *p, const f2l_steps *steps, const f2l_vectors *start,
                    const f2l_unrounded_run *run)
{
    int places = 0;
    *p = (small){.kind = run->schedule->kind, .n = steps->n, .tree = 1};
    while (p->tree < steps->n) p->tree *= 2;
    for (size_t i = 0; i < start->count; i++) f2l_integers_most(&places, &start->vector[i]);
    f2l_integers_init(&p->weights, steps);
    if (!f2l_integers_fill(&p->weights, places + F2L_INTEGERS_SLACK)) return false;
    choose_fits(p, run);
    p->base = f2l_calloc(steps->n, sizeof *p->base);
    p->s = f2l_calloc(steps->n, sizeof *p->s);
    p->at = f2l_calloc(steps->n, sizeof *p->at);
    p->partial = f2l_calloc(steps->n, sizeof *p->partial);
    return p->base && p->s && p->at && p->partial;
}

static bool sum_left(const small *p, const f2l_integer_factor *f, int64_t *sum)
{
    const bool fused = p->kind == F2L_SCHEDULE_FMA;
    *sum = 0;
    for (size_t q = 0; q < f->keys; q++) {
        int64_t product;
        if (__builtin_mul_overflow(f->key[q], p->s[f->row[q]], &product)) return false;
        if ((q == 0 || !fused) && !fits(&p->f_product, product)) return false;
        if (__builtin_add_overflow(*sum, product, sum)) return false;
        if (q > 0 && !fits(&p->f_product, *sum)) return false;
    }
    return true;
}

/* Sums by halves (models/schedule/schedule.h) the terms that are not 0: positions, then positions
 * modulo h; terms that come to one position are added. */
static bool sum_tree(const small *p, const f2l_integer_factor *f, int64_t *sum)
{
    size_t count = 0;
    *sum = 0;
    for (size_t q = 0; q < f->keys; q++) {
        int64_t *product = &p->partial[count];
        if (p->s[f->row[q]] == 0) continue;
        if (__builtin_mul_overflow(f->key[q], p->s[f->row[q]], product) ||
            !fits(&p->f_product, *product))
            return false;
        p->at[count++] = f->row[q];
    }
    for (size_t h = p->tree / 2; h > 0 && count > 1; h /= 2) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t at = (uint32_t)(p->at[i] % h);
            size_t k = 0;
            while (k < kept && p->at[k] != at) k++;
            const int64_t term = p->partial[i];
            if (k == kept) {
                p->at[kept] = at;
                p->partial[kept++] = term;
            } else if (__builtin_add_overflow(p->partial[k], term, &p->partial[k]) ||
                       !fits(&p->f_product, p->partial[k])) {
                return false;
            }
        }
        count = kept;
    }
    if (count > 0) *sum = p->partial[0];
    return true;
}

static bool step_factor(const small *p, const f2l_integer_factor *f, size_t j)
{
    const bool tree = p->kind == F2L_SCHEDULE_RECURRENT,
               fused = tree || p->kind == F2L_SCHEDULE_FMA;
    const f2l_integer_steps *w = &p->weights;
    int64_t r;
    if (!(tree ? sum_tree(p, f, &r) : sum_left(p, f, &r))) return false;
    if (__builtin_mul_overflow(r, INT64_C(1) << (w->sum - w->state - w->key), &r)) return false;
    for (size_t q = 0; q < f->values; q++)
        if (f->column[q] == j &&
            (__builtin_sub_overflow(r, f->value[q], &r) || !fits(&p->f_sum, r)))
            return false;
    if (r == 0) return true;
    if (__builtin_mul_overflow(r, f->beta, &r) || !fits(&p->f_scaled, r)) return false;
    const int finer = w->product - w->state;
    for (size_t q = 0; q < f->keys; q++) {
        int64_t back, *entry = &p->s[f->row[q]];
        if (__builtin_mul_overflow(f->key[q], r, &back) || (!fused && !fits(&p->f_back, back)))
            return false;
        if (back & ((INT64_C(1) << finer) - 1)) return false;
        if (__builtin_sub_overflow(*entry, back / (INT64_C(1) << finer), entry) ||
            !fits(&p->f_state, *entry))
            return false;
    }
    return true;
}

/* Sets base to the vector; returns false if it does not fit into integers. */
static bool load(const small *p, const f2l_qvec *from)
{
    bool good = true;
    for (size_t i = 0; i < p->n; i++) p->base[i] = 0;
    for (size_t i = 0; i < from->count && good; i++)
        good = f2l_integers_scale(&p->base[from->index[i]], from->value[i], p->weights.state);
    return good;
}

/* Steps column j of the letter, from the loaded vector. */
static bool step_column(const small *p, size_t a, size_t j)
{
    const f2l_integer_steps *w = &p->weights;
    const f2l_step_letter *letter = &w->steps->letter[a];
    bool good = true;
    memcpy(p->s, p->base, p->n * sizeof *p->s);
    for (size_t m = 0; m < letter->factors && good; m++)
        good = step_factor(p, &w->factor[w->first[a] + m], j);
    for (size_t q = 0; q < letter->touched && good; q++)
        good = fits(&p->f_kept, p->s[letter->row[q]]);
    return good;
}

f2l_status f2l_unrounded_small(bool *exact, const f2l_steps *steps, const f2l_vectors *start,
                               const f2l_unrounded_run *run, f2l_error *err)
{
    small p;
    f2l_meter meter = {.task = run->task, .phase = "steps"};
    f2l_status status = F2L_OK;
    *exact = run->schedule->kind != F2L_SCHEDULE_CAST && prepare(&p, steps, start, run);
    for (size_t i = 0; i < start->count && *exact && status == F2L_OK; i++) {
        *exact = load(&p, &start->vector[i]);
        for (size_t a = 0; a < steps->letters && *exact && status == F2L_OK; a++) {
            status = f2l_meter_spend(&meter, 2 + 6 * steps->letter[a].factors, (double)i,
                                     (double)start->count, err);
            if (status != F2L_OK) break;
            if (start->vector[i].count == 0 &&
                f2l_step_keeps_zero(&steps->letter[a], steps->d, start->column[i]))
                continue;
            *exact = step_column(&p, a, start->column[i]);
        }
    }
    if (run->schedule->kind != F2L_SCHEDULE_CAST) clear(&p);
    return status;
}
