/* Wired networks in which nothing is rounded: Zeiger's form and D1 beside runs in the format. */
#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/models/wired_samples.h"
#include "tests/support/theory/d1_support.h"
#include "tests/support/theory/unrounded_support.h"
#include "theory/construct/zeiger/zeiger.h"

#define SEED 20261122

static const char *const formats[] = {"bf16", "fp16", "fp32", "e4m3"};
static const char *const schedules[] = {"every", "fma", "acc32", "recurrent", "cast"};
enum { FORMATS = 4, SCHEDULES = 5 };

/* Returns how many numbers and labels of a random word differ from exact arithmetic. */
static size_t wired_differs(const f2l_net *net, const f2l_format *format,
                            const f2l_schedule *schedule, size_t length)
{
    f2l_error err = {0};
    f2l_rng rng;
    f2l_exact *exact;
    f2l_float_net *rounded;
    f2l_rng_init(&rng, SEED, 0);
    cr_assert_eq(f2l_exact_new(&exact, net, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_float_net_new(&rounded, net, format, schedule, &err), F2L_OK, "%s", err.text);
    size_t *joint = calloc(f2l_net_joint(net), sizeof *joint);
    uint32_t got;
    double *number = calloc(f2l_float_size(rounded), sizeof *number);
    size_t wrong = 0, label;
    cr_assert_eq(f2l_exact_start(exact, joint, &err), F2L_OK, "%s", err.text);
    f2l_float_start(rounded, number);
    for (size_t t = 0; t < length; t++) {
        const size_t letter = f2l_rng_below(&rng, net->letters.count);
        cr_assert_eq(f2l_exact_step(exact, joint, letter, &label, NULL, &err), F2L_OK, "%s",
                     err.text);
        cr_assert_eq(f2l_float_step(rounded, number, letter, &got, &err), F2L_OK, "%s", err.text);
        wrong += got != label;
        wrong += d1_other_numbers(net, joint, number);
    }
    free(joint);
    free(number);
    f2l_exact_free(exact);
    f2l_float_net_free(rounded);
    return wrong;
}

static f2l_status verdict_of(const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, char reason[256])
{
    f2l_net model;
    f2l_unrounded u;
    f2l_net_init(&model);
    f2l_unrounded_init(&u);
    model = *net; /* lent */
    find_unrounded(&u, &model, format, schedule);
    const f2l_status verdict = u.verdict;
    memcpy(reason, u.reason, sizeof u.reason);
    cr_assert_eq(u.sets + u.bounds, 0);
    f2l_unrounded_clear(&u);
    return verdict;
}

static void all_exact(const f2l_net *net, size_t length, const char *name)
{
    char reason[256];
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t k = 0; k < SCHEDULES; k++) {
            const f2l_format format = named_format(formats[i]);
            const f2l_schedule schedule = named_schedule(schedules[k]);
            cr_assert_eq(verdict_of(net, &format, &schedule, reason), F2L_OK, "%s in %s, %s: %s",
                         name, formats[i], schedules[k], reason);
            cr_assert_eq(wired_differs(net, &format, &schedule, length), 0, "%s in %s, %s", name,
                         formats[i], schedules[k]);
        }
    const f2l_format format = named_format("bf16");
    const f2l_schedule schedule = named_schedule("chunk64");
    cr_assert_eq(verdict_of(net, &format, &schedule, reason), F2L_OK, "%s: %s", name, reason);
}

static void open_zeiger(f2l_fsa *fsa, f2l_net *net)
{
    f2l_error err = {0};
    fsa_from_text(fsa, "fsa 1\n"
                       "letters a b c\n"
                       "states 1 2 3 4\n"
                       "start 2\n"
                       "1 a 2\n"
                       "2 a 3\n"
                       "3 a 4\n"
                       "4 a 1\n"
                       "1 b 1\n"
                       "2 b 1\n"
                       "3 b 4\n"
                       "4 b 3\n"
                       "1 c 2\n"
                       "2 c 1\n"
                       "3 c 3\n"
                       "4 c 4\n");
    f2l_net_init(net);
    cr_assert_eq(f2l_zeiger_build(net, fsa, F2L_LABEL_STATES, NULL, &err), F2L_OK, "%s", err.text);
}

Test(unrounded_wired, zeiger)
{
    f2l_fsa fsa;
    f2l_net net;
    open_zeiger(&fsa, &net);
    all_exact(&net, 300, "zeiger");
    f2l_net_clear(&net);
    f2l_fsa_clear(&fsa);
}

/* Returns the first factor of the first letter that has one. */
static f2l_factor *first_factor(f2l_wired_head *head)
{
    size_t a = 0;
    while (head->head.letter[a].factors == 0) a++;
    return &head->head.letter[a].factor[0];
}

typedef void change(f2l_net *net);

static void longer_key(f2l_net *net) /* the same key: Z.3's t */
{
    mpq_set_si(first_factor(&net->block[1].head[0])->u.value[0], 3, 1);
}
static void other_beta(f2l_net *net)
{
    mpq_set_si(first_factor(&net->block[1].head[0])->beta, 3, 2);
}
static void other_initial(f2l_net *net)
{
    mpq_set_si(net->stage[1].initial[0].value[0], 2, 1);
}
static void crooked_key(f2l_net *net)
{
    f2l_head *head = &net->block[1].head[0].head;
    for (size_t a = 0; a < net->block[1].head[0].slot_at[net->block[1].head[0].slots]; a++)
        for (size_t m = 0; m < head->letter[a].factors; m++)
            if (head->letter[a].factor[m].u.count == 4) {
                mpq_set_si(head->letter[a].factor[m].u.value[0], 2, 1);
                return;
            }
    cr_assert(false);
}

Test(unrounded_wired, zeiger_changed)
{
    static const struct {
        change *make;
        f2l_status verdict;
        const char *reason;
    } of[] = {{longer_key, F2L_OK, ""},
              {other_beta, F2L_UNKNOWN,
               "block 2, head 1, slot 1, value 1: it has several slots and is not one of pairs of "
               "equal bits"},
              {other_initial, F2L_UNKNOWN,
               "block 2, head 1: it has several slots and is not one of pairs of equal bits"},
              {crooked_key, F2L_UNKNOWN,
               "block 2, head 1, slot 1, value 2, factor 1: coordinate 1 of the key is 2/sqrt(7), "
               "no value of bf16"}};
    char reason[256];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        f2l_fsa fsa;
        f2l_net net;
        open_zeiger(&fsa, &net);
        of[i].make(&net);
        const f2l_format format = named_format("bf16");
        const f2l_schedule schedule = named_schedule("every");
        cr_expect_eq(verdict_of(&net, &format, &schedule, reason), of[i].verdict, "%zu: %s", i,
                     reason);
        cr_expect_str_eq(reason, of[i].reason, "%zu: %s", i, reason);
        f2l_net_clear(&net);
        f2l_fsa_clear(&fsa);
    }
}

typedef struct d1_fixture {
    f2l_fsa fsa;
    f2l_gset set;
    f2l_net net;
} d1_fixture;

static void open_d1(d1_fixture *f, uint64_t points, bool generators, size_t householders)
{
    f2l_error err = {0};
    f2l_d1_report report;
    f2l_fsa_init(&f->fsa);
    f2l_gset_init(&f->set);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_family_build(&f->fsa, "symmetric", &points, 1, generators, &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(f2l_gset_smallest(&f->set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_d1_build(&f->net, &report, &f->fsa, F2L_LABEL_STATES, &f->set, householders,
                              NULL, &err),
                 F2L_OK, "%s", err.text);
}

static void close_d1(d1_fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_gset_clear(&f->set);
    f2l_fsa_clear(&f->fsa);
}

Test(unrounded_wired, d1)
{
    static const struct {
        uint64_t points;
        bool generators;
        size_t householders;
    } of[] = {{3, true, 1}, {4, false, 1}, {4, true, 2}, {5, true, 1}, {5, true, 2}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        d1_fixture f;
        char name[32];
        snprintf(name, sizeof name, "S_%d, %zu", (int)of[i].points, of[i].householders);
        open_d1(&f, of[i].points, of[i].generators, of[i].householders);
        all_exact(&f.net, 200, name);
        close_d1(&f);
    }
}

/* The ring's value for a letter becomes 9/8: e4m3 holds its four bits, e5m2 with three does not. */
Test(unrounded_wired, d1_with_another_value)
{
    d1_fixture f;
    char reason[256];
    const f2l_schedule schedule = named_schedule("every");
    f2l_format format = named_format("e5m2");
    open_d1(&f, 3, true, 1);
    const size_t ring = f.net.blocks - 2;
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_OK, "%s", reason);
    mpq_set_si(first_factor(&f.net.block[ring].head[0])->c.value[0], 9, 8);
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_UNKNOWN);
    cr_assert_str_eq(reason,
                     "block 3, head 1, slot 1, value 1, factor 1: coordinate 1 of the value is "
                     "9/8, no value of e5m2");
    format = named_format("e4m3");
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_OK, "%s", reason);
    close_d1(&f);
}

/* Codes that no word reaches are examined as well: 1/3 is not in the format. */
Test(unrounded_wired, every_code_counts)
{
    d1_fixture f;
    char reason[256];
    const f2l_format format = named_format("fp32");
    const f2l_schedule schedule = named_schedule("every");
    open_d1(&f, 3, true, 2);
    f2l_wired_block *block = &f.net.block[f.net.blocks - 1];
    mpq_set_si(block->readout[0].code[0].value[0], 1, 3);
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_UNKNOWN);
    cr_assert_not_null(strstr(reason, "row 1, column 1 of code 1 of readout 1 is 1/3, no value of "
                                      "fp32"),
                       "%s", reason);
    close_d1(&f);
}

Test(unrounded_wired, several_slots_of_another_kind)
{
    f2l_error err = {0};
    f2l_net net;
    char reason[256];
    const f2l_format format = named_format("fp32");
    const f2l_schedule schedule = named_schedule("every");
    f2l_net_init(&net);
    cr_assert_eq(f2l_wired_read(&net, SAMPLE_WIRED, strlen(SAMPLE_WIRED), &err), F2L_OK, "%s",
                 err.text);
    cr_assert_eq(verdict_of(&net, &format, &schedule, reason), F2L_UNKNOWN);
    cr_assert_str_eq(reason, "block 2, head 1: it has several slots and is not one of pairs of "
                             "equal bits");
    f2l_net_clear(&net);
}

/* The first stage's block gets a gate, and a key whose images are infinitely many. */
Test(unrounded_wired, chunks)
{
    d1_fixture f;
    char reason[256];
    const f2l_format format = named_format("bf16");
    const f2l_schedule schedule = named_schedule("chunk64");
    open_d1(&f, 3, true, 1);
    f2l_wired_head *head = &f.net.block[0].head[0];
    mpq_set_si(head->head.letter[0].gate, 1, 2);
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_UNKNOWN);
    cr_assert_str_eq(reason, "block 1, head 1, slot 1, value 1: chunk64 is without gates");
    mpq_set_si(head->head.letter[0].gate, 1, 1);
    mpq_set_si(first_factor(head)->beta, 5, 4);
    cr_assert_eq(verdict_of(&f.net, &format, &schedule, reason), F2L_UNKNOWN);
    cr_assert_not_null(strstr(reason, "block 1, head 1: "), "%s", reason);
    close_d1(&f);
}

#ifdef F2L_MEM_FAILURES
Test(unrounded_wired, memory)
{
    d1_fixture f;
    f2l_net model;
    open_d1(&f, 3, true, 1);
    f2l_net_init(&model);
    model = f.net;
    const f2l_format format = named_format("bf16");
    const f2l_schedule schedule[] = {named_schedule("cast"), named_schedule("chunk64")};
    for (size_t s = 0; s < 2; s++) {
        f2l_status status = F2L_ENOMEM;
        size_t n = 1;
        for (; status == F2L_ENOMEM; n++) {
            f2l_unrounded u;
            f2l_unrounded_init(&u);
            f2l_mem_fail_after(n, false);
            status = f2l_unrounded_find(&u, &model, &format, &schedule[s], NULL, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_ENOMEM || (status == F2L_OK && u.verdict == F2L_OK), "%zu", n);
            f2l_unrounded_clear(&u);
        }
        cr_assert_gt(n, 10);
    }
    close_d1(&f);
}
#endif
