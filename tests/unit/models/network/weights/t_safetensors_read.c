/* Weights read back after writing, number for number; failures of memory leave nothing behind.
 * Files that must be refused are in the fuzz corpus (tests/fuzz/corpus/safetensors). */
#include "models/network/weights/safetensors_read.h"
#include "models/network/weights/weights.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/models/hand_nets.h"
#include "tests/support/models/net_samples.h"

#define SEED 20261123

static void written(f2l_buf *out, const f2l_net *net)
{
    f2l_fsa fsa;
    f2l_weights_report report;
    f2l_error err = {0};
    f2l_fsa_init(&fsa);
    f2l_buf_init(out);
    cr_assert_eq(f2l_names_copy(&fsa.letters, &net->letters, NULL), F2L_OK);
    cr_assert_eq(f2l_weights_write(out, &report, net, &fsa, F2L_WEIGHTS_AUTO, &err), F2L_OK, "%s",
                 err.text);
    f2l_fsa_clear(&fsa);
}

static bool same_factor(const f2l_factor *a, const f2l_factor *b)
{
    return mpq_equal(a->beta, b->beta) && f2l_qvec_compare(&a->u, &b->u) == 0 &&
           f2l_qvec_compare(&a->c, &b->c) == 0;
}

/* Compares two heads; the writer pads with factors that do nothing. */
static void check_head(const f2l_head *a, const f2l_head *b, size_t letters)
{
    cr_assert(b->raw && a->n == b->n && a->d == b->d &&
              f2l_qvec_compare(&a->initial, &b->initial) == 0);
    for (size_t x = 0; x < letters; x++) {
        const f2l_transition *t = &a->letter[x], *s = &b->letter[x];
        cr_assert(mpq_equal(t->gate, s->gate) && f2l_qvec_compare(&t->bias, &s->bias) == 0);
        cr_assert(s->factors >= t->factors);
        for (size_t f = 0; f < s->factors; f++) {
            if (f < t->factors)
                cr_assert(same_factor(&t->factor[f], &s->factor[f]));
            else
                cr_assert(mpq_sgn(s->factor[f].beta) == 0 && s->factor[f].u.count == 0);
        }
    }
}

static void random_dyadics(f2l_qvec *v, size_t n, bool some, f2l_rng *rng)
{
    for (size_t i = 0; i < n; i++)
        if (f2l_rng_below(rng, 2) || (some && v->count == 0 && i + 1 == n))
            cr_assert_eq(f2l_qvec_push_si(v, (uint32_t)i, 1 - 2 * (long)f2l_rng_below(rng, 2),
                                          1ul << (2 + f2l_rng_below(rng, 40)), NULL),
                         F2L_OK);
}

/* Makes a network of raw heads with small keys, so that beta u^T u <= 2. */
static void random_raw(f2l_net *net, const f2l_fsa *fsa, f2l_rng *rng)
{
    const size_t states = fsa->states.count;
    hand_net(net, fsa, F2L_LABEL_STATES, 1);
    cr_assert_eq(f2l_layer_set_heads(&net->layer[0], 2, 2, NULL), F2L_OK);
    for (size_t h = 0; h < 2; h++) {
        f2l_head *head = &net->layer[0].head[h];
        head->n = 1 + f2l_rng_below(rng, 4);
        head->d = 1 + f2l_rng_below(rng, 2);
        head->raw = true;
        random_dyadics(&head->initial, head->n * head->d, false, rng);
        for (size_t x = 0; x < 2; x++) {
            f2l_transition *t = &head->letter[x];
            cr_assert_eq(f2l_transition_set_factors(t, 1 + f2l_rng_below(rng, 2), NULL), F2L_OK);
            mpq_set_si(t->gate, (long)f2l_rng_below(rng, 5), 4);
            mpq_canonicalize(t->gate);
            random_dyadics(&t->bias, head->n * head->d, false, rng);
            for (size_t f = 0; f < t->factors; f++) {
                mpq_set_si(t->factor[f].beta, (long)f2l_rng_below(rng, 9), 1024);
                mpq_canonicalize(t->factor[f].beta);
                random_dyadics(&t->factor[f].u, head->n, true, rng);
                random_dyadics(&t->factor[f].c, head->d, false, rng);
            }
        }
    }
    cr_assert_eq(f2l_layer_set_codes(&net->layer[0], 2, states, false, NULL), F2L_OK);
    cr_assert_eq(f2l_qvec_push_si(&net->layer[0].code[0], 0, 1, 1, NULL), F2L_OK);
}

Test(safetensors_read, raw_heads_number_for_number)
{
    f2l_rng rng;
    f2l_fsa fsa;
    f2l_rng_init(&rng, SEED, 0);
    fsa_from_text(&fsa, hand_parity_text);
    for (size_t i = 0; i < 200; i++) {
        f2l_net net, again;
        f2l_buf bytes;
        f2l_error err = {0};
        random_raw(&net, &fsa, &rng);
        written(&bytes, &net);
        f2l_net_init(&again);
        cr_assert_eq(f2l_safetensors_read(&again, bytes.data, bytes.size, &err), F2L_OK, "%s",
                     err.text);
        cr_assert(again.layers == 1 && again.layer[0].heads == 2 && again.layer[0].letters == 2);
        cr_assert(again.letters.count == 2 && strcmp(f2l_names_get(&again.letters, 1), "1") == 0);
        for (size_t h = 0; h < 2; h++)
            check_head(&net.layer[0].head[h], &again.layer[0].head[h], 2);
        f2l_net_clear(&again);
        f2l_net_clear(&net);
        f2l_buf_clear(&bytes);
    }
    f2l_fsa_clear(&fsa);
}

/* Keys are u/|u| in the file: 3/5 and 4/5 are read as the nearest doubles. The file without its end
 * is refused wherever it is cut. */
Test(safetensors_read, unit_keys_and_cut_files)
{
    f2l_net net, again;
    f2l_buf bytes;
    f2l_error err = {0};
    f2l_net_init(&net);
    f2l_net_init(&again);
    cr_assert_eq(f2l_net_read(&net, SAMPLE_FLIPFLOP, strlen(SAMPLE_FLIPFLOP), &err), F2L_OK);
    written(&bytes, &net);
    cr_assert_eq(f2l_safetensors_read(&again, bytes.data, bytes.size, &err), F2L_OK, "%s",
                 err.text);
    const f2l_qvec *key = &again.layer[0].head[1].letter[1].factor[0].u;
    cr_assert(key->count == 2 && mpq_get_d(key->value[0]) == 0.6 &&
              mpq_get_d(key->value[1]) == 0.8);
    cr_assert_eq(mpq_sgn(again.layer[0].head[0].letter[1].gate), 0);
    f2l_net_clear(&again);
    for (size_t size = 0; size < bytes.size; size++) {
        cr_assert_eq(f2l_safetensors_read(&again, bytes.data, size, &err), F2L_EFORMAT, "%zu",
                     size);
        cr_assert(again.layers == 0 && again.letters.count == 0);
    }
    f2l_buf_clear(&bytes);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(safetensors_read, memory_failures)
{
    f2l_net net;
    f2l_buf bytes;
    f2l_error err;
    size_t n = 0;
    f2l_status status = F2L_ENOMEM;
    f2l_net_init(&net);
    cr_assert_eq(f2l_net_read(&net, SAMPLE_FLIPFLOP, strlen(SAMPLE_FLIPFLOP), &err), F2L_OK);
    written(&bytes, &net);
    while (status == F2L_ENOMEM) {
        f2l_net again;
        f2l_net_init(&again);
        f2l_mem_fail_after(++n, false);
        status = f2l_safetensors_read(&again, bytes.data, bytes.size, &err);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || again.layers == 0);
        f2l_net_clear(&again);
    }
    cr_assert(status == F2L_OK && n > 10);
    f2l_buf_clear(&bytes);
    f2l_net_clear(&net);
}
#endif
