/* n = 1: S <- S - beta u (u S) + b, over all weights of a small format, or over weights of few
 * bits. The signs of u and of (S, b) together change nothing, so u > 0 and b >= 0. */
#include "numeric/base/mem.h"
#include "theory/obstruct/parity/impl.h"
#include <stdio.h>
#include <stdlib.h>

/* Positive numbers sorted by bits; the numbers of b bits are number[at[b]] .. number[at[b + 1] -
 * 1]. */
typedef struct pool {
    double *number;
    size_t count, capacity;
    size_t at[26];
} pool;

static f2l_status push_number(pool *p, double x, f2l_error *err)
{
    if (!f2l_grow((void **)&p->number, &p->capacity, p->count, sizeof *p->number))
        return f2l_fail_memory(err);
    p->number[p->count++] = x;
    return F2L_OK;
}

static int by_bits(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    const unsigned p = f2l_psd_odd_bits(x), q = f2l_psd_odd_bits(y);
    if (p != q) return p < q ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort(pool *p)
{
    if (p->count > 1) qsort(p->number, p->count, sizeof *p->number, by_bits);
    for (unsigned b = 0, i = 0; b < 26; b++) {
        while (i < p->count && f2l_psd_odd_bits(p->number[i]) < b) i++;
        p->at[b] = i;
    }
}

/* Adds the values of the format of at most `bits` bits from 2^from up to below 2^(to + 1). */
static f2l_status fill_value_pool(pool *p, const f2l_format *format, int from, int to,
                                  unsigned bits, f2l_error *err)
{
    f2l_status status = F2L_OK;
    const double least = ldexp(1, format->emin - (format->subnormals ? format->precision - 1 : 0));
    if (bits > (unsigned)format->precision) bits = (unsigned)format->precision;
    for (int e = from; e <= to; e++) {
        for (unsigned long m = 1ul << (bits - 1); m < 1ul << bits && status == F2L_OK; m++) {
            const double x = ldexp((double)m, e - (int)bits + 1);
            if (x < least || x > format->largest || f2l_format_round(format, x) != x) continue;
            status = push_number(p, x, err);
        }
    }
    return status;
}

bool f2l_psd_is_small(const f2l_format *format)
{
    const int binades = format->emax - format->emin + (format->subnormals ? 2 : 1);
    return format->precision <= 8 && binades <= 256 && (binades << format->precision) <= 256;
}

typedef struct scalar {
    f2l_psd_run *run;
    bool small;
    pool u, beta, bias; /* the bias 0 is tried separately */
    /* small formats: all values, increasing; the image of each; visits of the present walk. */
    double *value;
    size_t values;
    uint32_t *next, *seen;
} scalar;

static void clear_scalar_search(scalar *s)
{
    f2l_free(s->u.number);
    f2l_free(s->beta.number);
    f2l_free(s->bias.number);
    f2l_free(s->value);
    f2l_free(s->next);
    f2l_free(s->seen);
}

static f2l_status make_small(scalar *s)
{
    const f2l_format *format = s->run->format;
    const int bottom = format->emin - (format->subnormals ? format->precision - 1 : 0);
    const unsigned bits = (unsigned)format->precision;
    f2l_status status = fill_value_pool(&s->u, format, bottom, format->emax, bits, s->run->err);
    if (status == F2L_OK)
        status = fill_value_pool(&s->beta, format, bottom, format->emax, bits, s->run->err);
    if (status == F2L_OK)
        status = fill_value_pool(&s->bias, format, bottom, format->emax, bits, s->run->err);
    if (status != F2L_OK) return status;
    s->values = 2 * s->u.count + 1;
    s->value = f2l_calloc(s->values, sizeof *s->value);
    s->next = f2l_calloc(s->values, sizeof *s->next);
    s->seen = f2l_calloc(s->values, sizeof *s->seen);
    if (!s->value || !s->next || !s->seen) return f2l_fail_memory(s->run->err);
    for (size_t i = 0; i < s->u.count; i++) { /* increasing before they are sorted by bits */
        s->value[s->u.count + 1 + i] = s->u.number[i];
        s->value[s->u.count - 1 - i] = -s->u.number[i];
    }
    return F2L_OK;
}

/* Fills the pools. Steps of normal numbers keep their form when S and b, or u and then beta, are
 * scaled by powers of two: u in [1/2, 8), beta u^2 in (1/64, 1], b = 0, b in [1, 2), or b at the
 * bottom of the format. */
static f2l_status make_few(scalar *s)
{
    const f2l_format *format = s->run->format;
    const unsigned bits = s->run->options->bits ? s->run->options->bits : 9;
    const int bottom = format->emin - (format->subnormals ? format->precision - 1 : 0);
    f2l_status status = fill_value_pool(&s->u, format, -1, 2, bits, s->run->err);
    if (status == F2L_OK) status = fill_value_pool(&s->beta, format, -12, 2, bits, s->run->err);
    if (status == F2L_OK) status = fill_value_pool(&s->bias, format, 0, 0, bits, s->run->err);
    if (status == F2L_OK && format->subnormals)
        status = fill_value_pool(&s->bias, format, bottom, bottom + 3, bits, s->run->err);
    return status;
}

/* Tries even cycles of the map over all values of a small format. */
static f2l_status try_all(scalar *s, f2l_psd_weights *w)
{
    const f2l_psd_run *run = s->run;
    for (size_t i = 0; i < s->values; i++) {
        double x = s->value[i];
        s->next[i] = UINT32_MAX;
        s->seen[i] = 0;
        if (!f2l_psd_step(&x, w, run->format, run->schedule, NULL)) continue;
        size_t low = 0, high = s->values - 1;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (s->value[middle] < x)
                low = middle + 1;
            else
                high = middle;
        }
        s->next[i] = (uint32_t)low;
    }
    for (size_t i = 0; i < s->values; i++) {
        uint32_t at = (uint32_t)i, period = 0;
        while (at != UINT32_MAX && s->seen[at] == 0) {
            s->seen[at] = (uint32_t)i + 1;
            at = s->next[at];
        }
        if (at == UINT32_MAX || s->seen[at] != i + 1) continue;
        for (uint32_t c = s->next[at]; period == 0 || c != s->next[at]; c = s->next[c]) period++;
        if (period % 2) continue;
        if (!f2l_psd_orbit(w, &s->value[at], run->format, run->schedule)) {
            run->out->exhaustive = false; /* too long to keep */
            continue;
        }
        f2l_status status = f2l_psd_take(s->run, w);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

/* Returns the value `steps` values above x. */
static double neighbour(double x, int steps, const f2l_format *format)
{
    int exponent;
    if (x == 0) return 0;
    (void)frexp(x, &exponent);
    const int least = format->emin - format->precision + 1, e = exponent - format->precision;
    return f2l_format_round(format, x + ldexp(steps, e > least ? e : least));
}

/* Tries orbits that start near the fixed point of exact arithmetic, or at the smallest numbers when
 * there is no bias. */
static f2l_status try_some(scalar *s, f2l_psd_weights *w)
{
    const f2l_format *format = s->run->format;
    const double least = ldexp(1, format->emin - (format->subnormals ? format->precision - 1 : 0));
    const double centre = f2l_format_round(format, w->bias[0] / (w->beta * w->u[0] * w->u[0]));
    for (int at = s->small ? -17 : 0; at < 17; at++) { /* small formats try both */
        const int step = at < 0 ? at + 9 : at - 8;
        const double start = at < 0 || (!s->small && w->bias[0] < 1)
                                 ? step * least
                                 : neighbour(centre, step, format);
        if (!isfinite(start) || !f2l_psd_orbit(w, &start, format, s->run->schedule)) continue;
        f2l_status status = f2l_psd_take(s->run, w);
        if (status != F2L_OK) return status;
    }
    return F2L_OK;
}

static f2l_status try_weights(scalar *s, double u, double beta, double bias)
{
    f2l_psd_weights w = {.n = 1, .beta = beta, .u = {u}, .bias = {bias}};
    const double shrink = beta * u * u; /* rounded; the class is decided exactly near its end */
    if (shrink > 1.001 || (shrink > 0.999 && !f2l_psd_in_class(&w))) return F2L_OK;
    if (!s->small && shrink < 1.0 / 64) return F2L_OK;
    f2l_status status = f2l_psd_count(s->run);
    if (status != F2L_OK) return status;
    return s->small && s->run->schedule->state == F2L_WIDTH_FORMAT ? try_all(s, &w)
                                                                   : try_some(s, &w);
}

/* Tries all choices with these numbers of bits in u, in beta and in b. */
static f2l_status try_bits(scalar *s, unsigned u, unsigned beta, unsigned bias)
{
    f2l_status status = F2L_OK;
    const double none = 0;
    const double *b = bias == 0 ? &none : s->bias.number + s->bias.at[bias];
    const size_t biases = bias == 0 ? 1 : s->bias.at[bias + 1] - s->bias.at[bias];
    for (size_t i = s->u.at[u]; i < s->u.at[u + 1]; i++)
        for (size_t j = s->beta.at[beta]; j < s->beta.at[beta + 1]; j++)
            for (size_t k = 0; k < biases && status == F2L_OK; k++)
                status = try_weights(s, s->u.number[i], s->beta.number[j], b[k]);
    return status;
}

static f2l_status try_everything(scalar *s)
{
    const unsigned p = (unsigned)s->run->format->precision;
    const unsigned asked = s->run->options->bits ? s->run->options->bits : 9,
                   most = s->small ? 3 * p : asked;
    f2l_status status = F2L_OK;
    for (unsigned bits = 2; bits <= most && status == F2L_OK; bits++) {
        for (unsigned u = 1; u < bits && u <= p; u++)
            for (unsigned beta = 1; u + beta <= bits && beta <= p && status == F2L_OK; beta++)
                if (bits - u - beta <= p) status = try_bits(s, u, beta, bits - u - beta);
        if (s->run->out->normal.n) break; /* then there is one of fewest bits, too */
    }
    return status;
}

f2l_status f2l_psd_search_scalar(f2l_psd_run *run)
{
    scalar s = {.run = run, .small = f2l_psd_is_small(run->format)};
    run->out->exhaustive = s.small && run->schedule->state == F2L_WIDTH_FORMAT;
    f2l_status status = s.small ? make_small(&s) : make_few(&s);
    if (status == F2L_OK) {
        sort(&s.u), sort(&s.beta), sort(&s.bias);
        status = try_everything(&s);
    }
    clear_scalar_search(&s);
    if (s.small)
        snprintf(run->out->searched, sizeof run->out->searched,
                 "all u > 0, beta, b >= 0 of the format with beta u^2 <= 1, by increasing bits%s",
                 run->out->exhaustive ? ", all states"
                                      : "; H_0 within 8 values of 0 and of the exact fixed point");
    else
        snprintf(
            run->out->searched, sizeof run->out->searched,
            "u in [1/2, 8), 1/64 <= beta u^2 <= 1, b in [1, 2) or below 16 times the least number, "
            "%u bits together at most; H_0 within 8 values of the exact fixed point, of 0 where b "
            "< 1",
            run->options->bits ? run->options->bits : 9);
    return status;
}
