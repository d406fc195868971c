#include "models/network/exact/run_exact.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/mem.h"
#include "tests/support/models/naive_weight.h"
#include "tests/support/models/net_samples.h"
#include "tests/support/models/schedule_support.h"
#include <stdlib.h>

Test(schedule, is_found_by_name)
{
    cr_assert_str_eq(f2l_schedule_find("every")->name, "every");
    cr_assert(f2l_schedule_find("some") == NULL && f2l_schedule_find("") == NULL);
}

/* Steps by the header's formula, one MPFR operation at a time on dense vectors. */
static void naive_every(const f2l_head *head, size_t letter, const f2l_format *format, double *S)
{
    const f2l_transition *transition = &head->letter[letter];
    double gate = f2l_format_round_q(format, transition->gate), *k = calloc(head->n, sizeof *k);
    double *v = calloc(head->d, sizeof *v);
    for (size_t i = 0; gate != 1 && i < head->n * head->d; i++)
        S[i] = f2l_format_op_mpfr(format, F2L_MUL, S[i], gate);
    for (size_t f = 0; f < transition->factors; f++) {
        const f2l_factor *factor = &transition->factor[f];
        double beta = f2l_format_round_q(format, factor->beta);
        memset(k, 0, head->n * sizeof *k);
        memset(v, 0, head->d * sizeof *v);
        for (size_t i = 0; i < factor->u.count; i++)
            k[factor->u.index[i]] = naive_weight(factor->u.value[i], &factor->u, format);
        for (size_t j = 0; j < factor->c.count; j++)
            v[factor->c.index[j]] = naive_weight(factor->c.value[j], &factor->u, format);
        for (size_t j = 0; j < head->d; j++) {
            double r = 0;
            bool begun = false;
            for (size_t i = 0; i < head->n; i++) {
                if (k[i] == 0) continue;
                double product = f2l_format_op_mpfr(format, F2L_MUL, k[i], S[i * head->d + j]);
                r = begun ? f2l_format_op_mpfr(format, F2L_ADD, r, product) : product;
                begun = true;
            }
            if (v[j] != 0) r = f2l_format_op_mpfr(format, F2L_SUB, r, v[j]);
            r = f2l_format_op_mpfr(format, F2L_MUL, beta, r);
            for (size_t i = 0; i < head->n; i++) {
                if (k[i] == 0) continue;
                double change = f2l_format_op_mpfr(format, F2L_MUL, k[i], r);
                S[i * head->d + j] =
                    f2l_format_op_mpfr(format, F2L_SUB, S[i * head->d + j], change);
            }
        }
    }
    free(k);
    free(v);
}

static void compare_head(const f2l_net *net, const f2l_float_net *fast, const char *name, size_t l,
                         size_t h, f2l_rng *rng)
{
    const f2l_format *format = f2l_format_find(name);
    const f2l_head *head = &net->layer[l].head[h];
    size_t numbers = head->n * head->d;
    double *a = calloc(numbers, sizeof *a), *b = calloc(numbers, sizeof *b);
    for (size_t i = 0; i < numbers; i++)
        a[i] = b[i] = f2l_rng_below(rng, 3)
                          ? f2l_format_round(format, (double)f2l_rng_below(rng, 1000) / 77 - 6)
                          : 0;
    for (size_t step = 0; step < 5; step++) {
        size_t letter = f2l_rng_below(rng, net->layer[l].letters);
        f2l_float_step_head(fast, l, h, letter, a);
        naive_every(head, letter, format, b);
        for (size_t i = 0; i < numbers; i++)
            cr_assert(a[i] == b[i], "%s, step %zu, number %zu: %a, not %a", name, step, i, a[i],
                      b[i]);
    }
    free(a);
    free(b);
}

Test(schedule, every_is_the_formula_operation_by_operation)
{
    const sample_shape shape = {2, 2, 4, 5, 3, 3, 3, false, 12};
    static const char *const names[] = {"bf16", "fp16", "fp32", "fp64"};
    f2l_rng rng;
    f2l_rng_init(&rng, 91, 0);
    for (size_t n = 0; n < 120; n++) {
        f2l_net net;
        sample_random(&net, &rng, &shape);
        f2l_float_net *fast = rounded(&net, names[n % 4]);
        for (size_t l = 0; l < net.layers; l++)
            for (size_t h = 0; h < net.layer[l].heads; h++)
                compare_head(&net, fast, names[n % 4], l, h, &rng);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
}

/* With dyadic keys and few bits nothing is rounded in binary64, so the float step must equal the
 * exact one. */
Test(schedule, binary64_is_exact_on_dyadic_networks)
{
    const sample_shape shape = {2, 2, 4, 6, 3, 2, 3, true, 6};
    f2l_rng rng;
    f2l_rng_init(&rng, 92, 0);
    for (size_t n = 0; n < 100; n++) {
        f2l_net net;
        f2l_exact *exact;
        sample_random(&net, &rng, &shape);
        f2l_float_net *fast = rounded(&net, "fp64");
        cr_assert(f2l_exact_new(&exact, &net, NULL) == F2L_OK);
        double *joint = calloc(f2l_float_size(fast), sizeof *joint), *state = joint;
        f2l_float_start(fast, joint);
        for (size_t l = 0; l < net.layers; l++) {
            for (size_t h = 0; h < net.layer[l].heads; h++) {
                const f2l_head *head = &net.layer[l].head[h];
                f2l_qvec S;
                f2l_qvec_init(&S);
                cr_assert(f2l_qvec_copy(&S, &head->initial, NULL) == F2L_OK);
                for (size_t step = 0; step < 4; step++) {
                    size_t letter = f2l_rng_below(&rng, net.layer[l].letters), k = 0;
                    f2l_float_step_head(fast, l, h, letter, state);
                    cr_assert(f2l_exact_step_head(exact, &S, l, h, letter, &S, NULL) == F2L_OK);
                    for (size_t i = 0; i < head->n * head->d; i++) {
                        bool stored = k < S.count && S.index[k] == i;
                        cr_assert(state[i] == (stored ? mpq_get_d(S.value[k]) : 0),
                                  "seed 92, network %zu", n);
                        k += stored;
                    }
                }
                f2l_qvec_clear(&S);
                state += head->n * head->d;
            }
        }
        free(joint);
        f2l_exact_free(exact);
        f2l_float_net_free(fast);
        f2l_net_clear(&net);
    }
}

Test(schedule, s3_in_two_layers_is_exact_in_bf16)
{
    f2l_net net;
    f2l_rng rng;
    f2l_rng_init(&rng, 93, 0);
    sample_s3_layers(&net);
    f2l_float_net *fast = rounded(&net, "bf16");
    cr_assert(f2l_float_size(fast) == 5 && f2l_float_layer_size(fast, 0) == 1 &&
              f2l_float_layer_size(fast, 1) == 4);
    double joint[5];
    uint32_t label;
    size_t element = 0;
    f2l_float_start(fast, joint);
    cr_assert(joint[0] == 1 && joint[1] == 1 && joint[4] == 1);
    for (size_t t = 0; t < 5000; t++) {
        size_t letter = f2l_rng_below(&rng, 6);
        element = sample_s3_times(element, letter);
        cr_assert(f2l_float_step(fast, joint, letter, &label, NULL) == F2L_OK && label == element,
                  "seed 93, letter %zu", t);
    }
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

/* 2^-30 is 0 in binary16: the second coordinate is not part of the key, so the state's number
 * there, even infinity, is not read. */
Test(schedule, coordinates_that_round_to_zero_are_left_out)
{
    f2l_net net;
    sample_read(&net, SAMPLE_PARITY);
    net.layer[0].head[0].n = 2;
    sample_push(&net.layer[0].head[0].letter[1].factor[0].u, 1, 1, 1ul << 30);
    f2l_float_net *fast = rounded(&net, "fp16");
    double state[] = {1, INFINITY};
    f2l_float_step_head(fast, 0, 0, 1, state);
    cr_assert(state[0] == -1 && state[1] == INFINITY);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

Test(schedule, gate_zero_resets)
{
    f2l_net net;
    sample_read(&net, SAMPLE_FLIPFLOP);
    f2l_float_net *fast = rounded(&net, "fp32");
    double joint[5];
    uint32_t label;
    f2l_float_start(fast, joint);
    cr_assert(f2l_float_step(fast, joint, 1, &label, NULL) == F2L_OK && label == 1 &&
              joint[0] == 1);
    cr_assert(f2l_float_step(fast, joint, 2, &label, NULL) == F2L_OK && label == 3 &&
              joint[0] == 0);
    cr_assert(f2l_float_step(fast, joint, 1, &label, NULL) == F2L_OK && label == 0 &&
              joint[0] == 1);
    cr_assert(f2l_float_step(fast, joint, 0, &label, NULL) == F2L_OK && label == 0);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

Test(schedule, refuses_a_network_that_is_not_valid)
{
    f2l_net net;
    f2l_float_net *fast;
    sample_read(&net, SAMPLE_PARITY);
    net.start = 2;
    cr_assert(f2l_float_net_new(&fast, &net, f2l_format_find("bf16"), f2l_schedule_find("every"),
                                NULL) == F2L_EDOMAIN);
    cr_assert(fast == NULL);
    f2l_float_net_free(fast);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
Test(schedule, survives_every_failed_allocation)
{
    f2l_net net;
    sample_s3_layers(&net);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_float_net *fast;
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = f2l_float_net_new(&fast, &net, f2l_format_find("fp16"),
                                              f2l_schedule_find("every"), NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && fast == NULL), "allocation %zu", n);
        if (status == F2L_ENOMEM) failures++;
        f2l_float_net_free(fast);
    }
    cr_assert(failures > 30);
    f2l_net_clear(&net);
}
#endif
