#include "models/network/exact/run_exact.h"
#include "numeric/base/mem.h"
#include "tests/support/models/dense.h"
#include "tests/support/models/wired_samples.h"

/* --- the textbook computation: dense rationals, tables looked up one digit at a time --- */

/* Does S <- S - (beta / u^T u) u (u^T S - c^T). */
static void textbook_factor(dense *S, const f2l_factor *factor)
{
    mpq_t r, t, norm2;
    mpq_inits(r, t, norm2, (mpq_ptr)NULL);
    for (size_t k = 0; k < factor->u.count; k++) {
        mpq_mul(t, factor->u.value[k], factor->u.value[k]);
        mpq_add(norm2, norm2, t);
    }
    for (size_t j = 0; j < S->columns; j++) {
        mpq_set_ui(r, 0, 1);
        for (size_t k = 0; k < factor->u.count; k++) {
            mpq_mul(t, factor->u.value[k], S->at[factor->u.index[k] * S->columns + j]);
            mpq_add(r, r, t);
        }
        for (size_t k = 0; k < factor->c.count; k++)
            if (factor->c.index[k] == j) mpq_sub(r, r, factor->c.value[k]);
        mpq_mul(r, r, factor->beta);
        mpq_div(r, r, norm2);
        for (size_t k = 0; k < factor->u.count; k++) {
            mpq_t *entry = &S->at[factor->u.index[k] * S->columns + j];
            mpq_mul(t, factor->u.value[k], r);
            mpq_sub(*entry, *entry, t);
        }
    }
    mpq_clears(r, t, norm2, (mpq_ptr)NULL);
}

static void textbook_slot(dense *S, const f2l_wired_head *head, size_t slot, size_t value)
{
    const f2l_transition *letter = &head->head.letter[head->slot_at[slot] + value];
    for (size_t i = 0; i < S->rows * S->columns; i++) mpq_mul(S->at[i], S->at[i], letter->gate);
    for (size_t f = 0; f < letter->factors; f++) textbook_factor(S, &letter->factor[f]);
}

/* Returns the code equal to the readout's rows, F2L_NO_SYMBOL when there is none. */
static uint32_t textbook_code(const dense *S, const f2l_wired_readout *readout)
{
    const dense rows = {
        .rows = readout->rows, .columns = S->columns, .at = S->at + readout->row * S->columns};
    for (size_t c = 0; c < readout->codes; c++)
        if (dense_equals(&rows, &readout->code[c])) return (uint32_t)c;
    return F2L_NO_SYMBOL;
}

typedef struct textbook {
    const f2l_net *net;
    dense **state; /* [stages][heads] */
    size_t *joint; /* the readouts' values */
    size_t stuck;  /* the 1-based stage that reached a state without a code */
} textbook;

static void textbook_init(textbook *b, const f2l_net *net)
{
    *b = (textbook){.net = net, .state = calloc(net->stages, sizeof *b->state)};
    b->joint = calloc(f2l_net_joint(net) + 1, sizeof *b->joint);
    size_t *joint = b->joint;
    for (size_t l = 0; l < net->stages; l++) {
        const f2l_wired_block *block = &net->block[net->stage[l].block];
        b->state[l] = calloc(block->heads + 1, sizeof **b->state);
        for (size_t h = 0; h < block->heads; h++) {
            dense_init(&b->state[l][h], block->head[h].head.n, block->head[h].head.d);
            dense_load(&b->state[l][h], &net->stage[l].initial[h]);
        }
        for (size_t r = 0; r < block->readouts; r++) {
            *joint = textbook_code(&b->state[l][block->readout[r].head], &block->readout[r]);
            if (*joint++ == F2L_NO_SYMBOL && b->stuck == 0) b->stuck = l + 1;
        }
    }
}

static void textbook_clear(textbook *b)
{
    for (size_t l = 0; l < b->net->stages; l++) {
        for (size_t h = 0; h < b->net->block[b->net->stage[l].block].heads; h++)
            dense_clear(&b->state[l][h]);
        free(b->state[l]);
    }
    free(b->state);
    free(b->joint);
}

/* Returns the label; stops at the stage that has no code. */
static uint32_t textbook_step(textbook *b, size_t letter)
{
    uint32_t wire[128] = {(uint32_t)letter}, out[128] = {(uint32_t)letter};
    size_t *joint = b->joint;
    for (size_t l = 0; l < b->net->stages; l++) {
        const f2l_wired_block *block = &b->net->block[b->net->stage[l].block];
        size_t w = block->inputs;
        memcpy(wire, out, w * sizeof *wire);
        for (size_t g = 0; g < block->pres; g++, w++)
            wire[w] = wired_look_up(b->net, &block->pre[g], wire);
        for (size_t h = 0; h < block->heads; h++)
            for (size_t j = 0; j < block->head[h].slots; j++)
                textbook_slot(&b->state[l][h], &block->head[h], j, wire[block->head[h].wire[j]]);
        for (size_t r = 0; r < block->readouts; r++, w++) {
            wire[w] = textbook_code(&b->state[l][block->readout[r].head], &block->readout[r]);
            *joint++ = wire[w];
            if (wire[w] == F2L_NO_SYMBOL) b->stuck = l + 1;
        }
        if (b->stuck > 0) return F2L_NO_SYMBOL;
        for (size_t g = 0; g < block->posts; g++, w++)
            wire[w] = wired_look_up(b->net, &block->post[g], wire);
        for (size_t o = 0; o < block->outputs; o++) out[o] = wire[block->output[o]];
    }
    return out[0];
}

/* --- the counter --- */

Test(wired_run, a_counter_counts_exactly)
{
    f2l_net net;
    f2l_exact *run;
    f2l_rng rng;
    f2l_rng_init(&rng, 181, 0);
    wired_read(&net, SAMPLE_WIRED);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    for (size_t word = 0; word < 20; word++) {
        wired_counter c = {0};
        size_t joint[6] = {9, 9, 9, 9, 9, 9};
        size_t label = 9;
        cr_assert(f2l_exact_start(run, joint, NULL) == F2L_OK);
        cr_assert(memcmp(joint, c.joint, sizeof joint) == 0);
        for (size_t t = 0; t < 200; t++) {
            size_t letter = f2l_rng_below(&rng, word < 10 ? 2 : 3);
            wired_count(&c, letter);
            cr_assert(f2l_exact_step(run, joint, letter, &label, NULL, NULL) == F2L_OK);
            cr_assert(label == c.value, "seed 181, word %zu, letter %zu: %zu, not %zu", word, t,
                      label, c.value);
            cr_assert(memcmp(joint, c.joint, sizeof joint) == 0, "seed 181, word %zu, letter %zu",
                      word, t);
        }
    }
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

/* --- random networks --- */

static void compare_exact(const f2l_net *net, f2l_rng *rng, size_t n)
{
    f2l_exact *run;
    textbook book;
    f2l_error err = {0};
    size_t size = f2l_net_joint(net), label;
    size_t *joint = calloc(size + 1, sizeof *joint);
    cr_assert(f2l_exact_new(&run, net, &err) == F2L_OK, "%s", err.text);
    textbook_init(&book, net);
    cr_assert(f2l_exact_start(run, joint, &err) == F2L_OK, "%s", err.text);
    cr_assert(memcmp(joint, book.joint, size * sizeof *joint) == 0, "network %zu", n);
    for (size_t t = 0; t < 40; t++) {
        size_t letter = f2l_rng_below(rng, net->letters.count);
        uint32_t expected = textbook_step(&book, letter);
        cr_assert(f2l_exact_step(run, joint, letter, &label, NULL, &err) == F2L_OK, "%s", err.text);
        cr_assert(label == expected, "network %zu, letter %zu: %zu, not %u", n, t, label, expected);
        cr_assert(memcmp(joint, book.joint, size * sizeof *joint) == 0, "network %zu, letter %zu",
                  n, t);
    }
    textbook_clear(&book);
    f2l_exact_free(run);
    free(joint);
}

Test(wired_run, exact_steps_are_those_of_dense_rationals)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 183, 0);
    for (size_t n = 0; n < 150; n++) {
        f2l_net net;
        wired_random(&net, &rng, &wired_shapes[n % WIRED_SHAPES]);
        compare_exact(&net, &rng, n);
        f2l_net_clear(&net);
    }
}

/* Runs a random word beside the textbook; returns the stage whose state has no code, 0 when there
 * is none. */
static size_t walk_until_stuck(const f2l_net *net, f2l_rng *rng, size_t n)
{
    f2l_exact *run;
    textbook book;
    f2l_error err = {0};
    char where[32];
    size_t size = f2l_net_joint(net), label = 77;
    size_t *joint = calloc(size + 1, sizeof *joint), *before = calloc(size + 1, sizeof *before);
    cr_assert(f2l_exact_new(&run, net, NULL) == F2L_OK);
    textbook_init(&book, net);
    f2l_status status = f2l_exact_start(run, joint, &err);
    for (size_t t = 0; t < 40 && status == F2L_OK; t++) {
        size_t letter = f2l_rng_below(rng, net->letters.count);
        cr_assert_eq(book.stuck, 0, "network %zu, letter %zu", n, t);
        memcpy(before, joint, size * sizeof *joint);
        label = 77;
        textbook_step(&book, letter);
        status = f2l_exact_step(run, joint, letter, &label, NULL, &err);
        if (status != F2L_OK)
            cr_assert(label == 77 && memcmp(before, joint, size * sizeof *joint) == 0);
    }
    size_t stuck = book.stuck;
    cr_assert(status == (stuck > 0 ? F2L_EDOMAIN : F2L_OK), "network %zu", n);
    snprintf(where, sizeof where, "stage %zu:", stuck);
    if (stuck > 0) cr_assert(strstr(err.text, where) == err.text, "network %zu: %s", n, err.text);
    textbook_clear(&book);
    f2l_exact_free(run);
    free(joint);
    free(before);
    return stuck;
}

Test(wired_run, says_where_a_code_is_missing)
{
    f2l_rng rng;
    size_t stuck = 0, free_of_it = 0;
    f2l_rng_init(&rng, 184, 0);
    for (size_t n = 0; n < 150; n++) {
        f2l_net net;
        wired_random(&net, &rng, &wired_shapes[n % WIRED_SHAPES]);
        f2l_wired_block *block = &net.block[f2l_rng_below(&rng, net.blocks)];
        if (block->readouts > 0) {
            f2l_wired_readout *readout = &block->readout[f2l_rng_below(&rng, block->readouts)];
            f2l_qvec *code = &readout->code[f2l_rng_below(&rng, readout->codes)];
            f2l_qvec_clear(code);
            sample_push(code, 0, 1000, 1);
            if (walk_until_stuck(&net, &rng, n) > 0)
                stuck++;
            else
                free_of_it++;
        }
        f2l_net_clear(&net);
    }
    cr_assert(stuck > 10 && free_of_it > 10, "seed 184: %zu and %zu", stuck, free_of_it);
}

/* --- one head by the values of its slots, with weights that leave every grid --- */

Test(wired_run, heads_step_by_the_values_of_their_slots)
{
    const sample_shape small = {1, 1, 3, 5, 3, 3, 1, false, 12};
    const sample_shape large = {1, 1, 3, 4, 2, 2, 1, false, 1000000000000000000ul};
    f2l_rng rng;
    f2l_rng_init(&rng, 185, 0);
    for (size_t n = 0; n < 200; n++) {
        f2l_net net;
        f2l_exact *run;
        f2l_qvec state, out;
        dense expected;
        const sample_shape *shape = n % 4 ? &small : &large;
        wired_one_head(&net, &rng, shape);
        const f2l_wired_head *head = &net.block[0].head[0];
        cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
        f2l_qvec_init(&state);
        f2l_qvec_init(&out);
        dense_init(&expected, head->head.n, head->head.d);
        sample_vector(&state, &rng, head->head.n * head->head.d, 0, shape);
        dense_load(&expected, &state);
        for (size_t t = 0; t < 4; t++) {
            uint32_t values[5];
            for (size_t j = 0; j < head->slots; j++) {
                values[j] = (uint32_t)f2l_rng_below(&rng, 3);
                textbook_slot(&expected, head, j, values[j]);
            }
            cr_assert(f2l_exact_step_slots(run, &out, 0, 0, values, &state, NULL) == F2L_OK);
            cr_assert(dense_equals(&expected, &out), "seed 185, network %zu, step %zu", n, t);
            cr_assert(f2l_exact_step_slots(run, &state, 0, 0, values, &state, NULL) == F2L_OK);
            cr_assert(f2l_qvec_compare(&out, &state) == 0);
        }
        f2l_qvec_clear(&state);
        f2l_qvec_clear(&out);
        dense_clear(&expected);
        f2l_exact_free(run);
        f2l_net_clear(&net);
    }
}

/* --- refusals --- */

Test(wired_run, refuses_a_network_that_is_not_valid)
{
    f2l_net net;
    f2l_exact *exact;
    wired_read(&net, SAMPLE_WIRED);
    net.table[2].value[0] = 3;
    cr_assert(f2l_exact_new(&exact, &net, NULL) == F2L_EDOMAIN && exact == NULL);
    f2l_exact_free(exact);
    f2l_net_clear(&net);
}

Test(wired_run, refuses_states_that_are_none)
{
    f2l_net net;
    f2l_exact *run;
    f2l_error err = {0};
    size_t joint[6];
    size_t label = 77;
    wired_read(&net, SAMPLE_WIRED);
    mpq_set_ui(net.stage[2].initial[0].value[0], 3, 1);
    cr_assert(f2l_exact_new(&run, &net, NULL) == F2L_OK);
    cr_assert(f2l_exact_start(run, joint, &err) == F2L_EDOMAIN);
    cr_assert(strstr(err.text, "stage 3: readout 1") != NULL, "%s", err.text);
    mpq_set_ui(net.stage[2].initial[0].value[0], 1, 1);
    cr_assert(f2l_exact_start(run, joint, &err) == F2L_OK);
    joint[4] = 2;
    cr_assert(f2l_exact_step(run, joint, 0, &label, NULL, &err) == F2L_EDOMAIN && label == 77);
    cr_assert(strstr(err.text, "readout 2 has no value 3") != NULL, "%s", err.text);
    joint[4] = 1;
    cr_assert(f2l_exact_step(run, joint, 0, &label, NULL, &err) == F2L_OK && label == 0);
    f2l_exact_free(run);
    f2l_net_clear(&net);
}

#ifdef F2L_MEM_FAILURES
static f2l_status walk_exactly(const f2l_net *net)
{
    f2l_exact *run;
    size_t joint[6];
    size_t label;
    f2l_status status = f2l_exact_new(&run, net, NULL);
    if (status != F2L_OK) return status;
    status = f2l_exact_start(run, joint, NULL);
    for (size_t t = 0; t < 6 && status == F2L_OK; t++)
        status = f2l_exact_step(run, joint, t % 3, &label, NULL, NULL);
    f2l_exact_free(run);
    return status;
}

Test(wired_run, survives_every_failed_allocation)
{
    f2l_net net;
    wired_read(&net, SAMPLE_WIRED);
    size_t failures = 0;
    for (size_t n = 1; failures + 1 == n; n++) {
        f2l_mem_fail_after(n, n % 2 == 0);
        f2l_status status = walk_exactly(&net);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %s", n,
                  f2l_status_name(status));
        if (status == F2L_ENOMEM) failures++;
    }
    cr_assert(failures > 40, "%zu", failures);
    f2l_net_clear(&net);
}
#endif
