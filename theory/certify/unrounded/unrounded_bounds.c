/* Bounds of chunk64 (theory/pages/unrounded.md, U9 and U10). */
#include "theory/certify/unrounded/impl.h"
#include <stdio.h>
#include <string.h>

#define ROWS 64   /* rows of a WY chunk */
#define MERGE 768 /* 16 * 48: terms of the longest products in the inverse (U10) */

void f2l_range_meet(f2l_range *r, const mpq_t x)
{
    if (mpq_sgn(x) == 0) return;
    const mp_bitcnt_t down = mpz_scan1(mpq_denref(x), 0);
    if (mpz_sizeinbase(mpq_denref(x), 2) != down + 1) r->odd = true;
    const long places = (long)down - (long)mpz_scan1(mpq_numref(x), 0);
    if (!r->any || places > r->places) r->places = places;
    r->any = true;
    if (mpz_cmpabs(mpq_numref(x), mpq_numref(r->most)) <= 0 &&
        mpz_cmp(mpq_denref(x), mpq_denref(r->most)) >= 0)
        return;
    mpq_t size;
    mpq_init(size);
    mpq_abs(size, x);
    if (mpq_cmp(size, r->most) > 0) mpq_set(r->most, size);
    mpq_clear(size);
}

/* Returns whether b 2^s <= 2^p, b <= L, and the places suffice (U9). */
bool f2l_range_fits(const f2l_format *format, const f2l_range *r)
{
    if (mpq_sgn(r->most) == 0) return true;
    const long reach = format->subnormals ? format->emin - format->precision + 1 : format->emin;
    if (-r->places < reach) return false;
    mpq_t limit;
    mpq_init(limit);
    mpq_set_d(limit, format->largest);
    bool below = mpq_cmp(r->most, limit) <= 0;
    mpq_set_ui(limit, 1, 1);
    const long power = format->precision - r->places;
    if (power >= 0)
        mpq_mul_2exp(limit, limit, (mp_bitcnt_t)power);
    else
        mpq_div_2exp(limit, limit, (mp_bitcnt_t)-power);
    below = below && mpq_cmp(r->most, limit) <= 0;
    mpq_clear(limit);
    return below;
}

typedef struct listing {
    f2l_unrounded *out;
    const f2l_step_place *place;
    f2l_error *err;
    f2l_status status;
} listing;

static void list_bound(listing *to, const char *what, const f2l_range *r, const f2l_format *format)
{
    if (to->status != F2L_OK) return;
    f2l_unrounded_bound *bound = &to->out->bound[to->out->bounds++];
    *bound = (f2l_unrounded_bound){.what = what,
                                   .layer = to->place->index,
                                   .head = to->place->head,
                                   .places = (int)r->places,
                                   .format = format->name};
    mpq_init(bound->most);
    mpq_set(bound->most, r->most);
    if (!r->odd && f2l_range_fits(format, r)) return;
    char why[200];
    char *most = mpq_get_str(NULL, 10, r->most);
    (void)snprintf(why, sizeof why, "%s: multiples of 2^%ld up to %.60s %s %s", what, -r->places,
                   most,
                   r->odd ? "and numbers that no power of 2 clears, in" : "are not all values of",
                   format->name != NULL ? format->name : "the format");
    void (*release)(void *, size_t);
    mp_get_memory_functions(NULL, NULL, &release);
    release(most, strlen(most) + 1);
    to->status = f2l_unrounded_stop(to->place, why, to->err);
}

/* Sets *out to the range of a sum of `terms` products of numbers of two ranges. */
static void range_of_products(f2l_range *out, unsigned long terms, const f2l_range *a,
                              const f2l_range *b)
{
    out->places = a->places + b->places;
    mpq_set_ui(out->most, terms, 1);
    mpq_mul(out->most, out->most, a->most);
    mpq_mul(out->most, out->most, b->most);
}

/* Adds more terms, each of one range. */
static void extend_sum_range(f2l_range *out, const f2l_range *a)
{
    if (a->places > out->places) out->places = a->places;
    mpq_add(out->most, out->most, a->most);
}

static void list_all(listing *to, const f2l_unrounded_numbers *c, const f2l_unrounded_run *run,
                     f2l_range *gram, f2l_range *scaled, f2l_range *sums)
{
    const f2l_format *f = run->format, *wide = run->fp32;
    const f2l_range *of = c->of;
    list_bound(to, "key", &of[F2L_RANGE_KEY], f);
    list_bound(to, "beta", &of[F2L_RANGE_BETA], f);
    list_bound(to, "value", &of[F2L_RANGE_VALUE], f);
    gram->places = 2 * of[F2L_RANGE_KEY].places;
    mpq_set(gram->most, c->gram);
    list_bound(to, "gram", gram, wide);
    range_of_products(scaled, 1, &of[F2L_RANGE_BETA], gram);
    list_bound(to, "scaled", scaled, wide);
    list_bound(to, "inverse", &of[F2L_RANGE_INVERSE], f);
    range_of_products(sums, MERGE, scaled, &of[F2L_RANGE_INVERSE]);
    sums->places += of[F2L_RANGE_INVERSE].places;
    mpq_mul(sums->most, sums->most, of[F2L_RANGE_INVERSE].most);
    list_bound(to, "inverse-sums", sums, wide);
    list_bound(to, "beta-key", &of[F2L_RANGE_BETA_KEY], f);
    list_bound(to, "beta-value", &of[F2L_RANGE_BETA_VALUE], f);
    list_bound(to, "w", &of[F2L_RANGE_W], f);
    range_of_products(sums, ROWS, &of[F2L_RANGE_INVERSE], &of[F2L_RANGE_BETA_KEY]);
    list_bound(to, "w-sums", sums, wide);
    range_of_products(sums, ROWS, &of[F2L_RANGE_INVERSE], &of[F2L_RANGE_BETA_VALUE]);
    list_bound(to, "u-sums", sums, wide);
    list_bound(to, "new", &of[F2L_RANGE_NEW], f);
    range_of_products(sums, c->n, &of[F2L_RANGE_W], &of[F2L_RANGE_STATE]);
    extend_sum_range(sums, &of[F2L_RANGE_NEW]);
    list_bound(to, "new-sums", sums, wide);
    list_bound(to, "state", &of[F2L_RANGE_STATE], f);
    range_of_products(sums, ROWS, &of[F2L_RANGE_KEY], &of[F2L_RANGE_NEW]);
    extend_sum_range(sums, &of[F2L_RANGE_STATE]);
    list_bound(to, "state-sums", sums, wide);
    range_of_products(sums, ROWS * c->factors, &of[F2L_RANGE_KEY], &of[F2L_RANGE_NEW]);
    extend_sum_range(sums, &of[F2L_RANGE_STATE]);
    list_bound(to, "output-sums", sums, wide);
}

f2l_status f2l_unrounded_list(f2l_unrounded *out, const f2l_unrounded_numbers *numbers,
                              const f2l_unrounded_run *run, const f2l_step_place *place,
                              f2l_error *err)
{
    f2l_range gram = {0}, scaled = {0}, sums = {0};
    mpq_inits(gram.most, scaled.most, sums.most, NULL);
    listing to = {out, place, err, F2L_OK};
    list_all(&to, numbers, run, &gram, &scaled, &sums);
    mpq_clears(gram.most, scaled.most, sums.most, NULL);
    return to.status;
}
