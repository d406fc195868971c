/* Roundings by their definition: neighbours are found in the list of values, using only exact
 * floating-point arithmetic; and known values. */
#include "numeric/format/choices.h"
#include "tests/support/numeric/format_support.h"
#include <criterion/criterion.h>

/* |x| rounded toward zero, away from zero and to nearest: F1 for a format with subnormals. `grid`
 * has the values of `precision` bits as if exponents were unbounded. */
typedef struct definition {
    double toward, away, nearest;
} definition;

static double grid(const f2l_format *f, uint64_t n)
{
    int field = f->precision - 1;
    uint64_t fraction = n & ((UINT64_C(1) << field) - 1), exponent = n >> field;
    if (exponent > 0) fraction |= UINT64_C(1) << field;
    return ldexp((double)fraction, f->emin - field + (exponent > 0 ? (int)exponent - 1 : 0));
}

static double over(const f2l_format *f)
{
    return f->overflow == F2L_OVERFLOW_INFINITY ? INFINITY
           : f->overflow == F2L_OVERFLOW_NAN    ? NAN
                                                : f->largest;
}

static definition define(const f2l_format *f, double m)
{
    uint64_t low = 0, high = (uint64_t)(f->emax - f->emin + 40) << (f->precision - 1);
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (grid(f, middle) <= m)
            low = middle;
        else
            high = middle;
    }
    definition d = {grid(f, low), grid(f, high), 0};
    d.nearest = m - d.toward < d.away - m || (m - d.toward == d.away - m && low % 2 == 0) ? d.toward
                                                                                          : d.away;
    if (d.toward == m) d.away = d.nearest = m;
    if (!(d.nearest <= f->largest)) d.nearest = over(f);
    if (!(d.away <= f->largest)) d.away = over(f);
    if (!(d.toward <= f->largest)) d.toward = f->largest;
    return d;
}

static double signed_like(double m, double x)
{
    return isnan(m) ? NAN : m == 0 ? 0 : copysign(m, x);
}

/* Checks the rounding of the exact x in all modes; `rounded` computes it. */
static void check_rounding(f2l_format *f, double x,
                           double (*rounded)(const f2l_format *, const double *),
                           const double *operand)
{
    static f2l_choices c;
    const definition d = define(f, fabs(x));
    const double zero = signed_like(d.toward, x), other = signed_like(d.away, x);
    const double expected[] = {[F2L_ROUND_NEAREST_EVEN] = signed_like(d.nearest, x),
                               [F2L_ROUND_TOWARD_ZERO] = zero,
                               [F2L_ROUND_UP] = x > 0 ? other : zero,
                               [F2L_ROUND_DOWN] = x < 0 ? other : zero};
    for (int mode = F2L_ROUND_NEAREST_EVEN; mode <= F2L_ROUND_DOWN; mode++) {
        f->rounding = (f2l_rounding)mode;
        const double y = rounded(f, operand);
        if (bits_of(y) != bits_of(expected[mode]))
            cr_assert_fail("%s, mode %d, %a gives %a, not %a", f->name, mode, x, y, expected[mode]);
    }
    f->rounding = F2L_ROUND_STOCHASTIC;
    f->choices = NULL;
    cr_assert_eq(bits_of(rounded(f, operand)), bits_of(expected[0]));
    f->choices = &c;
    f2l_choices_restart(&c);
    cr_assert_eq(bits_of(rounded(f, operand)), bits_of(zero));
    const bool both = bits_of(zero) != bits_of(other);
    cr_assert_eq(c.at, both ? 1 : 0, "%s, %a", f->name, x);
    cr_assert_eq(f2l_choices_next(&c), both);
    if (both) {
        cr_assert_eq(bits_of(rounded(f, operand)), bits_of(other));
        cr_assert_not(f2l_choices_next(&c));
    }
    f->choices = NULL;
    f->rounding = F2L_ROUND_NEAREST_EVEN;
}

static double sum(const f2l_format *f, const double *x)
{
    return f2l_format_op(f, F2L_ADD, x[0], x[1]);
}

static double difference(const f2l_format *f, const double *x)
{
    return f2l_format_op(f, F2L_SUB, x[0], x[1]);
}

static double product(const f2l_format *f, const double *x)
{
    return f2l_format_op(f, F2L_MUL, x[0], x[1]);
}

static double fused(const f2l_format *f, const double *x)
{
    return f2l_format_fma(f, x[0], x[1], x[2]);
}

static double itself(const f2l_format *f, const double *x)
{
    return f2l_format_round(f, x[0]);
}

/* Checks all pairs of values of an 8-bit format: their sums and products are exact in double, and
 * so is a * b + c. */
static void check_all_pairs(const char *name)
{
    f2l_format f = *f2l_format_find(name);
    f2l_rng r;
    f2l_rng_init(&r, 8, f.precision); /* the seed */
    const uint64_t count = count_values(&f);
    cr_assert_eq(count, f.precision == 4 ? 127 : 124);
    for (int overflow = F2L_OVERFLOW_INFINITY; overflow <= F2L_OVERFLOW_SATURATE; overflow++) {
        f.overflow = (f2l_overflow)overflow;
        for (uint64_t i = 0; i < 4 * count * count; i++) {
            if (repetitions(200) < 200 && f2l_rng_u32(&r) % 16) continue;
            const double a = nth_value(&f, i / 4 % count), b = nth_value(&f, i / 4 / count);
            const double c = nth_value(&f, f2l_rng_below(&r, count));
            const double x[3] = {i % 2 ? -a : a, i / 2 % 2 ? -b : b, f2l_rng_u32(&r) % 2 ? c : -c};
            check_rounding(&f, x[0] + x[1], sum, x);
            check_rounding(&f, x[0] * x[1], product, x);
            if (i % 2 == 0) check_rounding(&f, x[0] - x[1], difference, x);
            if (i % 4 == 3) check_rounding(&f, x[0] * x[1] + x[2], fused, x);
        }
    }
}

Test(format_modes, all_pairs_of_e4m3)
{
    check_all_pairs("e4m3");
}

Test(format_modes, all_pairs_of_e5m2)
{
    check_all_pairs("e5m2");
}

/* Checks every value and every middle, and numbers next to them. */
static void check_every_value(f2l_format f)
{
    const uint64_t count = count_values(&f);
    for (uint64_t n = 0; n < count + 4; n += repetitions(200) < 200 ? 37 : 1) {
        const double low = grid(&f, n), middle = low + (grid(&f, n + 1) - low) / 2;
        const double x[] = {low, nextafter(low, INFINITY), nextafter(middle, 0), middle,
                            nextafter(middle, INFINITY)};
        for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
            const double y = n % 2 ? -x[i] : x[i];
            check_rounding(&f, y, itself, &y);
        }
    }
}

Test(format_modes, every_value_of_bf16)
{
    check_every_value(f2l_formats[0]);
}

Test(format_modes, every_value_of_fp16)
{
    check_every_value(f2l_formats[1]);
}

Test(format_modes, every_value_of_small_formats)
{
    static const int small[] = {FINITE, TWO_BITS, SATURATING, ONE_BINADE, CUT};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) check_every_value(strange[small[i]]);
    check_every_value(*f2l_format_find("e4m3"));
    check_every_value(*f2l_format_find("e5m2"));
}

static f2l_format with(const char *name, f2l_overflow overflow, f2l_rounding rounding)
{
    f2l_format f = *f2l_format_find(name);
    f.overflow = overflow;
    f.rounding = rounding;
    return f;
}

Test(format_modes, known_values_of_e4m3)
{
    const f2l_format *f = f2l_format_find("e4m3");
    cr_assert_eq(f2l_format_round(f, 464), 448); /* between 448 and 480: a tie */
    cr_assert(isnan(f2l_format_round(f, 465)));
    cr_assert(isnan(f2l_format_round(f, -480)));
    cr_assert_eq(f2l_format_round(f, 0x1p-9), 0x1p-9);
    cr_assert_eq(f2l_format_round(f, 0x1p-10), 0);
    cr_assert_eq(f2l_format_round(f, 0x1.8p-10), 0x1p-9);
    cr_assert_eq(f2l_format_op(f, F2L_MUL, 20, 20), 384); /* 400 is between 384 and 416 */
    const f2l_format saturating = with("e4m3", F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN);
    cr_assert_eq(f2l_format_round(&saturating, 465), 448);
    cr_assert_eq(f2l_format_round(&saturating, -1e300), -448);
    cr_assert_eq(f2l_format_op(&saturating, F2L_DIV, -1, 0), -448);
    cr_assert(isnan(f2l_format_op(&saturating, F2L_DIV, 0, 0)));
    cr_assert(isnan(f2l_format_round(&saturating, NAN)));
    const f2l_format zero = with("e4m3", F2L_OVERFLOW_NAN, F2L_ROUND_TOWARD_ZERO);
    cr_assert_eq(f2l_format_round(&zero, 1e300), 448);
    cr_assert_eq(f2l_format_round(&zero, -479), -448);
    cr_assert(isnan(f2l_format_round(&zero, INFINITY)));
    const f2l_format up = with("e4m3", F2L_OVERFLOW_NAN, F2L_ROUND_UP);
    cr_assert(isnan(f2l_format_round(&up, 448.0001)));
    cr_assert_eq(f2l_format_round(&up, -1e300), -448);
    cr_assert_eq(f2l_format_round(&up, 0x1p-1000), 0x1p-9);
    cr_assert_eq(bits_of(f2l_format_round(&up, -0x1p-1000)), 0);
}

Test(format_modes, known_values_of_e5m2)
{
    const f2l_format *f = f2l_format_find("e5m2");
    cr_assert_eq(f2l_format_round(f, 57344), 57344);
    cr_assert_eq(f2l_format_round(f, 61439), 57344);
    cr_assert_eq(f2l_format_round(f, 61440), INFINITY); /* a tie, and 65536 is even */
    cr_assert_eq(f2l_format_round(f, -61440), -INFINITY);
    const f2l_format saturating = with("e5m2", F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN);
    cr_assert_eq(f2l_format_round(&saturating, 61440), 57344);
    cr_assert_eq(f2l_format_round(&saturating, -INFINITY), -57344);
    const f2l_format zero = with("e5m2", F2L_OVERFLOW_INFINITY, F2L_ROUND_TOWARD_ZERO);
    cr_assert_eq(f2l_format_round(&zero, 1e9), 57344);
    cr_assert_eq(f2l_format_round(&zero, INFINITY), INFINITY);
    cr_assert_eq(f2l_format_op(&zero, F2L_DIV, -1, 0), -INFINITY);
}

/* Weights are data: the rounding of operations does not apply to them. */
Test(format_modes, weights_are_rounded_to_nearest)
{
    static f2l_choices c;
    mpq_t third, two;
    mpq_inits(third, two, (mpq_ptr)NULL);
    mpq_set_si(third, -1, 3);
    mpq_set_ui(two, 2, 1);
    for (const f2l_format *entry = f2l_formats; entry->name; entry++)
        for (int mode = F2L_ROUND_NEAREST_EVEN; mode <= F2L_ROUND_STOCHASTIC; mode++) {
            f2l_format f = *entry;
            f.rounding = (f2l_rounding)mode;
            f.choices = &c;
            f2l_choices_restart(&c);
            cr_assert_eq(f2l_format_round_q(&f, third), f2l_format_round_q(entry, third));
            cr_assert_eq(f2l_format_round_over_sqrt(&f, third, two),
                         f2l_format_round_over_sqrt(entry, third, two));
            cr_assert_not(f2l_format_holds(&f, third));
            cr_assert(f2l_format_holds(&f, two));
            cr_assert_eq(c.at, 0);
        }
    mpq_clears(third, two, (mpq_ptr)NULL);
}

/* A flushing format rounds to `precision` bits first, in every rounding. */
Test(format_modes, flushing)
{
    f2l_format f = strange[FLUSH];
    const double below = 0x1.ffp-127;
    f.rounding = F2L_ROUND_UP;
    cr_assert_eq(f2l_format_round(&f, 0x1.fe1p-127), 0x1p-126);
    cr_assert_eq(f2l_format_round(&f, 0x1.fep-127), 0); /* 8 bits */
    cr_assert_eq(bits_of(f2l_format_round(&f, -0x1.fe1p-127)), 0);
    f.rounding = F2L_ROUND_TOWARD_ZERO;
    cr_assert_eq(f2l_format_round(&f, below), 0);
    f.rounding = F2L_ROUND_DOWN;
    cr_assert_eq(f2l_format_round(&f, -below), -0x1p-126);
}

/* Returns whether every value of b is a value of a, by trying all of them. */
static bool contains_all(const f2l_format *a, const f2l_format *b)
{
    const uint64_t count = count_values(b);
    for (uint64_t n = 0; n < count; n++) {
        const double x = nth_value(b, n);
        if (f2l_format_round(a, x) != x) return false;
    }
    return true;
}

Test(format_modes, values_of_one_format_in_another)
{
    static const struct {
        const char *a, *b;
        bool contains;
    } known[] = {{"fp64", "fp32", true},  {"fp32", "bf16", true},  {"fp32", "fp16", true},
                 {"fp32", "tf32", true},  {"tf32", "fp16", true},  {"tf32", "bf16", true},
                 {"fp16", "e5m2", true},  {"fp16", "e4m3", true},  {"bf16", "e4m3", true},
                 {"bf16", "fp16", false}, {"fp16", "bf16", false}, {"fp16", "tf32", false},
                 {"e4m3", "e5m2", false}, {"e5m2", "e4m3", false}, {"fp32", "fp64", false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_assert_eq(f2l_format_contains(f2l_format_find(known[i].a), f2l_format_find(known[i].b)),
                     known[i].contains);
    f2l_rng r;
    f2l_rng_init(&r, 21, 12); /* the seed */
    size_t seen[2] = {0};
    for (size_t i = 0; i < repetitions(20000); i++) {
        f2l_format f[2];
        for (int k = 0; k < 2; k++) {
            const int p = 2 + (int)f2l_rng_below(&r, 4), emin = -2 + (int)f2l_rng_below(&r, 4);
            const int emax = emin + (int)f2l_rng_below(&r, 3);
            const double top = ldexp(1, p - 1) + (double)f2l_rng_below(&r, UINT64_C(1) << (p - 1));
            f[k] = (f2l_format){"random",
                                p,
                                emin,
                                emax,
                                ldexp(top, emax - p + 1),
                                f2l_rng_below(&r, 2) == 1,
                                F2L_OVERFLOW_NAN,
                                TO_NEAREST};
        }
        const bool found = f2l_format_contains(&f[0], &f[1]);
        seen[found]++;
        cr_assert_eq(found, contains_all(&f[0], &f[1]), "p %d, %d..%d, %a; p %d, %d..%d, %a",
                     f[0].precision, f[0].emin, f[0].emax, f[0].largest, f[1].precision, f[1].emin,
                     f[1].emax, f[1].largest);
        if (f2l_format_same_values(&f[0], &f[1]))
            cr_assert(found && f2l_format_contains(&f[1], &f[0]));
    }
    cr_assert(seen[0] > 10 && seen[1] > 10);
    for (const f2l_format *a = f2l_formats; a->name; a++)
        for (const f2l_format *b = f2l_formats; b->name; b++) {
            cr_assert_eq(f2l_format_same_values(a, b), a == b);
            if (a == b) cr_assert(f2l_format_contains(a, b));
        }
    f2l_format saturating = with("e4m3", F2L_OVERFLOW_SATURATE, F2L_ROUND_UP);
    cr_assert(f2l_format_same_values(&saturating, f2l_format_find("e4m3")));
    saturating.subnormals = false;
    cr_assert_not(f2l_format_same_values(&saturating, f2l_format_find("e4m3")));
}
