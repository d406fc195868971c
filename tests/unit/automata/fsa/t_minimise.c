#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/fsa_text.h"
#include <stdio.h>
#include <stdlib.h>

#define MOST 40

static void random_fsa(f2l_fsa *fsa, f2l_rng *rng)
{
    f2l_fsa_init(fsa);
    const size_t n = 1 + (size_t)f2l_rng_below(rng, MOST), k = 1 + (size_t)f2l_rng_below(rng, 3);
    char name[32];
    size_t index;
    for (size_t s = 0; s < n; s++)
        cr_assert(f2l_names_add(&fsa->states, name, (size_t)snprintf(name, sizeof name, "q%zu", s),
                                &index, NULL) == F2L_OK);
    for (size_t a = 0; a < k; a++)
        cr_assert(f2l_names_add(&fsa->letters, name, (size_t)snprintf(name, sizeof name, "l%zu", a),
                                &index, NULL) == F2L_OK);
    for (size_t o = 0; o < 3; o++)
        cr_assert(f2l_names_add(&fsa->outputs, name, (size_t)snprintf(name, sizeof name, "o%zu", o),
                                &index, NULL) == F2L_OK);
    fsa->next = f2l_calloc(n * k, sizeof *fsa->next);
    fsa->accept = f2l_calloc(n, sizeof *fsa->accept);
    fsa->output = f2l_calloc(n, sizeof *fsa->output);
    fsa->edge_output = f2l_calloc(n * k, sizeof *fsa->edge_output);
    cr_assert(f2l_names_copy(&fsa->edge_outputs, &fsa->outputs, NULL) == F2L_OK);
    fsa->has_accept = true;
    /* Labels and targets depend on a random residue, so that quotients are often proper. */
    const size_t m = 1 + (size_t)f2l_rng_below(rng, 6);
    const bool noisy = f2l_rng_below(rng, 2) != 0;
    uint32_t residue[6 * 3];
    for (size_t i = 0; i < m * k; i++) residue[i] = (uint32_t)f2l_rng_below(rng, m);
    for (size_t s = 0; s < n; s++) {
        fsa->accept[s] = (s % m) % 2 == 0;
        fsa->output[s] = (uint32_t)((s % m) % 3);
        for (size_t a = 0; a < k; a++) {
            size_t t = residue[s % m * k + a] + m * (size_t)f2l_rng_below(rng, n / m + 1);
            if (t >= n || (noisy && f2l_rng_below(rng, 10) == 0)) t = (size_t)f2l_rng_below(rng, n);
            fsa->next[s * k + a] = (uint32_t)t;
            fsa->edge_output[s * k + a] = (uint32_t)((s % m + a) % 3);
        }
    }
    fsa->start = (size_t)f2l_rng_below(rng, n);
}

/* Sets apart[p][q] where a label or a word tells p and q apart, by Moore's refinement on the
 * relation itself. */
static void tell_apart(bool apart[MOST][MOST], const f2l_fsa *fsa, f2l_label label)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < n; q++)
            apart[p][q] = label != F2L_LABEL_EDGES &&
                          strcmp(f2l_fsa_label(fsa, label, p), f2l_fsa_label(fsa, label, q)) != 0;
    for (size_t e = 0; label == F2L_LABEL_EDGES && e < n * n * k; e++)
        apart[e / k / n][e / k % n] |=
            fsa->edge_output[e / k / n * k + e % k] != fsa->edge_output[e / k % n * k + e % k];
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t p = 0; p < n; p++)
            for (size_t q = 0; q < n; q++)
                for (size_t a = 0; a < k && !apart[p][q]; a++)
                    if (apart[fsa->next[p * k + a]][fsa->next[q * k + a]])
                        apart[p][q] = changed = true;
    }
}

static void check_quotient(const f2l_fsa *out, const uint32_t *classes, const f2l_fsa *fsa,
                           f2l_label label)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    bool apart[MOST][MOST];
    tell_apart(apart, fsa, label);
    size_t met = 0;
    for (size_t p = 0; p < n; p++) {
        for (size_t q = 0; q < n; q++) cr_assert((classes[p] != classes[q]) == apart[p][q]);
        cr_assert(classes[p] <= met);
        if (classes[p] == met)
            cr_assert_str_eq(f2l_names_get(&out->states, met++), f2l_names_get(&fsa->states, p));
        for (size_t a = 0; a < k; a++)
            cr_assert(out->next[classes[p] * k + a] == classes[fsa->next[p * k + a]]);
        for (size_t a = 0; a < k && label == F2L_LABEL_EDGES; a++)
            cr_assert_str_eq(f2l_fsa_edge_label(out, label, classes[p], a),
                             f2l_fsa_edge_label(fsa, label, p, a));
        if (label == F2L_LABEL_OUTPUTS || label == F2L_LABEL_ACCEPT)
            cr_assert_str_eq(f2l_fsa_label(out, label, classes[p]), f2l_fsa_label(fsa, label, p));
    }
    cr_assert(out->states.count == met && out->start == classes[fsa->start] &&
              out->track == F2L_TRACK_STATES);
    const bool states = label == F2L_LABEL_STATES;
    cr_assert(out->has_accept == (states || label == F2L_LABEL_ACCEPT));
    cr_assert((out->output != NULL) == (states || label == F2L_LABEL_OUTPUTS) &&
              (out->outputs.count == 0) == !out->output);
    cr_assert((out->edge_output != NULL) == (label == F2L_LABEL_EDGES) &&
              (out->edge_outputs.count == 0) == !out->edge_output);
}

Test(minimise, against_moore)
{
    const uint64_t seed = 53;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    cr_log_info("seed %llu", (unsigned long long)seed);
    size_t proper = 0;
    for (int round = 0; round < 600; round++) {
        f2l_fsa fsa, out;
        random_fsa(&fsa, &rng);
        const f2l_label label[] = {F2L_LABEL_ACCEPT, F2L_LABEL_OUTPUTS, F2L_LABEL_STATES,
                                   F2L_LABEL_EDGES};
        for (size_t i = 0; i < sizeof label / sizeof *label; i++) {
            f2l_fsa_init(&out);
            uint32_t *classes;
            f2l_error err = {0};
            cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, label[i], NULL, &err) == F2L_OK, "%s",
                      err.text);
            check_quotient(&out, classes, &fsa, label[i]);
            proper += out.states.count > 2 && out.states.count < fsa.states.count;
            f2l_free(classes);
            f2l_fsa_clear(&out);
        }
        f2l_fsa_clear(&fsa);
    }
    cr_assert(proper > 100, "only %zu of the quotients were interesting", proper);
}

/* A chain from which a naive refinement splits off one state at a time. */
Test(minimise, chain)
{
    enum { N = 100000 };
    f2l_fsa fsa, out;
    f2l_fsa_init(&fsa);
    char name[32];
    size_t index;
    fsa.next = f2l_calloc(2 * N, sizeof *fsa.next);
    fsa.accept = f2l_calloc(2 * N, 1);
    cr_assert(f2l_names_add(&fsa.letters, "a", 1, &index, NULL) == F2L_OK);
    for (size_t s = 0; s < 2 * N; s++) {
        cr_assert(f2l_names_add(&fsa.states, name, (size_t)snprintf(name, sizeof name, "%zu", s),
                                &index, NULL) == F2L_OK);
        fsa.next[s] = (uint32_t)((s + 1) % (2 * N));
    }
    fsa.has_accept = true;
    fsa.accept[N - 1] = fsa.accept[2 * N - 1] = 1;
    f2l_fsa_init(&out);
    uint32_t *classes;
    cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL) == F2L_OK);
    cr_assert(out.states.count == N && classes[N + 5] == 5 && out.next[N - 1] == 0 &&
              out.accept[N - 1]);
    f2l_free(classes);
    f2l_fsa_clear(&out);
    f2l_fsa_clear(&fsa);
}

Test(minimise, group_forms_become_edges)
{
    f2l_fsa fsa, out;
    fsa_from_text(&fsa, "points 3\n"
                        "track elements\n"
                        "accept \"()\" \"(1 2 3)\" \"(1 3 2)\"\n"
                        "permute a (1 2)\n"
                        "permute b (1 2 3)\n");
    f2l_fsa_init(&out);
    uint32_t *classes;
    cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL) == F2L_OK);
    f2l_buf text;
    f2l_buf_init(&text);
    cr_assert(f2l_fsa_write(&text, &out, NULL) == F2L_OK);
    cr_assert_str_eq(text.data, "fsa 1\n"
                                "letters a b\n"
                                "states \"()\" \"(1 2)\"\n"
                                "start \"()\"\n"
                                "accept \"()\"\n"
                                "\"()\" a \"(1 2)\"\n"
                                "\"()\" b \"()\"\n"
                                "\"(1 2)\" a \"()\"\n"
                                "\"(1 2)\" b \"(1 2)\"\n");
    f2l_buf_clear(&text);
    f2l_free(classes);
    f2l_fsa_clear(&out);
    f2l_fsa_clear(&fsa);
}

Test(minimise, refuses_absent_labels)
{
    f2l_fsa fsa, out;
    fsa_from_text(&fsa, "start p\np a p\n");
    f2l_fsa_init(&out);
    uint32_t *classes;
    cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_ACCEPT, NULL, NULL) == F2L_EDOMAIN &&
              classes == NULL);
    cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_OUTPUTS, NULL, NULL) ==
                  F2L_EDOMAIN &&
              classes == NULL);
    const volatile sig_atomic_t cancel = 2;
    const f2l_task task = {.cancel = &cancel};
    cr_assert(f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_STATES, &task, NULL) ==
                  F2L_UNKNOWN &&
              classes == NULL);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(minimise, every_allocation_may_fail)
{
    f2l_fsa fsa, out;
    fsa_from_text(&fsa, "start p\noutput p X\noutput q Y\noutput r X\np a q\nq a r\nr a q\n");
    f2l_status status = F2L_ENOMEM;
    size_t n = 1;
    for (; status == F2L_ENOMEM; n++) {
        f2l_fsa_init(&out);
        uint32_t *classes;
        f2l_mem_fail_after(n, false);
        status = f2l_fsa_minimise(&out, &classes, &fsa, F2L_LABEL_OUTPUTS, NULL, NULL);
        f2l_mem_fail_after(0, false);
        if (status != F2L_OK) cr_assert(classes == NULL && out.next == NULL);
        f2l_free(classes);
        f2l_fsa_clear(&out);
    }
    cr_assert(status == F2L_OK && n > 12);
    f2l_fsa_clear(&fsa);
}
#endif
