/* Wired networks as networks in layers: the same label after every letter of random words. Bigger
 * ones are in tests/cli/doors/t_export.py, where check-export and lrnn-check judge them. */
#include "models/network/exact/run_exact.h"
#include "models/network/layered/layered.h"
#include "numeric/base/mem.h"
#include "tests/support/models/wired_samples.h"
#include <criterion/criterion.h>
#include <string.h>

/* Compares the labels of both networks along a random word that begins anew at times. */
static void assert_same_labels(const f2l_net *wired, const f2l_net *layered, f2l_rng *rng)
{
    f2l_error err;
    f2l_exact *a, *b;
    cr_assert_eq(f2l_exact_new(&a, wired, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_exact_new(&b, layered, &err), F2L_OK, "%s", err.text);
    size_t *values = calloc(f2l_net_joint(wired) + 1, sizeof *values);
    size_t *codes = calloc(layered->layers, sizeof *codes);
    const size_t letters = f2l_letter_kinds(&wired->classes, &wired->letters);
    for (size_t t = 0; t < 400; t++) {
        const size_t letter = f2l_rng_below(rng, letters);
        size_t label, other;
        if (t % 50 == 0) {
            cr_assert_eq(f2l_exact_start(a, values, &err), F2L_OK, "%s", err.text);
            cr_assert_eq(f2l_exact_start(b, codes, &err), F2L_OK, "%s", err.text);
        }
        cr_assert_eq(f2l_exact_step(a, values, letter, &label, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(f2l_exact_step(b, codes, letter, &other, NULL, &err), F2L_OK, "%s", err.text);
        cr_assert_eq(label, other, "letter %zu: label %zu, in layers %zu", t, label, other);
    }
    f2l_exact_free(a);
    f2l_exact_free(b);
    free(values);
    free(codes);
}

/* The two stages without heads become part of the layers, and the head of two rows two heads. */
Test(layered, counter)
{
    f2l_net wired, layered;
    f2l_error err;
    f2l_rng rng;
    f2l_rng_init(&rng, 7, 0);
    wired_read(&wired, SAMPLE_WIRED);
    f2l_net_init(&layered);
    cr_assert_eq(f2l_layered_make(&layered, &wired, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(layered.layers, 2);
    cr_assert_eq(layered.layer[0].letters, 3);
    for (size_t l = 0; l < 2; l++) cr_assert_eq(layered.layer[l].heads, 3);
    cr_assert_eq(layered.layer[0].head[0].n, 1);
    cr_assert_eq(layered.start, wired.start);
    cr_assert(f2l_names_equal(&layered.labels, &wired.labels));
    assert_same_labels(&wired, &layered, &rng);
    f2l_net_clear(&layered);
    f2l_net_clear(&wired);
}

/* A network that has layers has no stage that becomes one. */
Test(layered, nothing_to_do)
{
    f2l_net layers, made;
    f2l_error err;
    f2l_net_init(&layers);
    f2l_net_init(&made);
    cr_assert_eq(f2l_net_set_layers(&layers, 1, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_layered_make(&made, &layers, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert(made.layers == 0 && made.letters.count == 0);
    f2l_net_clear(&layers);
}

#ifdef F2L_MEM_FAILURES
Test(layered, out_of_memory)
{
    f2l_net wired;
    f2l_status status = F2L_ENOMEM;
    wired_read(&wired, SAMPLE_WIRED);
    for (size_t n = 1; status == F2L_ENOMEM; n++) {
        f2l_net layered;
        f2l_net_init(&layered);
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_layered_make(&layered, &wired, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert_eq(layered.layers, status == F2L_OK ? 2 : 0);
        f2l_net_clear(&layered);
    }
    cr_assert_eq(status, F2L_OK);
    f2l_net_clear(&wired);
}
#endif

/* Letter a writes 1 and then does the gate of a second slot, letter b does a gate of 0 there. */
#define GATED(gate, code) \
    "lrnn-wired 2\nfsa " SAMPLE_SHA "\nlabel states\nletters 2\nletter a\nletter b\nlabels 2\n" \
    "symbol 0\nsymbol 1\nstart 1\ntables 0\nblocks 1\nblock 1 inputs 2\npre 0\nheads 1\n" \
    "head 1 key 1 value 1 slots 2\nslot 1 wire 1\non 1 gate 1 factors 1\n" \
    "factor 1 u 1:1 c 1:1\non 2 gate 1 factors 0\nslot 2 wire 1\non 1 gate " gate " factors 0\n" \
    "on 2 gate 0 factors 0\nreadouts 1\nreadout 1 head 1 rows 1 1 codes 2\ncode 1\n" \
    "code 2 1.1:" code "\npost 0\noutputs 2\nstages 1\nstage 1 block 1\ninitial\nend\n"

/* A gate of 0 forgets the slots before it; another gate after a factor is no layer's. */
Test(layered, gates)
{
    f2l_net wired, layered;
    f2l_error err;
    f2l_rng rng;
    f2l_rng_init(&rng, 13, 0);
    wired_read(&wired, GATED("1", "1"));
    f2l_net_init(&layered);
    cr_assert_eq(f2l_layered_make(&layered, &wired, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(layered.layer[0].head[0].letter[0].factors, 1);
    cr_assert_eq(mpq_sgn(layered.layer[0].head[0].letter[1].gate), 0);
    assert_same_labels(&wired, &layered, &rng);
    f2l_net_clear(&layered);
    f2l_net_clear(&wired);
    wired_read(&wired, GATED("1/2", "1/2"));
    cr_assert_eq(f2l_layered_make(&layered, &wired, NULL, &err), F2L_EDOMAIN);
    cr_assert_not_null(strstr(err.text, "slot 2 of a head of stage 1 has a gate"), "%s", err.text);
    f2l_net_clear(&wired);
}

/* Most of the random networks have few local states; others are refused, and leave nothing. */
Test(layered, random)
{
    size_t made = 0, refused = 0;
    f2l_rng rng;
    f2l_rng_init(&rng, 11, 0);
    for (size_t i = 0; i < 60; i++) {
        f2l_net wired, layered;
        f2l_error err;
        f2l_net_init(&wired);
        f2l_net_init(&layered);
        wired_random(&wired, &rng, &wired_shapes[i % WIRED_SHAPES]);
        const f2l_status status = f2l_layered_make(&layered, &wired, NULL, &err);
        if (status == F2L_OK) {
            assert_same_labels(&wired, &layered, &rng);
            made++;
        } else {
            cr_assert_eq(status, F2L_EDOMAIN, "%s", err.text);
            cr_assert_eq(layered.layers, 0);
            refused++;
        }
        f2l_net_clear(&layered);
        f2l_net_clear(&wired);
    }
    cr_assert_geq(made, 40);
    cr_assert_geq(refused, 5);
}

/* A step of a stage counts all of its gates. */
Test(layered, counts_its_steps)
{
    f2l_rng rng;
    f2l_net wired, layered;
    f2l_error err;
    f2l_effort effort = {0};
    const f2l_task task = {.effort = &effort};
    f2l_rng_init(&rng, 11, 0);
    f2l_net_init(&wired);
    f2l_net_init(&layered);
    wired_random(&wired, &rng, &wired_shapes[0]);
    cr_assert_eq(f2l_layered_make(&layered, &wired, &task, &err), F2L_OK, "%s", err.text);
    const uint64_t steps = effort.spent;
    f2l_net_clear(&layered);
    effort = (f2l_effort){.limit = steps - 1};
    cr_assert_eq(f2l_layered_make(&layered, &wired, &task, &err), F2L_UNKNOWN);
    cr_assert_eq(layered.layers, 0);
    effort = (f2l_effort){.limit = steps};
    cr_assert_eq(f2l_layered_make(&layered, &wired, &task, &err), F2L_OK, "%s", err.text);
    f2l_net_clear(&layered);
    f2l_net_clear(&wired);
}
