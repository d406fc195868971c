#include "models/network/exact/exact.h"
#include "models/network/net/code_index.h"
#include "models/network/wired/impl.h"
#include "models/network/wired/wired_run.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct exact_readout {
    f2l_wired_view view;
    f2l_code_index index;
    uint32_t zero; /* f2l_wired_zero_code: most rows are zero most of the time */
} exact_readout;

typedef struct exact_block {
    f2l_exact_head *head;   /* [heads] */
    exact_readout *readout; /* [readouts] */
    size_t *first;          /* [heads + 1] readouts of head h are first[h] .. first[h + 1] - 1 */
} exact_block;

struct f2l_wired_exact {
    const f2l_net *net;
    exact_block *block; /* [blocks] */
    f2l_wired_flow flow;
    f2l_stepper stepper;
    size_t joint;   /* readouts of all stages */
    uint32_t *next; /* [joint] after the present letter */
    f2l_qvec state; /* of one head */
};

static void clear_block(exact_block *exact, const f2l_wired_block *block)
{
    for (size_t h = 0; exact->head != NULL && h < block->heads; h++)
        f2l_exact_head_clear(&exact->head[h]);
    for (size_t r = 0; exact->readout != NULL && r < block->readouts; r++)
        f2l_code_index_clear(&exact->readout[r].index);
    f2l_free(exact->head);
    f2l_free(exact->readout);
    f2l_free(exact->first);
}

void f2l_wired_exact_free(f2l_wired_exact *run)
{
    if (run == NULL) return;
    for (size_t b = 0; run->block != NULL && b < run->net->blocks; b++)
        clear_block(&run->block[b], &run->net->block[b]);
    f2l_free(run->block);
    f2l_wired_flow_clear(&run->flow);
    f2l_stepper_clear(&run->stepper);
    f2l_qvec_clear(&run->state);
    f2l_free(run->next);
    f2l_free(run);
}

/* Initialises head h, whose readouts are known. */
static f2l_status init_head(exact_block *exact, const f2l_wired_block *block, size_t h,
                            f2l_error *err)
{
    const f2l_wired_head *head = &block->head[h];
    mpz_t denominator;
    mpz_init_set_ui(denominator, 1);
    bool small = true;
    for (size_t r = exact->first[h]; r < exact->first[h + 1]; r++) {
        for (size_t c = 0; small && c < block->readout[r].codes; c++)
            small = f2l_common_denominator(denominator, &block->readout[r].code[c]);
    }
    f2l_status status = f2l_exact_head_init(&exact->head[h], &head->head,
                                            head->slot_at[head->slots], denominator, NULL, err);
    mpz_clear(denominator);
    return status;
}

static f2l_status init_block(exact_block *exact, const f2l_wired_block *block, f2l_error *err)
{
    exact->head = f2l_calloc(block->heads, sizeof *exact->head);
    exact->readout = f2l_calloc(block->readouts, sizeof *exact->readout);
    exact->first = f2l_calloc(block->heads + 1, sizeof *exact->first);
    if (exact->head == NULL || exact->readout == NULL || exact->first == NULL)
        return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < block->readouts && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        exact_readout *to = &exact->readout[r];
        exact->first[readout->head + 1] = r + 1;
        f2l_wired_view_set(&to->view, readout, block->head[readout->head].head.d);
        to->zero = f2l_wired_zero_code(readout);
        status = f2l_code_index_build(&to->index, &to->view.layer, err);
    }
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++)
        status = init_head(exact, block, h, err);
    return status;
}

static f2l_status init_exact_run(f2l_wired_exact *run, f2l_error *err)
{
    const f2l_net *net = run->net;
    size_t numbers = 1, columns = 1;
    for (size_t b = 0; b < net->blocks; b++) {
        for (size_t h = 0; h < net->block[b].heads; h++) {
            const f2l_head *head = &net->block[b].head[h].head;
            if (head->n * head->d > numbers) numbers = head->n * head->d;
            if (head->d > columns) columns = head->d;
        }
    }
    run->joint = f2l_wired_joint(net);
    run->block = f2l_calloc(net->blocks, sizeof *run->block);
    run->next = f2l_calloc(run->joint, sizeof *run->next);
    if (run->block == NULL || run->next == NULL) return f2l_fail_memory(err);
    f2l_status status = f2l_wired_flow_init(&run->flow, net, err);
    if (status == F2L_OK) status = f2l_stepper_init(&run->stepper, numbers, columns, err);
    for (size_t b = 0; b < net->blocks && status == F2L_OK; b++)
        status = init_block(&run->block[b], &net->block[b], err);
    return status;
}

f2l_status f2l_wired_exact_new(f2l_wired_exact **out, const f2l_net *net, f2l_error *err)
{
    *out = NULL;
    f2l_status status = f2l_wired_validate(net, err);
    if (status != F2L_OK) return status;
    f2l_wired_exact *run = f2l_calloc(1, sizeof *run);
    if (run == NULL) return f2l_fail_memory(err);
    run->net = net;
    f2l_qvec_init(&run->state);
    status = init_exact_run(run, err);
    if (status == F2L_OK)
        *out = run;
    else
        f2l_wired_exact_free(run);
    return status;
}

/* Computes the state of head h from its readouts' values, joint[readouts of the block]. */
static f2l_status load_head(f2l_wired_exact *run, size_t b, size_t h, const uint32_t *joint,
                            f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[b];
    const exact_block *exact = &run->block[b];
    size_t count = 0, d = block->head[h].head.d;
    f2l_status status = F2L_OK;
    for (size_t r = exact->first[h]; r < exact->first[h + 1] && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        if (joint[r] >= readout->codes)
            return f2l_fail(err, F2L_EDOMAIN, "block %zu, readout %zu has no value %zu", b + 1,
                            r + 1, (size_t)joint[r] + 1);
        const f2l_qvec *code = &readout->code[joint[r]];
        for (size_t k = 0; k < code->count && status == F2L_OK; k++)
            status =
                f2l_vector_put(&run->state, count++, (uint32_t)(readout->row * d) + code->index[k],
                               code->value[k], err);
    }
    f2l_vector_cut(&run->state, status == F2L_OK ? count : 0);
    return status;
}

/* Finds the code of entries from..to - 1 of a state; their indices are first made relative to the
 * readout. */
static uint32_t find_code(const exact_readout *exact, f2l_qvec *state, size_t from, size_t to,
                          uint32_t offset)
{
    if (from == to) return exact->zero;
    for (size_t k = from; k < to; k++) state->index[k] -= offset;
    const f2l_qvec part = {
        .count = to - from, .index = state->index + from, .value = state->value + from};
    const size_t code = f2l_code_index_find(&exact->index, &part);
    return code == F2L_NO_INDEX ? F2L_NO_SYMBOL : (uint32_t)code;
}

/* Computes the values of head h's readouts from the state run->state, which is changed. False:
 * readout *bad has no code. */
static bool read_head_values(f2l_wired_exact *run, size_t b, size_t h, uint32_t *joint, size_t *bad)
{
    const f2l_wired_block *block = &run->net->block[b];
    const exact_block *exact = &run->block[b];
    size_t at = 0, d = block->head[h].head.d;
    for (size_t r = exact->first[h]; r < exact->first[h + 1]; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        const size_t from = at, offset = readout->row * d, end = offset + readout->rows * d;
        while (at < run->state.count && run->state.index[at] < end) at++;
        joint[r] = find_code(&exact->readout[r], &run->state, from, at, (uint32_t)offset);
        *bad = r;
        if (joint[r] == F2L_NO_SYMBOL) return false;
    }
    return true;
}

f2l_status f2l_wired_exact_start(f2l_wired_exact *run, uint32_t *joint, f2l_error *err)
{
    const f2l_net *net = run->net;
    uint32_t *to = run->next;
    for (size_t l = 0; l < net->stages; l++) {
        size_t b = net->stage[l].block, bad;
        for (size_t h = 0; h < net->block[b].heads; h++) {
            f2l_status status = f2l_qvec_copy(&run->state, &net->stage[l].initial[h], err);
            if (status != F2L_OK) return status;
            if (!read_head_values(run, b, h, to, &bad))
                return f2l_fail(err, F2L_EDOMAIN,
                                "stage %zu: readout %zu has no code for the "
                                "initial state",
                                l + 1, bad + 1);
        }
        to += net->block[b].readouts;
    }
    if (run->joint > 0) memcpy(joint, run->next, run->joint * sizeof *joint);
    return F2L_OK;
}

/* Steps the heads of the stage that was entered: its readouts' values from joint[] to next[]. */
static f2l_status step_stage(f2l_wired_exact *run, size_t l, const uint32_t *joint, uint32_t *next,
                             f2l_error *err)
{
    size_t b = run->net->stage[l].block, bad;
    const f2l_wired_block *block = &run->net->block[b];
    for (size_t h = 0; h < block->heads; h++) {
        f2l_wired_flow_letters(&run->flow, &block->head[h]);
        f2l_status status = load_head(run, b, h, joint, err);
        if (status == F2L_OK)
            status = f2l_stepper_step(&run->stepper, &run->state, &run->block[b].head[h],
                                      run->flow.letter, block->head[h].slots, &run->state, err);
        if (status != F2L_OK) return status;
        if (!read_head_values(run, b, h, next, &bad))
            return f2l_fail(err, F2L_EDOMAIN,
                            "stage %zu: readout %zu reaches a state without a code", l + 1,
                            bad + 1);
    }
    return F2L_OK;
}

/* Steps stage l, whose inputs are flow.carry, and puts its outputs there. */
static f2l_status pass_stage(f2l_wired_exact *run, size_t l, const uint32_t *joint, uint32_t *next,
                             f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[run->net->stage[l].block];
    f2l_wired_flow_enter(&run->flow, l);
    f2l_status status = step_stage(run, l, joint, next, err);
    if (status != F2L_OK) return status;
    if (block->readouts > 0)
        memcpy(run->flow.wire + f2l_wired_first_readout(block), next,
               block->readouts * sizeof *next);
    f2l_wired_flow_leave(&run->flow, l);
    return F2L_OK;
}

f2l_status f2l_wired_exact_step(f2l_wired_exact *run, uint32_t *joint, size_t letter, size_t *label,
                                f2l_error *err)
{
    const f2l_net *net = run->net;
    size_t at = 0;
    run->flow.carry[0] = (uint32_t)letter;
    for (size_t l = 0; l < net->stages; l++) {
        f2l_status status = pass_stage(run, l, joint + at, run->next + at, err);
        if (status != F2L_OK) return status;
        at += net->block[net->stage[l].block].readouts;
    }
    if (run->joint > 0) memcpy(joint, run->next, run->joint * sizeof *joint);
    *label = run->flow.carry[0];
    return F2L_OK;
}

static void set_carry(f2l_wired_exact *run, size_t l, const uint32_t *input)
{
    const f2l_wired_block *block = &run->net->block[run->net->stage[l].block];
    memcpy(run->flow.carry, input, block->inputs * sizeof *input);
}

f2l_status f2l_wired_exact_step_stage(f2l_wired_exact *run, size_t l, const uint32_t *input,
                                      const uint32_t *joint, uint32_t *next, uint32_t *output,
                                      f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[run->net->stage[l].block];
    set_carry(run, l, input);
    f2l_status status = pass_stage(run, l, joint, next, err);
    if (status == F2L_OK) memcpy(output, run->flow.carry, block->outputs * sizeof *output);
    return status;
}

const size_t *f2l_wired_exact_letters(f2l_wired_exact *run, size_t l, const uint32_t *input,
                                      size_t head)
{
    set_carry(run, l, input);
    f2l_wired_flow_enter(&run->flow, l);
    f2l_wired_flow_letters(&run->flow, &run->net->block[run->net->stage[l].block].head[head]);
    return run->flow.letter;
}

f2l_status f2l_wired_exact_step_head(f2l_wired_exact *run, f2l_qvec *out, size_t block, size_t head,
                                     const uint32_t *values, const f2l_qvec *state, f2l_error *err)
{
    const f2l_wired_head *weights = &run->net->block[block].head[head];
    for (size_t j = 0; j < weights->slots; j++)
        run->flow.letter[j] = weights->slot_at[j] + values[j];
    return f2l_stepper_step(&run->stepper, out, &run->block[block].head[head], run->flow.letter,
                            weights->slots, state, err);
}
