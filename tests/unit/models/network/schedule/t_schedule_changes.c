/* No setting is without an effect: for each there are two rows that differ in it alone, and a
 * network whose numbers differ. */
#include "models/network/schedule/float_net.h"
#include "numeric/format/choices.h"
#include "tests/support/models/net_samples.h"
#include <criterion/criterion.h>
#include <stdio.h>

#define SEED 4811
#define LETTERS 8
#define NETWORKS 64

/* Settings of a row, and one that is added to them. What `decode` does is no number but a label
 * (t_schedule_decode.c). */
static const char *const pairs[][2] = {
    {"every", "sum=butterfly"},
    {"every", "fuse=update"},
    {"every", "gate=late"},
    {"every", "work=fp32"},
    {"recurrent", "operands=bf16"},
    {"serving", "state=fp16"},
    {"serving", "letters=2"},
    {"serving,state=e4m3", "stores=factor"},
    {"serving,letters=3", "ring=e4m3"},
    {"serving,state=int8", "scale=amax"},
    {"serving,state=int8,scale=amax", "quotient=divide"},
    {"serving,state=int8,scale=amax", "most=100"},
    {"serving,state=int8,scale=static:0.01", "clamp=full"},
    {"serving,state=int8,scale=amax", "block=head"},
    {"serving,state=int8,scale=amax:e4m3", "second=head"},
    {"serving,state=e4m3:stochastic", "draw=top:1"},
    {"serving,state=e4m3:stochastic,draw=top:1", "pair=reversed"},
    {"serving,state=int8,scale=amax", "residual=load:fp16"},
    {"serving,state=int8,scale=amax,residual=load:e4m3", "residual-scale=amax"},
    {"serving,state=e4m3", "read=stored"},
    {"serving", "output=e4m3"},
    {"serving,eps=1e-6", "keys=format"},
    {"recurrent", "beta=fp32"},
    {"recurrent", "decay=fp32"},
    {"serving,state=e4m3", "prefill=unstored"},
    {"serving,state=fp16,prefill=unstored", "handover=e4m3"},
    {"recurrent,eps=1e-2", "norm=outside"},
    {"recurrent,eps=1e-6,raw=1.7", "norm-in=format"},
    {"recurrent,eps=1e-6,raw=1.7", "squares=halves"},
    {"recurrent", "eps=1e-2"},
    {"recurrent,eps=1e-2", "raw=2"},
};

typedef struct numbers {
    size_t count;
    double stored[LETTERS * 64], read[LETTERS * 64], joint[LETTERS * 64];
} numbers;

/* Runs the first layer alone, and all layers, and keeps the numbers of the first; returns false
 * where the row is not for the network. */
static bool run_row(numbers *out, const f2l_net *net, const char *row, const char *of,
                    const uint32_t *word)
{
    static f2l_choices choices;
    char name[F2L_SCHEDULE_NAME];
    f2l_schedule schedule;
    f2l_float_net *rounded;
    double unstored[64];
    uint32_t label;
    f2l_format format = *f2l_format_find(of);
    format.choices = &choices;
    cr_assert_eq(f2l_schedule_parse(&schedule, name, row, NULL), F2L_OK, "%s", row);
    if (f2l_float_net_new(&rounded, net, &format, &schedule, NULL) != F2L_OK) return false;
    const size_t count = f2l_float_layer_decoded(rounded, 0);
    double *one = calloc(f2l_float_size(rounded), sizeof *one), *all = NULL;
    cr_assert(count <= 64 && one);
    all = calloc(f2l_float_size(rounded), sizeof *all);
    cr_assert(all);
    f2l_float_start(rounded, one);
    f2l_float_start(rounded, all);
    for (size_t t = 0; t < LETTERS; t++) {
        f2l_choices_restart(&choices);
        choices.count = 256;
        for (size_t i = 0; i < choices.count; i++) choices.bit[i] = (i + t) % 3 == 0;
        const double *read = f2l_float_step_layer(rounded, 0, word[t], one, unstored);
        memcpy(out->stored + t * count, one, count * sizeof *one);
        memcpy(out->read + t * count, read, count * sizeof *read);
        choices.at = 0;
        choices.bit[0] = t == 3; /* a prompt of three letters */
        cr_assert_eq(f2l_float_step(rounded, all, word[t], &label, NULL), F2L_OK);
        memcpy(out->joint + t * count, all, count * sizeof *all);
    }
    out->count = LETTERS * count;
    free(one);
    free(all);
    f2l_float_net_free(rounded);
    return true;
}

static bool differ(const numbers *a, const numbers *b)
{
    cr_assert_eq(a->count, b->count);
    const size_t bytes = a->count * sizeof(double);
    return memcmp(a->stored, b->stored, bytes) != 0 || memcmp(a->read, b->read, bytes) != 0 ||
           memcmp(a->joint, b->joint, bytes) != 0;
}

/* Returns the setting in which the two rows differ, and checks that it is the only one. */
static size_t changed_setting(const char *a, const char *b)
{
    f2l_schedule one, other;
    char name[F2L_SCHEDULE_NAME], name_b[F2L_SCHEDULE_NAME];
    size_t found = SIZE_MAX;
    cr_assert_eq(f2l_schedule_parse(&one, name, a, NULL), F2L_OK, "%s", a);
    cr_assert_eq(f2l_schedule_parse(&other, name_b, b, NULL), F2L_OK, "%s", b);
    for (size_t i = 0; f2l_schedule_setting(i); i++) {
        char x[F2L_SCHEDULE_NAME] = "", y[F2L_SCHEDULE_NAME] = "";
        f2l_schedule_write_setting(x, &one, i);
        f2l_schedule_write_setting(y, &other, i);
        if (strcmp(x, y) == 0) continue;
        /* eps brings raw with it */
        if (found != SIZE_MAX && strcmp(f2l_schedule_setting(i), "raw") == 0) continue;
        if (found != SIZE_MAX && strcmp(f2l_schedule_setting(found), "raw") != 0)
            cr_assert(strcmp(f2l_schedule_setting(i), "eps") == 0, "%s and %s differ in %s and %s",
                      a, b, f2l_schedule_setting(found), f2l_schedule_setting(i));
        found = i;
    }
    cr_assert_neq(found, SIZE_MAX, "%s and %s are equal", a, b);
    return found;
}

static bool some_network_differs(const char *a, const char *b)
{
    static numbers of_a, of_b;
    const sample_shape shape = {1, 1, 3, 6, 3, 3, 2, false, 12};
    f2l_rng rng;
    bool found = false;
    f2l_rng_init(&rng, SEED, 0);
    for (size_t k = 0; k < NETWORKS && !found; k++) {
        f2l_net net;
        uint32_t word[LETTERS];
        sample_random(&net, &rng, &shape);
        for (size_t x = 0; x < net.layer[0].letters; x++) {
            f2l_transition *letter = &net.layer[0].head[0].letter[x];
            mpq_set_ui(letter->gate, k % 2 ? 1 : 4, k % 2 ? 1 : 5);
            if (k % 2) f2l_qvec_clear(&letter->bias); /* for rings */
        }
        for (size_t t = 0; t < LETTERS; t++)
            word[t] = (uint32_t)f2l_rng_below(&rng, net.letters.count);
        const char *const of = k % 4 < 2 ? "bf16" : "fp32";
        found = run_row(&of_a, &net, a, of, word) && run_row(&of_b, &net, b, of, word) &&
                differ(&of_a, &of_b);
        f2l_net_clear(&net);
    }
    return found;
}

Test(schedule_changes, every_setting_changes_a_number)
{
    bool covered[64] = {false};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char changed[F2L_SCHEDULE_NAME], base[F2L_SCHEDULE_NAME];
        snprintf(base, sizeof base, "%s", pairs[i][0]);
        snprintf(changed, sizeof changed, "%s,%s", pairs[i][0], pairs[i][1]);
        covered[changed_setting(base, changed)] = true;
        cr_assert(some_network_differs(base, changed), "%s and %s have the same numbers", base,
                  changed);
    }
    for (size_t i = 0; f2l_schedule_setting(i); i++)
        cr_assert(covered[i] || strcmp(f2l_schedule_setting(i), "decode") == 0, "%s",
                  f2l_schedule_setting(i));
}
