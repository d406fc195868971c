#include "numeric/base/rng.h"
#include "theory/obstruct/parity/impl.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool format_holds_all(const f2l_format *format, const double *x, size_t n)
{
    bool held = true;
    assert(n <= F2L_PSD_KEY);
    for (size_t i = 0; i < n; i++) held = held && f2l_format_round(format, x[i]) == x[i];
    return held;
}

/* Uses theory/pages/parity.md, P7, with steps of 2^e: C/2 + S_2 - C/2 is S_2 rounded to the
 * multiples of 2^e in fp32 when C = 2^(e + 24), and 2^-j S is when it is subnormal there, j = e +
 * 149. */
f2l_status f2l_psd_try_staircase(f2l_psd_run *run)
{
    const f2l_format *format = run->format;
    for (int e = 0; e >= -127; e--) {
        const double step = ldexp(1, e), large = ldexp(1, e + 24);
        f2l_psd_weights w = {
            .n = run->out->n, .beta = 0.5, .u = {0.5, 1, -0.5}, .bias = {0, step / 4, 0}};
        const double three[] = {large, step / 2, large}, one[F2L_PSD_KEY] = {step / 2};
        const double *start = w.n == 1 ? one : three;
        if (w.n == 1) {
            w.beta = ldexp(1, 2 * (e + 149) - 1);
            w.u[0] = ldexp(1, -(e + 149));
            w.bias[0] = step / 4;
        }
        if (!format_holds_all(format, start, w.n) || !format_holds_all(format, w.bias, w.n) ||
            !format_holds_all(format, w.u, w.n) || !format_holds_all(format, &w.beta, 1))
            continue;
        run->out->weights++;
        if (f2l_psd_orbit(&w, start, format, run->schedule)) return f2l_psd_take(run, &w);
    }
    return F2L_OK;
}

f2l_status f2l_psd_search_edge(f2l_psd_run *run)
{
    const f2l_format *format = run->format;
    const double unit = ldexp(1, 1 - format->precision);
    f2l_status status = F2L_OK;
    for (uint64_t m = 0; m < UINT64_C(1) << (format->precision - 1); m++) {
        const double u = 1 + (double)m * unit;
        for (double beta = f2l_format_round(format, 1 / (u * u) * (1 - 2 * unit)); beta * u * u < 1;
             beta += unit / 4) {
            const double middle = unit / 2 / (1 - beta * u * u);
            if (f2l_format_round(format, beta) != beta || !(middle < 4)) continue;
            for (int k = -32; k <= 32 && status == F2L_OK; k++) {
                f2l_psd_weights w = {.n = 1, .beta = beta, .u = {u}};
                w.bias[0] = f2l_format_round(format, middle + k * unit);
                if (w.bias[0] <= 0 || !f2l_psd_in_class(&w)) continue;
                status = f2l_psd_count(run);
                if (status == F2L_OK && f2l_psd_orbit(&w, w.bias, format, run->schedule))
                    status = f2l_psd_take(run, &w);
            }
        }
    }
    return status;
}

/* Returns a value of the format with its leading bit between 2^from and 2^to, of at most `bits`
 * random bits. */
static double draw_format_value(f2l_rng *rng, const f2l_format *format, int from, int to,
                                unsigned bits)
{
    const int e = from + (int)f2l_rng_below(rng, (uint64_t)((int64_t)to - from + 1));
    const double m =
        1 + (double)f2l_rng_below(rng, UINT64_C(1) << (bits - 1)) * ldexp(1, 1 - (int)bits);
    return f2l_format_round(format, f2l_rng_below(rng, 2) ? ldexp(m, e) : -ldexp(m, e));
}

/* Sets the bias so that the start leads back to itself as nearly as the format allows, and then
 * moves it by a few units. */
static bool aim(f2l_psd_weights *w, const double *start, const f2l_psd_run *run, f2l_rng *rng)
{
    double next[F2L_PSD_KEY] = {0};
    assert(w->n <= F2L_PSD_KEY);
    for (size_t i = 0; i < w->n; i++) next[i] = start[i];
    if (!f2l_psd_step(next, w, run->format, run->schedule, NULL)) return false;
    for (size_t i = 0; i < w->n; i++) {
        int exponent;
        const double gap = start[i] - next[i];
        (void)frexp(gap, &exponent);
        const double unit = ldexp(1, exponent - run->format->precision);
        w->bias[i] =
            f2l_format_round(run->format, gap + unit * ((double)f2l_rng_below(rng, 5) - 2));
        if (!isfinite(w->bias[i])) return false;
    }
    return true;
}

f2l_status f2l_psd_search_random(f2l_psd_run *run)
{
    const f2l_format *format = run->format;
    const uint64_t trials = run->options->random ? run->options->random : 1000000;
    const int low = format->emin > -20 ? format->emin : -20,
              high = format->emax < 20 ? format->emax : 20;
    f2l_rng rng;
    f2l_rng_init(&rng, run->options->seed, run->out->n);
    f2l_status status = F2L_OK;
    for (uint64_t t = 0; t < trials && status == F2L_OK; t++) {
        const unsigned bits = 1 + (unsigned)f2l_rng_below(&rng, (uint64_t)format->precision);
        f2l_psd_weights w = {.n = run->out->n};
        double start[F2L_PSD_KEY] = {0}, length2 = 0;
        for (size_t i = 0; i < w.n; i++) {
            w.u[i] = draw_format_value(&rng, format, -4 > low ? -4 : low, 1, bits);
            start[i] = draw_format_value(&rng, format, low / 2, high, (unsigned)format->precision);
            length2 += isfinite(start[i]) ? w.u[i] * w.u[i] : NAN; /* e4m3 has no infinity to round
                                                                      to */
        }
        /* cast: only a matrix that rounding makes indefinite could do it, so the eigenvalue is
         * nearly 0 (P5) */
        const double share = run->schedule->exact_matrices
                                 ? 1 - ldexp((double)f2l_rng_below(&rng, 4), -format->precision)
                                 : fabs(draw_format_value(&rng, format, -3, -1, bits));
        w.beta = f2l_format_round(format, share / length2);
        if (!isfinite(w.beta) || !f2l_psd_in_class(&w) || !aim(&w, start, run, &rng)) continue;
        status = f2l_psd_count(run);
        if (status == F2L_OK && f2l_psd_orbit(&w, start, format, run->schedule))
            status = f2l_psd_take(run, &w);
    }
    snprintf(run->out->searched, sizeof run->out->searched,
             "at random, seed %llu: |u_i| in [1/16, 4), beta u^T u <= 1, |S_i| from 2^%d to 2^%d, "
             "b within two units of what leads H_0 back",
             (unsigned long long)run->options->seed, low / 2, high + 1);
    return status;
}

/* Returns what theory/pages/parity.md excludes. */
static const char *excluded(const f2l_format *format, const f2l_schedule *schedule, size_t n)
{
    if (schedule->exact_matrices && n == 1) return "theory/pages/parity.md, P4";
    /* no product of four values leaves the normal numbers of fp32 */
    const bool inside =
        4 * (format->emin - format->precision + 1) >= -126 && 4 * (format->emax + 1) <= 128;
    if (f2l_schedule_stores(schedule) && n == 1 && format->precision <= 8 && inside)
        return "theory/pages/parity.md, P6";
    return NULL;
}

static f2l_status search_psd_weights(f2l_psd_run *run)
{
    f2l_psd_result *out = run->out;
    const bool wide = f2l_schedule_stores(run->schedule);
    f2l_status status = F2L_OK;
    if (wide && out->n != 2) status = f2l_psd_try_staircase(run);
    const bool constructed = out->verdict == F2L_PSD_FOUND;
    if (status == F2L_OK && out->n == 1) status = f2l_psd_search_scalar(run);
    if (status == F2L_OK && out->n == 1 && wide && run->format->precision > 8 &&
        run->format->precision < 13)
        status = f2l_psd_search_edge(run);
    if (wide && out->n == 1 && run->format->precision > 8 && run->format->precision < 13) {
        const size_t used = strlen(out->searched);
        snprintf(out->searched + used, sizeof out->searched - used, "; all bits near beta u^2 = 1");
    }
    if (status == F2L_OK && out->n > 1 && !constructed) status = f2l_psd_search_random(run);
    if (constructed) snprintf(out->why, sizeof out->why, "constructed: theory/pages/parity.md, P7");
    return status;
}

f2l_status f2l_psd_search(f2l_psd_result *out, const f2l_format *format,
                          const f2l_schedule *schedule, size_t n, const f2l_psd_options *options,
                          const f2l_task *task, f2l_error *err)
{
    static const f2l_psd_options usual = {0};
    *out = (f2l_psd_result){.n = n, .verdict = F2L_PSD_NONE_FOUND};
    if (n == 0 || n > F2L_PSD_KEY || format->precision > 24 ||
        format->rounding != F2L_ROUND_NEAREST_EVEN || !f2l_schedule_steps(schedule) ||
        !f2l_schedule_is_plain(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "no search for n = %zu in %s, %s", n, format->name,
                        schedule->name);
    f2l_status status = f2l_schedule_check(schedule, format, err);
    if (status != F2L_OK) return status;
    if (!options) options = &usual;
    const char *why = excluded(format, schedule, n);
    if (why) snprintf(out->why, sizeof out->why, "%s", why);
    if (why) out->verdict = F2L_PSD_NONE_EXISTS;
    if (why && !options->try_anyway) return F2L_OK;
    f2l_psd_run run = {out, format, schedule, options, task, err};
    status = search_psd_weights(&run);
    if (status == F2L_OK && out->verdict == F2L_PSD_NONE_FOUND && out->exhaustive) {
        out->verdict = F2L_PSD_NONE_EXISTS;
        snprintf(out->why, sizeof out->why, "all weights and states of the format were tried");
    }
    return status;
}
