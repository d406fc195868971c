#include "models/network/schedule/schedule.h"
#include "numeric/base/mem.h"
#include "tests/support/models/wired_samples.h"
#include <math.h>

static f2l_float_net *rounded(const f2l_net *net, const char *format)
{
    f2l_float_net *out;
    f2l_error err = {0};
    f2l_status status =
        f2l_float_net_new(&out, net, f2l_format_find(format), f2l_schedule_find("every"), &err);
    cr_assert(status == F2L_OK, "%s", err.text);
    return out;
}

static const char *const formats[] = {"bf16", "fp16", "fp32", "fp64"};

Test(wired_float, a_counter_counts_in_every_format)
{
    f2l_net net;
    f2l_rng rng;
    f2l_rng_init(&rng, 182, 0);
    wired_read(&net, SAMPLE_WIRED);
    for (size_t f = 0; f < 4; f++) {
        f2l_float_net *run = rounded(&net, formats[f]);
        const double start[8] = {1, 0, 0, 0, 1, 0, 0, 0};
        double joint[8];
        wired_counter c = {0};
        cr_assert(f2l_float_size(run) == 8);
        f2l_float_start(run, joint);
        cr_assert(memcmp(joint, start, sizeof joint) == 0);
        for (size_t t = 0; t < 1000; t++) {
            size_t letter = f2l_rng_below(&rng, 3);
            uint32_t label = 9;
            wired_count(&c, letter);
            cr_assert(f2l_float_step(run, joint, letter, &label, NULL) == F2L_OK);
            cr_assert(label == c.value, "%s, seed 182, letter %zu", formats[f], t);
            for (size_t l = 0; l < 2; l++) {
                cr_assert(joint[4 * l] == (c.joint[3 * l] ? -1 : 1));
                cr_assert(joint[4 * l + 1] == (c.joint[3 * l + 1] ? 2.5 : 0));
                cr_assert(joint[4 * l + 2] == 0 &&
                          joint[4 * l + 3] == (c.joint[3 * l + 2] ? -1 : 0));
            }
        }
        f2l_float_net_free(run);
    }
    f2l_net_clear(&net);
}

/* --- number formats: every operation in rationals, then rounded --- */

static double rounded_operation(const f2l_format *format, f2l_operation operation, double a,
                                double b)
{
    mpq_t x, y;
    mpq_inits(x, y, (mpq_ptr)NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    if (operation == F2L_MUL)
        mpq_mul(x, x, y);
    else if (operation == F2L_ADD)
        mpq_add(x, x, y);
    else
        mpq_sub(x, x, y);
    const double out = f2l_format_round_q(format, x);
    mpq_clears(x, y, (mpq_ptr)NULL);
    return out;
}

/* Returns x / |u| in the format, from 400 bits of the root of x^2 / u^T u and one more bit that
 * marks an inexact root. */
static double rounded_weight(const f2l_format *format, const mpq_t x, const f2l_qvec *u)
{
    mpq_t square, t;
    mpz_t root, rest;
    mpq_inits(square, t, (mpq_ptr)NULL);
    mpz_inits(root, rest, (mpz_ptr)NULL);
    for (size_t k = 0; k < u->count; k++) {
        mpq_mul(t, u->value[k], u->value[k]);
        mpq_add(square, square, t);
    }
    mpq_mul(t, x, x);
    mpq_div(square, t, square);
    mpq_mul_2exp(square, square, 800);
    mpz_fdiv_qr(root, rest, mpq_numref(square), mpq_denref(square));
    bool exact = mpz_sgn(rest) == 0;
    mpz_sqrtrem(root, rest, root);
    exact = exact && mpz_sgn(rest) == 0;
    mpz_mul_2exp(root, root, 1);
    if (!exact) mpz_add_ui(root, root, 1);
    mpq_set_z(t, root);
    mpq_div_2exp(t, t, 401);
    if (mpq_sgn(x) < 0) mpq_neg(t, t);
    const double out = f2l_format_round_q(format, t);
    mpz_clears(root, rest, (mpz_ptr)NULL);
    mpq_clears(square, t, (mpq_ptr)NULL);
    return out;
}

/* Does the steps that the header of models/network/schedule/schedule.h defines, one operation at a
 * time. */
static void rounded_slot(const f2l_format *format, const f2l_wired_head *head, size_t slot,
                         size_t value, double *S)
{
    const f2l_transition *letter = &head->head.letter[head->slot_at[slot] + value];
    const size_t d = head->head.d;
    double gate = f2l_format_round_q(format, letter->gate), key[16];
    for (size_t i = 0; gate != 1 && i < head->head.n * d; i++)
        S[i] = rounded_operation(format, F2L_MUL, S[i], gate);
    for (size_t f = 0; f < letter->factors; f++) {
        const f2l_factor *factor = &letter->factor[f];
        const double beta = f2l_format_round_q(format, factor->beta);
        cr_assert(factor->u.count <= 16);
        for (size_t k = 0; k < factor->u.count; k++)
            key[k] = rounded_weight(format, factor->u.value[k], &factor->u);
        for (size_t j = 0; j < d; j++) {
            double r = 0, v = 0;
            for (size_t k = 0; k < factor->u.count; k++)
                r = rounded_operation(
                    format, F2L_ADD, r,
                    rounded_operation(format, F2L_MUL, key[k], S[factor->u.index[k] * d + j]));
            for (size_t k = 0; k < factor->c.count; k++)
                if (factor->c.index[k] == j)
                    v = rounded_weight(format, factor->c.value[k], &factor->u);
            r = rounded_operation(format, F2L_MUL, beta, rounded_operation(format, F2L_SUB, r, v));
            for (size_t k = 0; k < factor->u.count; k++) {
                double *entry = &S[factor->u.index[k] * d + j];
                *entry = rounded_operation(format, F2L_SUB, *entry,
                                           rounded_operation(format, F2L_MUL, key[k], r));
            }
        }
    }
}

Test(wired_float, slots_step_in_every_format_operation_by_operation)
{
    const sample_shape shape = {1, 1, 3, 5, 3, 3, 1, false, 12};
    f2l_rng rng;
    f2l_rng_init(&rng, 186, 0);
    for (size_t n = 0; n < 120; n++) {
        f2l_net net;
        wired_one_head(&net, &rng, &shape);
        const f2l_wired_head *head = &net.block[0].head[0];
        const f2l_format *format = f2l_format_find(formats[n % 4]);
        f2l_float_net *run = rounded(&net, formats[n % 4]);
        double a[16], b[16];
        for (size_t i = 0; i < head->head.n * head->head.d; i++)
            a[i] = b[i] = f2l_rng_below(&rng, 3)
                              ? f2l_format_round(format, (double)f2l_rng_below(&rng, 1000) / 77 - 6)
                              : 0;
        for (size_t t = 0; t < 8; t++) {
            size_t slot = f2l_rng_below(&rng, head->slots), value = f2l_rng_below(&rng, 3);
            f2l_float_step_slot(run, 0, 0, slot, value, a);
            rounded_slot(format, head, slot, value, b);
            for (size_t i = 0; i < head->head.n * head->head.d; i++)
                cr_assert(a[i] == b[i], "seed 186, network %zu, step %zu, number %zu: %a, not %a",
                          n, t, i, a[i], b[i]);
        }
        f2l_float_net_free(run);
        f2l_net_clear(&net);
    }
}

/* Returns the code at the least distance, by rationals; F2L_NO_SYMBOL when two codes have it. */
static uint32_t nearest_code(const double *rows, size_t numbers, const f2l_wired_readout *readout)
{
    mpq_t best, distance, t, s;
    uint32_t code = F2L_NO_SYMBOL;
    mpq_inits(best, distance, t, s, (mpq_ptr)NULL);
    for (size_t c = 0; c < readout->codes; c++) {
        mpq_set_ui(distance, 0, 1);
        for (size_t i = 0, k = 0; i < numbers; i++) {
            mpq_set_d(t, rows[i]);
            bool stored = k < readout->code[c].count && readout->code[c].index[k] == i;
            if (stored) mpq_sub(t, t, readout->code[c].value[k++]);
            mpq_mul(s, t, t);
            mpq_add(distance, distance, s);
        }
        int order = c == 0 ? -1 : mpq_cmp(distance, best);
        if (order < 0) mpq_set(best, distance);
        code = order < 0 ? (uint32_t)c : order == 0 ? F2L_NO_SYMBOL : code;
    }
    mpq_clears(best, distance, t, s, (mpq_ptr)NULL);
    return code;
}

/* Steps as f2l_float_step does, and returns the label. */
static uint32_t rounded_step(const f2l_net *net, const f2l_format *format, double *joint,
                             size_t letter)
{
    uint32_t wire[128] = {(uint32_t)letter}, out[128] = {(uint32_t)letter};
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        size_t w = block->inputs, r = 0;
        memcpy(wire, out, w * sizeof *wire);
        for (size_t g = 0; g < block->pres; g++, w++)
            wire[w] = wired_look_up(net, &block->pre[g], wire);
        double *S = joint;
        for (size_t h = 0; h < block->heads; h++) {
            for (size_t j = 0; j < block->head[h].slots; j++)
                rounded_slot(format, &block->head[h], j, wire[block->head[h].wire[j]], S);
            S += block->head[h].head.n * block->head[h].head.d;
        }
        for (size_t h = 0; h < block->heads; h++) {
            const f2l_head *head = &block->head[h].head;
            for (; r < block->readouts && block->readout[r].head == h; r++, w++) {
                const f2l_wired_readout *readout = &block->readout[r];
                wire[w] =
                    nearest_code(joint + readout->row * head->d, readout->rows * head->d, readout);
                if (wire[w] == F2L_NO_SYMBOL) return F2L_NO_SYMBOL;
            }
            joint += head->n * head->d;
        }
        for (size_t g = 0; g < block->posts; g++, w++)
            wire[w] = wired_look_up(net, &block->post[g], wire);
        for (size_t o = 0; o < block->outputs; o++) out[o] = wire[block->output[o]];
    }
    return out[0];
}

Test(wired_float, networks_step_in_every_format_operation_by_operation)
{
    f2l_rng rng;
    size_t steps = 0, lost = 0;
    f2l_rng_init(&rng, 187, 0);
    for (size_t n = 0; n < 80; n++) {
        f2l_net net;
        wired_random(&net, &rng, &wired_shapes[n % 2]);
        const f2l_format *format = f2l_format_find(formats[n % 4]);
        f2l_float_net *run = rounded(&net, formats[n % 4]);
        size_t numbers = f2l_float_size(run);
        double *a = calloc(numbers + 1, sizeof *a), *b = calloc(numbers + 1, sizeof *b);
        f2l_float_start(run, a);
        memcpy(b, a, numbers * sizeof *a);
        for (size_t t = 0; t < 30; t++) {
            size_t letter = f2l_rng_below(&rng, net.letters.count);
            uint32_t label = 9, expected = rounded_step(&net, format, b, letter);
            cr_assert(f2l_float_step(run, a, letter, &label, NULL) == F2L_OK);
            cr_assert(label == expected, "seed 187, network %zu, letter %zu: %u, not %u", n, t,
                      label, expected);
            for (size_t i = 0; i < numbers; i++)
                cr_assert(a[i] == b[i], "seed 187, network %zu, letter %zu, number %zu", n, t, i);
            steps++;
            lost += label == F2L_NO_SYMBOL;
        }
        free(a);
        free(b);
        f2l_float_net_free(run);
        f2l_net_clear(&net);
    }
    cr_assert(lost < steps / 2, "%zu of %zu", lost, steps);
}

/* A state half way between two codes, NaN and infinity have no label, and later stages keep their
 * states. */
Test(wired_float, states_without_a_nearest_code_have_no_label)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    f2l_float_net *run = rounded(&net, "fp32");
    const double bad[] = {0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 4; i++) {
        double joint[8];
        uint32_t label = 9;
        f2l_float_start(run, joint);
        joint[0] = bad[i];
        joint[7] = 0.25;
        cr_assert(f2l_float_step(run, joint, 1, &label, NULL) == F2L_OK && label == F2L_NO_SYMBOL);
        cr_assert(joint[3] == -1 && joint[4] == 1 && joint[7] == 0.25, "%a", bad[i]);
        joint[0] = 0.75;
        cr_assert(f2l_float_step(run, joint, 0, &label, NULL) == F2L_OK && label == 0);
    }
    f2l_float_net_free(run);
    f2l_net_clear(&net);
}

Test(wired_float, refuses_a_network_that_is_not_valid)
{
    f2l_net net;
    f2l_float_net *run;
    wired_read(&net, SAMPLE_WIRED);
    net.table[2].value[0] = 3;
    cr_assert(f2l_float_net_new(&run, &net, f2l_format_find("bf16"), f2l_schedule_find("every"),
                                NULL) == F2L_EDOMAIN);
    cr_assert(run == NULL);
    f2l_float_net_free(run);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
static f2l_status walk_roughly(const f2l_net *net)
{
    f2l_float_net *run;
    double joint[8];
    uint32_t label;
    f2l_status status =
        f2l_float_net_new(&run, net, f2l_format_find("bf16"), f2l_schedule_find("every"), NULL);
    if (status != F2L_OK) return status;
    f2l_float_start(run, joint);
    for (size_t t = 0; t < 6 && status == F2L_OK; t++)
        status = f2l_float_step(run, joint, t % 3, &label, NULL);
    f2l_float_net_free(run);
    return status;
}

Test(wired_float, survives_every_failed_allocation)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = walk_roughly(&net);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 40, "%zu", failures);
    f2l_net_clear(&net);
}
#endif
