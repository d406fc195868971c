/* Networks in which nothing is rounded, in schedules that step: verdicts beside runs in the
 * format. */
#include "numeric/base/mem.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/theory/local_support.h"
#include "tests/support/theory/unrounded_support.h"
#include "theory/certify/unrounded/impl.h"
#include "theory/construct/register/register.h"
#include "theory/construct/t3/t3.h"

#define SEED 20261121

static const char *const formats[] = {"bf16", "fp16", "fp32", "e4m3"};
static const char *const schedules[] = {"every", "fma", "acc32", "recurrent", "cast", "chunk64"};
enum { FORMATS = 4, SCHEDULES = 6 };

typedef struct fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net model;
} fixture;

static void open_group(fixture *f, uint64_t points, bool generators, f2l_t3_keys keys)
{
    f2l_error err = {0};
    f2l_t3_report report;
    f2l_fsa_init(&f->fsa);
    f2l_gset_init(&f->set);
    f2l_net_init(&f->model);
    cr_assert_eq(f2l_family_build(&f->fsa, "symmetric", &points, 1, generators, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_t3_build(&f->model, &report, &f->fsa, F2L_LABEL_STATES, keys, &f->set, NULL, &err),
        F2L_OK, "%s", err.text);
}

static void close_group(fixture *f)
{
    f2l_net_clear(&f->model);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

/* Returns the verdict; for OK it also checks that a run of `length` letters equals the exact
 * one. */
static f2l_status verdict_of(const f2l_net *model, const f2l_format *format,
                             const f2l_schedule *schedule, size_t length, char reason[256])
{
    f2l_unrounded u;
    f2l_unrounded_init(&u);
    find_unrounded(&u, model, format, schedule);
    const f2l_status verdict = u.verdict;
    memcpy(reason, u.reason, sizeof u.reason);
    f2l_unrounded_clear(&u);
    if (verdict == F2L_OK)
        cr_assert_eq(run_differs(model, format, schedule, SEED, length), 0, "%s, %s", format->name,
                     schedule->name);
    return verdict;
}

static void all_exact(const f2l_net *model, size_t length, const char *name)
{
    char reason[256];
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < SCHEDULES; k++) {
            const f2l_format format = named_format(formats[i]);
            const f2l_schedule schedule = named_schedule(schedules[k]);
            cr_assert_eq(verdict_of(model, &format, &schedule, length, reason), F2L_OK,
                         "%s in %s, %s: %s", name, formats[i], schedules[k], reason);
        }
}

Test(unrounded, dyadic_keys_everywhere)
{
    static const f2l_t3_keys keys[] = {F2L_T3_EXACT, F2L_T3_DOUBLED};
    fixture f;
    for (size_t i = 0; i < 2; i++) {
        open_group(&f, 3, false, keys[i]);
        all_exact(&f.model, 400, "S_3");
        close_group(&f);
        open_group(&f, 5, i == 0, keys[i]);
        all_exact(&f.model, 400, "S_5");
        close_group(&f);
    }
}

Test(unrounded, naive_keys_are_named)
{
    fixture f;
    char reason[256];
    open_group(&f, 3, true, F2L_T3_NAIVE);
    for (size_t k = 0; k < SCHEDULES; k++) {
        const f2l_format format = named_format("fp32");
        const f2l_schedule schedule = named_schedule(schedules[k]);
        const bool cast = schedule.exact_matrices; /* its matrices are permutations */
        cr_assert_eq(verdict_of(&f.model, &format, &schedule, 100, reason),
                     cast ? F2L_OK : F2L_UNKNOWN);
        if (cast) continue;
        cr_assert_str_eq(reason, "layer 1, head 1, letter a, factor 1: coordinate 1 of the key is "
                                 "1/sqrt(2), no value of fp32");
    }
    close_group(&f);
}

/* e5m2 has three bits: 9/2 is the first number that needs four. */
Test(unrounded, the_first_number_that_does_not_fit)
{
    fixture f;
    char reason[256];
    const f2l_format format = named_format("e5m2");
    f2l_schedule schedule = named_schedule("every");
    open_group(&f, 5, true, F2L_T3_DOUBLED);
    cr_assert_eq(verdict_of(&f.model, &format, &schedule, 1, reason), F2L_UNKNOWN);
    cr_assert_str_eq(reason,
                     "layer 1, head 1, letter a, factor 1: the sum of key times state up to that "
                     "of row 6, column 1, is 9/2, no value of e5m2");
    schedule = named_schedule("acc32");
    cr_assert_eq(verdict_of(&f.model, &format, &schedule, 300, reason), F2L_OK, "%s", reason);
    close_group(&f);
}

Test(unrounded, formats_that_fp32_has_not)
{
    fixture f;
    char reason[256];
    const f2l_format format = named_format("fp64");
    open_group(&f, 3, true, F2L_T3_EXACT);
    for (size_t k = 0; k < SCHEDULES; k++) {
        f2l_unrounded u;
        f2l_unrounded_init(&u);
        const f2l_schedule schedule = named_schedule(schedules[k]);
        const bool narrow = k == 2 || k == 3 || k == 5;
        find_unrounded(&u, &f.model, &format, &schedule);
        cr_assert_eq(u.verdict, narrow ? F2L_UNKNOWN : F2L_OK, "%s: %s", schedules[k], u.reason);
        f2l_unrounded_clear(&u);
        if (!narrow) cr_assert_eq(verdict_of(&f.model, &format, &schedule, 50, reason), F2L_OK);
    }
    close_group(&f);
}

static f2l_status normalised(const fixture *f, const char *format_name, const char *text,
                             char reason[256])
{
    char name[F2L_SCHEDULE_NAME];
    f2l_error err = {0};
    f2l_schedule schedule;
    const f2l_format format = named_format(format_name);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, text, &err), F2L_OK, "%s", err.text);
    return verdict_of(&f->model, &format, &schedule, 200, reason);
}

static size_t normalised_differs(const fixture *f, const char *format_name, const char *text)
{
    char name[F2L_SCHEDULE_NAME];
    f2l_error err = {0};
    f2l_schedule schedule;
    const f2l_format format = named_format(format_name);
    cr_assert_eq(f2l_schedule_parse(&schedule, name, text, &err), F2L_OK, "%s", err.text);
    return run_differs(&f->model, &format, &schedule, SEED, 200);
}

/* In fp32 256 + 1e-6 is 256, but 1 + 1e-6 is not 1. */
Test(unrounded, key_normalisation)
{
    fixture f;
    char reason[256];
    open_group(&f, 5, true, F2L_T3_DOUBLED);
    static const char *const of[] = {"every", "fma", "acc32", "recurrent", "chunk64"};
    for (size_t i = 0; i < 5; i++) {
        char large[64], small[64];
        snprintf(large, sizeof large, "%s,eps=1e-6,raw=16", of[i]);
        snprintf(small, sizeof small, "%s,eps=1e-6,raw=0.5", of[i]);
        cr_assert_eq(normalised(&f, "fp32", large, reason), F2L_OK, "%s: %s", large, reason);
        cr_assert_eq(normalised(&f, "fp32", small, reason), F2L_UNKNOWN, "%s", small);
        cr_assert_str_eq(reason,
                         "layer 1, head 1, letter a: the key of factor 1, normalised with eps "
                         "1e-06 from raw keys of size 0.5, is rounded");
        cr_assert_gt(normalised_differs(&f, "fp32", small), 0, "%s", small);
        cr_assert_eq(normalised(&f, "bf16", large, reason), F2L_OK, "%s: %s", large, reason);
        const bool inside = strcmp(of[i], "recurrent") == 0; /* bf16 does not round keys there */
        cr_assert_eq(normalised(&f, "bf16", small, reason), inside ? F2L_UNKNOWN : F2L_OK, "%s: %s",
                     small, reason);
        cr_assert_eq((normalised_differs(&f, "bf16", small) > 0), inside, "%s", small);
    }
    cr_assert_eq(normalised(&f, "fp32", "every,eps=0,raw=0.5", reason), F2L_OK, "%s", reason);
    close_group(&f);
}

static void check_model(f2l_net *net, const char *name, bool gates)
{
    f2l_net model;
    char reason[256];
    f2l_net_init(&model);
    model = *net; /* lent */
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < SCHEDULES; k++) {
            const f2l_format format = named_format(formats[i]);
            const f2l_schedule schedule = named_schedule(schedules[k]);
            const bool chunk = !f2l_schedule_steps(&schedule);
            const f2l_status verdict = verdict_of(&model, &format, &schedule, 200, reason);
            cr_assert_eq(verdict, gates && chunk ? F2L_UNKNOWN : F2L_OK, "%s in %s, %s: %s", name,
                         formats[i], schedules[k], reason);
            if (verdict != F2L_OK)
                cr_assert_not_null(strstr(reason, "chunk64 is without gates"), "%s", reason);
        }
}

static bool has_gates(const f2l_net *net)
{
    for (size_t l = 0; l < net->layers; l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            for (size_t a = 0; a < net->layer[l].letters; a++)
                if (mpq_cmp_ui(net->layer[l].head[h].letter[a].gate, 1, 1) != 0) return true;
    return false;
}

Test(unrounded, cascades)
{
    static const char *const text[] = {"fsa 1\n"
                                       "letters a b c\n"
                                       "states 1 2 3\n"
                                       "start 1\n"
                                       "1 a 2\n"
                                       "2 a 3\n"
                                       "3 a 1\n"
                                       "1 b 2\n"
                                       "2 b 1\n"
                                       "3 b 3\n"
                                       "1 c 1\n"
                                       "2 c 1\n"
                                       "3 c 3\n",
                                       "fsa 1\n"
                                       "letters s r\n"
                                       "states 1 2 3 4\n"
                                       "start 2\n"
                                       "1 s 2\n"
                                       "2 s 3\n"
                                       "3 s 4\n"
                                       "4 s 4\n"
                                       "1 r 1\n"
                                       "2 r 1\n"
                                       "3 r 2\n"
                                       "4 r 3\n"};
    for (size_t i = 0; i < 4; i++) {
        local_fixture f;
        fsa_from_text(&f.fsa, text[i / 2]);
        local_build(&f, F2L_CASCADE_HOLONOMY, F2L_LABEL_STATES, i % 2 == 1);
        check_model(&f.net, f.fsa.letters.count == 3 ? "T_3" : "elevator", has_gates(&f.net));
        local_clear(&f);
    }
}

Test(unrounded, register_of_letters)
{
    f2l_error err = {0};
    f2l_fsa fsa;
    f2l_net net;
    f2l_definite definite;
    f2l_register_report report;
    /* the last two letters */
    fsa_from_text(&fsa, "fsa 1\n"
                        "letters a b\n"
                        "states aa ab ba bb\n"
                        "start aa\n"
                        "aa a aa\n"
                        "aa b ab\n"
                        "ab a ba\n"
                        "ab b bb\n"
                        "ba a aa\n"
                        "ba b ab\n"
                        "bb a ba\n"
                        "bb b bb\n");
    f2l_net_init(&net);
    f2l_definite_init(&definite);
    cr_assert_eq(f2l_definite_find(&definite, &fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_register_build(&net, &report, &fsa, F2L_LABEL_STATES, &definite, NULL, &err),
                 F2L_OK, "%s", err.text);
    check_model(&net, "register", false);
    f2l_definite_clear(&definite);
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

Test(unrounded, fields_and_forms_are_not_treated)
{
    f2l_error err = {0};
    f2l_net model;
    f2l_unrounded u;
    f2l_net_init(&model);
    f2l_unrounded_init(&u);
    cr_assert_eq(f2l_network_read(&model, SAMPLE_FIELD, strlen(SAMPLE_FIELD), &err), F2L_OK, "%s",
                 err.text);
    const f2l_format format = named_format("fp32");
    const f2l_schedule schedule = named_schedule("every");
    find_unrounded(&u, &model, &format, &schedule);
    cr_assert_eq(u.verdict, F2L_UNKNOWN);
    cr_assert_str_eq(u.reason,
                     "layer 1, head 1: it has a field or a form, which this analysis does not "
                     "treat");
    f2l_unrounded_clear(&u);
    f2l_net_clear(&model);
}

/* --- weights that are changed, and random ones --- */

/* Adds `by` to weight number `which` of head 1 of layer 1; returns false when there are fewer
 * weights. */
static bool change_weight(f2l_net *net, size_t which, double by)
{
    mpq_t more;
    mpq_init(more);
    mpq_set_d(more, by);
    f2l_head *head = &net->layer[0].head[0];
    mpq_t *weight = NULL;
    if (which < head->initial.count) weight = &head->initial.value[which];
    which -= head->initial.count;
    for (size_t a = 0; a < net->layer[0].letters && weight == NULL; a++)
        for (size_t m = 0; m < head->letter[a].factors && weight == NULL; m++) {
            f2l_factor *factor = &head->letter[a].factor[m];
            if (which < factor->u.count) weight = &factor->u.value[which];
            if (which == factor->u.count) weight = &factor->beta;
            which -= factor->u.count + 1;
        }
    if (weight != NULL) mpq_add(*weight, *weight, more);
    mpq_clear(more);
    return weight != NULL;
}

Test(unrounded, changed_weights)
{
    static const double by[] = {0x1p-7, -0x1p-4, -0.25, 0x1p-12, -1.5};
    size_t sure = 0, unsure = 0;
    for (size_t k = 0; k < 5; k++) {
        tally t = {0};
        for (size_t which = 0;; which++) {
            fixture f;
            open_group(&f, 3, true, F2L_T3_DOUBLED);
            const f2l_format format = named_format("bf16");
            const f2l_schedule schedule = named_schedule(schedules[k]);
            const bool changed = change_weight(&f.model, which, by[which % 5]);
            if (changed && f2l_net_validate(&f.model, NULL) == F2L_OK)
                tally_steps(&t, &f.model, &format, &schedule, "weight", which);
            close_group(&f);
            if (!changed) break;
        }
        sure += t.sure;
        unsure += t.unsure;
    }
    cr_assert_gt(sure, 0);
    cr_assert_gt(unsure, 20);
}

static f2l_format random_format(f2l_rng *rng)
{
    static const f2l_rounding rounding[] = {F2L_ROUND_NEAREST_EVEN, F2L_ROUND_TOWARD_ZERO,
                                            F2L_ROUND_UP, F2L_ROUND_DOWN};
    f2l_format format = named_format("fp16");
    format.name = "a random format";
    format.precision = 3 + (int)f2l_rng_below(rng, 8);
    format.emin = -(int)f2l_rng_below(rng, 9);
    format.emax = 1 + (int)f2l_rng_below(rng, 6);
    format.largest = ldexp(2 - ldexp(1, 1 - format.precision), format.emax);
    format.subnormals = f2l_rng_below(rng, 2);
    format.rounding = rounding[f2l_rng_below(rng, 4)];
    return format;
}

Test(unrounded, random_weights_in_random_formats)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t k = 0; k < 5; k++) {
        tally t = {0};
        for (size_t i = 0; i < 1500; i++) {
            f2l_net model;
            const f2l_format format = random_format(&rng);
            const f2l_schedule schedule = named_schedule(schedules[k]);
            if (random_raw_head(&model, &rng))
                tally_steps(&t, &model, &format, &schedule, "network", i);
            f2l_net_clear(&model);
        }
        cr_log_info("%s: %zu sure, %zu unsure, %zu of these "
                    "rounded",
                    schedules[k], t.sure, t.unsure, t.differ);
        cr_assert_gt(t.sure, 50, "%s", schedules[k]);
        cr_assert_gt(2 * t.differ, t.unsure, "%s", schedules[k]); /* others round where it has no
                                                                     effect */
    }
}

/* --- failures --- */

Test(unrounded, interrupted)
{
    fixture f;
    f2l_unrounded u;
    const volatile sig_atomic_t stop = 2;
    const f2l_task task = {.cancel = &stop};
    open_group(&f, 5, false, F2L_T3_EXACT);
    f2l_unrounded_init(&u);
    for (size_t k = 0; k < SCHEDULES; k++) {
        const f2l_format format = named_format("bf16");
        const f2l_schedule schedule = named_schedule(schedules[k]);
        cr_assert_eq(f2l_unrounded_find(&u, &f.model, &format, &schedule, &task, NULL), F2L_OK);
        cr_assert_eq(u.verdict, F2L_UNKNOWN);
        cr_assert_not_null(strstr(u.reason, "interrupted"), "%s", u.reason);
    }
    f2l_unrounded_clear(&u);
    close_group(&f);
}

#ifdef F2L_MEM_FAILURES
Test(unrounded, memory)
{
    fixture f;
    open_group(&f, 3, true, F2L_T3_EXACT);
    for (size_t k = 0; k < SCHEDULES; k++) {
        const f2l_format format = named_format("bf16");
        const f2l_schedule schedule = named_schedule(schedules[k]);
        size_t n = 1;
        f2l_status status = F2L_ENOMEM;
        for (; status == F2L_ENOMEM; n++) {
            f2l_unrounded u;
            f2l_unrounded_init(&u);
            f2l_mem_fail_after(n, false);
            status = f2l_unrounded_find(&u, &f.model, &format, &schedule, NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_ENOMEM || (status == F2L_OK && u.verdict == F2L_OK), "%zu", n);
            f2l_unrounded_clear(&u);
        }
        cr_assert_gt(n, 10);
    }
    close_group(&f);
}
#endif
