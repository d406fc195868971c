#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/obstruct/parity/psd_parity.h"
#include <stdio.h>
#include <stdlib.h>

#define EVEN_ODD_SHA "fb220184fb29bbdb9fe6ea2fa4299c48f4cd76798f19186f7fb38060a997805f"

/* beta = 11/16, u = (141/512, 123/128) and a bias (theory/pages/parity.md, P10). */
static const f2l_psd_weights hardware = {
    .n = 2, .beta = 11.0 / 16, .u = {141.0 / 512, 123.0 / 128}, .bias = {-65.0 / 256, -55.0 / 64}};
static const double hardware_start[] = {-207.0 / 64, -55.0 / 128};

static char *file_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    cr_assert(file != NULL, "%s", path);
    char *text = calloc(1, 65536);
    cr_assert(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void read_example(f2l_net *net, const char *path)
{
    f2l_error err = {0};
    char *text = file_text(path);
    f2l_net_init(net);
    f2l_status status = f2l_net_read(net, text, strlen(text), &err);
    cr_assert(status == F2L_OK, "%zu:%zu: %s", err.line, err.column, err.text);
    cr_assert_str_eq(net->fsa_sha256, EVEN_ODD_SHA);
    free(text);
}

static void automaton(f2l_fsa *fsa)
{
    char hex[65];
    f2l_fsa_init(fsa);
    cr_assert(f2l_psd_automaton(fsa, NULL) == F2L_OK && f2l_fsa_sha256(fsa, hex, NULL) == F2L_OK);
    cr_assert_str_eq(hex, EVEN_ODD_SHA);
}

static void close_in(f2l_closure *c, const f2l_net *net, const f2l_fsa *fsa, const char *format,
                     const char *schedule)
{
    f2l_error err = {0};
    f2l_closure_init(c);
    cr_assert(f2l_closure_float(c, net, fsa, f2l_format_find(format), f2l_schedule_find(schedule),
                                0, NULL, &err) == F2L_OK,
              "%s", err.text);
}

static void expect_verified(const f2l_net *net, const f2l_fsa *fsa, const char *format,
                            const char *schedule, size_t rows)
{
    f2l_closure c;
    close_in(&c, net, fsa, format, schedule);
    cr_expect(c.verdict == F2L_OK && c.rows == rows, "%s, %s: %s, %zu rows", format, schedule,
              f2l_status_name(c.verdict), c.rows);
    f2l_closure_clear(&c);
}

static void expect_refuted(const f2l_net *net, const f2l_fsa *fsa, const char *format,
                           const char *schedule, size_t length)
{
    f2l_closure c;
    close_in(&c, net, fsa, format, schedule);
    cr_expect(c.verdict == F2L_REFUTED && c.word_length == length, "%s, %s: %s, %zu letters",
              format, schedule, f2l_status_name(c.verdict), c.word_length);
    for (size_t t = 0; t < c.word_length; t++) cr_expect(c.word[t] == 1);
    f2l_closure_clear(&c);
}

/* The example's automaton equals the one that is built here. */
Test(psd_parity, the_automaton_is_the_example)
{
    f2l_fsa fsa, file;
    char hex[65], *text = file_text("examples/parity.fsa");
    automaton(&fsa);
    fsa_from_text(&file, text);
    cr_assert(f2l_fsa_sha256(&file, hex, NULL) == F2L_OK);
    cr_assert_str_eq(hex, EVEN_ODD_SHA);
    f2l_fsa_clear(&fsa);
    f2l_fsa_clear(&file);
    free(text);
}

Test(psd_parity, one_positive_factor_counts_in_bf16)
{
    f2l_net net, made;
    f2l_fsa fsa;
    f2l_closure c;
    f2l_psd_weights w = hardware;
    f2l_buf text;
    automaton(&fsa);
    read_example(&net, "examples/parity-psd.lrnn");
    cr_assert(net.layer[0].head[0].raw && net.layer[0].head[0].letter[0].factors == 0);
    expect_verified(&net, &fsa, "bf16", "every", 2);
    expect_verified(&net, &fsa, "bf16", "fma", 2);
    expect_verified(&net, &fsa, "e5m2", "every", 3);
    static const char *const others[] = {"e4m3", "fp16", "tf32", "fp32", "fp64"};
    for (size_t i = 0; i < 5; i++) expect_refuted(&net, &fsa, others[i], "every", 1);
    expect_refuted(&net, &fsa, "bf16", "acc32", 1);
    expect_refuted(&net, &fsa, "bf16", "recurrent", 1);
    expect_refuted(&net, &fsa, "bf16", "cast", 1);
    f2l_closure_init(&c);
    cr_assert(f2l_closure_exact(&c, &net, &fsa, 0, NULL, NULL) == F2L_OK);
    cr_assert(c.verdict == F2L_REFUTED && c.word_length == 1 && c.word[0] == 1);
    f2l_closure_clear(&c);
    /* the search's arithmetic finds the same codes, which make the same network */
    cr_assert(
        f2l_psd_orbit(&w, hardware_start, f2l_format_find("bf16"), f2l_schedule_find("every")));
    cr_assert(w.states == 2 && w.tail == 0 && !w.subnormal && w.state[1][0] == -207.0 / 64 &&
              w.state[1][1] == -109.0 / 256);
    f2l_net_init(&made);
    f2l_buf_init(&text);
    cr_assert(f2l_psd_network(&made, &w, NULL) == F2L_OK &&
              f2l_net_write(&text, &made, NULL) == F2L_OK);
    char *file = file_text("examples/parity-psd.lrnn");
    cr_assert_str_eq(text.data, file);
    cr_assert(
        !f2l_psd_orbit(&w, hardware_start, f2l_format_find("fp16"), f2l_schedule_find("every")));
    cr_assert(
        !f2l_psd_orbit(&w, hardware_start, f2l_format_find("fp32"), f2l_schedule_find("every")));
    free(file);
    f2l_buf_clear(&text);
    f2l_net_clear(&net);
    f2l_net_clear(&made);
    f2l_fsa_clear(&fsa);
}

/* With beta = 7/4 the sign alternates down to the smallest number, which stays. */
Test(psd_parity, a_negative_eigenvalue_counts_by_its_sign)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_closure c;
    automaton(&fsa);
    read_example(&net, "examples/parity-decay.lrnn");
    expect_verified(&net, &fsa, "fp16", "every", 57);
    expect_verified(&net, &fsa, "bf16", "every", 318);
    expect_verified(&net, &fsa, "fp32", "every", 358);
    expect_verified(&net, &fsa, "e4m3", "every", 18);
    f2l_closure_init(&c); /* -3/4 is not a code, and exact decoding accepts only codes
                             (theory/pages/parity.md, P9) */
    cr_assert(f2l_closure_exact(&c, &net, &fsa, 0, NULL, NULL) == F2L_OK);
    cr_assert(c.verdict == F2L_REFUTED && c.word_length == 1);
    f2l_closure_clear(&c);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* In every format and schedule, steps are the library's. */
Test(psd_parity, steps_are_those_of_the_schedules)
{
    static const char *const formats[] = {"e4m3", "e5m2", "bf16", "fp16", "tf32", "fp32"};
    static const char *const schedules[] = {"every", "fma", "acc32", "recurrent", "cast"};
    f2l_rng rng;
    f2l_rng_init(&rng, 501, 0);
    size_t compared = 0;
    for (size_t t = 0; t < 6000; t++) {
        const f2l_format *format = f2l_format_find(formats[t % 6]);
        const f2l_schedule *schedule = f2l_schedule_find(schedules[t / 6 % 5]);
        if (schedule == NULL) continue;
        f2l_psd_weights w = {.n = 1 + f2l_rng_below(&rng, 3), .states = 1};
        double *state = w.state[0], length2 = 0;
        for (size_t i = 0; i < w.n; i++) {
            const int wide = t % 4 == 0 ? 12 : 3;
            double *numbers[] = {&w.u[i], &w.bias[i], &state[i]};
            for (size_t k = 0; k < 3; k++) {
                const double m = (double)f2l_rng_below(&rng, 4096) - 2048;
                *numbers[k] = f2l_format_round(
                    format, ldexp(m, -11 + (int)f2l_rng_below(&rng, (uint64_t)wide)));
                if (!isfinite(*numbers[k])) *numbers[k] = 1;
            }
            if (w.u[i] == 0) w.u[i] = 1;
            if (f2l_rng_below(&rng, 3) == 0) w.bias[i] = 0;
            length2 += w.u[i] * w.u[i];
        }
        w.beta = f2l_format_round(format, 0.875 / length2);
        f2l_net net;
        f2l_float_net *run;
        f2l_error err = {0};
        double mine[3] = {state[0], state[1], state[2]}, theirs[3] = {state[0], state[1], state[2]};
        f2l_net_init(&net);
        if (w.beta == 0 || f2l_psd_network(&net, &w, NULL) != F2L_OK) continue;
        cr_assert(f2l_float_net_new(&run, &net, format, schedule, &err) == F2L_OK, "%s", err.text);
        for (size_t k = 0; k < 4; k++) {
            if (!f2l_psd_step(mine, &w, format, schedule, NULL)) break;
            f2l_float_step_layer(run, 0, 1, theirs, NULL);
            for (size_t i = 0; i < w.n; i++)
                cr_assert(mine[i] == theirs[i], "seed 501, case %zu: %s, %s, n = %zu: %a, not %a",
                          t, format->name, schedule->name, w.n, mine[i], theirs[i]);
            compared++;
        }
        f2l_float_net_free(run);
        f2l_net_clear(&net);
    }
    cr_assert(compared > 10000, "%zu", compared);
}

static f2l_psd_result search(const char *format, const char *schedule, size_t n,
                             const f2l_psd_options *options)
{
    f2l_psd_result out;
    f2l_error err = {0};
    char name[F2L_FORMAT_NAME];
    f2l_format parsed;
    cr_assert(f2l_format_parse(&parsed, name, format, &err) == F2L_OK, "%s", err.text);
    cr_assert(f2l_psd_search(&out, &parsed, f2l_schedule_find(schedule), n, options, NULL, &err) ==
                  F2L_OK,
              "%s", err.text);
    return out;
}

static void expect_orbit(const f2l_psd_weights *w, const char *format, const char *schedule)
{
    f2l_net net;
    f2l_fsa fsa;
    f2l_net_init(&net);
    automaton(&fsa);
    cr_assert(f2l_psd_network(&net, w, NULL) == F2L_OK);
    expect_verified(&net, &fsa, format, schedule, w->states);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

Test(psd_parity, finds_small_networks)
{
    static const struct {
        const char *format, *schedule;
        unsigned fewest, normal;
    } cases[] = {{"bf16", "every", 3, 7}, {"fp16", "every", 3, 7},     {"fp32", "every", 3, 6},
                 {"fp16", "fma", 3, 8},   {"fp32", "recurrent", 3, 6}, {"fp16", "recurrent", 6, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const f2l_psd_result r = search(cases[i].format, cases[i].schedule, 1, NULL);
        cr_expect(r.verdict == F2L_PSD_FOUND && r.fewest.bits == cases[i].fewest &&
                      r.normal.bits == cases[i].normal,
                  "%s, %s: %u and %u bits", cases[i].format, cases[i].schedule, r.fewest.bits,
                  r.normal.bits);
        cr_expect(f2l_psd_bits(&r.fewest) == r.fewest.bits && !r.normal.subnormal &&
                  r.fewest.n == 1);
        expect_orbit(&r.fewest, cases[i].format, cases[i].schedule);
        expect_orbit(&r.normal, cases[i].format, cases[i].schedule);
    }
}

/* P7 is constructed as staircases of fp32 sums. */
Test(psd_parity, constructs_staircases)
{
    static const char *const formats[] = {"bf16", "fp16", "tf32", "e5m2"};
    for (size_t i = 0; i < 4; i++) {
        const f2l_psd_result r = search(formats[i], "acc32", 3, NULL);
        cr_expect(r.verdict == F2L_PSD_FOUND && r.fewest.bits == 5 && r.normal.n == 3, "%s",
                  formats[i]);
        cr_expect(strstr(r.why, "P7") != NULL);
        expect_orbit(&r.fewest, formats[i], "acc32");
    }
    const f2l_psd_options few = {.bits = 3};
    const f2l_psd_result r = search("bf16", "acc32", 1, &few);
    cr_expect(r.verdict == F2L_PSD_FOUND && r.fewest.bits == 3 && r.normal.n == 0);
    expect_orbit(&r.fewest, "bf16", "acc32");
}

/* No weights and states of a format of 4 binades do what the theorems exclude. */
Test(psd_parity, what_is_excluded_is_not_there)
{
    const f2l_psd_options anyway = {.try_anyway = true};
    static const char tiny[] = "p=3,emin=-2,emax=2";
    f2l_psd_result r = search(tiny, "cast", 1, &anyway);
    cr_expect(r.verdict == F2L_PSD_NONE_EXISTS && r.exhaustive && r.weights > 500 &&
              r.fewest.n == 0);
    r = search(tiny, "acc32", 1, &anyway);
    cr_expect(r.verdict == F2L_PSD_NONE_EXISTS && r.exhaustive && r.weights > 500 &&
              r.fewest.n == 0);
    r = search(tiny, "every", 1, NULL);
    cr_expect(r.verdict == F2L_PSD_FOUND && r.exhaustive && r.fewest.bits > 0);
    r = search("e4m3", "cast", 1, NULL);
    cr_expect(r.verdict == F2L_PSD_NONE_EXISTS && r.weights == 0 && strstr(r.why, "P4") != NULL);
    r = search("e5m2", "acc32", 1, NULL);
    cr_expect(r.verdict == F2L_PSD_NONE_EXISTS && r.weights == 0 && strstr(r.why, "P6") != NULL);
}

Test(psd_parity, refuses_what_it_cannot_search)
{
    f2l_psd_result out;
    f2l_error err = {0};
    const f2l_schedule *every = f2l_schedule_find("every");
    cr_expect(f2l_psd_search(&out, f2l_format_find("fp64"), every, 1, NULL, NULL, &err) ==
              F2L_EDOMAIN);
    cr_expect(f2l_psd_search(&out, f2l_format_find("bf16"), every, 0, NULL, NULL, &err) ==
              F2L_EDOMAIN);
    cr_expect(f2l_psd_search(&out, f2l_format_find("bf16"), every, 4, NULL, NULL, &err) ==
              F2L_EDOMAIN);
    const f2l_schedule *chunk = f2l_schedule_find("chunk64");
    if (chunk)
        cr_expect(f2l_psd_search(&out, f2l_format_find("bf16"), chunk, 1, NULL, NULL, &err) ==
                  F2L_EDOMAIN);
    volatile sig_atomic_t stop = 2;
    const f2l_task task = {.cancel = &stop};
    cr_expect(f2l_psd_search(&out, f2l_format_find("bf16"), every, 2, NULL, &task, &err) ==
              F2L_UNKNOWN);
    cr_expect(out.verdict != F2L_PSD_NONE_EXISTS && out.weights > 0);
}

#ifdef F2L_MEM_FAILURES
Test(psd_parity, survives_every_failed_allocation)
{
    f2l_format format;
    char name[F2L_FORMAT_NAME];
    const f2l_psd_options options = {.bits = 3};
    cr_assert(f2l_format_parse(&format, name, "p=2,emin=-1,emax=1", NULL) == F2L_OK);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_psd_result out;
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status =
            f2l_psd_search(&out, &format, f2l_schedule_find("every"), 1, &options, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 30, "%zu", failures);
}
#endif
