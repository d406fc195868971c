/* The textbook keys (e_i - e_j)/sqrt 2 in each schedule (theory/pages/formats.md, F12). */
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include "theory/certify/closure/closure.h"
#include "theory/construct/t3/t3.h"
#include <stdio.h>

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
} fixture;

/* Opens S5 by adjacent swaps, on the elements or on the points. */
static void open_s5(fixture *f, const char *track)
{
    f2l_gset set;
    f2l_t3_report report;
    f2l_error err = {0};
    char text[160];
    snprintf(text, sizeof text,
             "fsa 1\n"
             "points 5\n"
             "track %s\n"
             "permute a (1 2)\n"
             "permute b (2 3)\n"
             "permute c (3 4)\n"
             "permute d (4 5)\n",
             track);
    fsa_from_text(&f->fsa, text);
    f2l_gset_init(&set);
    f2l_net_init(&f->net);
    cr_assert_eq(f2l_gset_smallest(&set, &f->fsa, 0, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(
        f2l_t3_build(&f->net, &report, &f->fsa, F2L_LABEL_STATES, F2L_T3_NAIVE, &set, NULL, &err),
        F2L_OK, "%s", err.text);
    f2l_gset_clear(&set);
}

static void done(fixture *f)
{
    f2l_net_clear(&f->net);
    f2l_fsa_clear(&f->fsa);
}

static void closes(fixture *f, const char *schedule, const char *format, size_t max_rows,
                   f2l_status verdict, size_t rows)
{
    f2l_closure c;
    f2l_error err = {0};
    f2l_closure_init(&c);
    cr_assert_eq(f2l_closure_float(&c, &f->net, &f->fsa, f2l_format_find(format),
                                   f2l_schedule_find(schedule), max_rows, NULL, &err),
                 F2L_OK, "%s", err.text);
    cr_assert_eq(c.verdict, verdict, "%s in %s: %s", schedule, format, f2l_status_name(c.verdict));
    if (verdict == F2L_OK) cr_assert_eq(c.rows, rows, "%s in %s: %zu", schedule, format, c.rows);
    f2l_closure_clear(&c);
}

Test(schedule_naive, the_schedule_decides_whether_s5_closes)
{
    fixture f;
    open_s5(&f, "elements");
    closes(&f, "acc32", "bf16", 0, F2L_OK, 120);
    closes(&f, "cast", "bf16", 0, F2L_OK, 120);
    closes(&f, "cast", "fp32", 0, F2L_OK, 120);
    closes(&f, "every", "bf16", 1000, F2L_UNKNOWN, 0); /* 254,936 */
    closes(&f, "recurrent", "bf16", 20000, F2L_UNKNOWN, 0);
    done(&f);
    open_s5(&f, "points 1");
    closes(&f, "every", "bf16", 0, F2L_OK, 5);
    closes(&f, "acc32", "bf16", 20000, F2L_UNKNOWN, 0);
    done(&f);
}

/* The state of a recurrent kernel loses its length but keeps the label, because all codes have one
 * length. */
Test(schedule_naive, a_recurrent_state_forgets)
{
    fixture f;
    f2l_float_net *fast;
    f2l_rng rng;
    f2l_rng_init(&rng, 495, 0);
    open_s5(&f, "elements");
    cr_assert_eq(f2l_float_net_new(&fast, &f.net, f2l_format_find("bf16"),
                                   f2l_schedule_find("recurrent"), NULL),
                 F2L_OK);
    double S[5];
    size_t q = f.fsa.start;
    f2l_float_start(fast, S);
    for (size_t t = 0; t < 20000; t++) {
        const size_t x = f2l_rng_below(&rng, 4);
        uint32_t label;
        q = f.fsa.next[q * 4 + x];
        cr_assert_eq(f2l_float_step(fast, S, x, &label, NULL), F2L_OK);
        cr_assert(label != F2L_NO_SYMBOL);
        cr_assert_str_eq(f2l_names_get(&f.net.labels, label), f2l_names_get(&f.fsa.states, q),
                         "seed 495, letter %zu", t);
    }
    double size2 = 0; /* |S - (3, .., 3)|^2, 10 at first */
    for (size_t i = 0; i < 5; i++) size2 += (S[i] - 3) * (S[i] - 3);
    cr_assert(size2 > 0 && size2 < 1, "%g", size2);
    f2l_float_net_free(fast);
    done(&f);
}
