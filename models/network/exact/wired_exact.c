/* The stages of an exact run. */
#include "models/network/exact/impl.h"
#include "models/network/exact/stage_memo.h"
#include "models/network/net/code_index.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct exact_readout {
    f2l_wired_view view;
    f2l_code_index index;
    uint32_t zero; /* f2l_wired_zero_code: most rows are zero most of the time */
} exact_readout;

typedef struct f2l_exact_block {
    f2l_exact_head *head;   /* [heads] */
    f2l_stage_memo *memo;   /* [heads] */
    exact_readout *readout; /* [readouts] */
    size_t *first;          /* [heads + 1] readouts of head h are first[h] .. first[h + 1] - 1 */
} exact_block;

static void clear_block(exact_block *exact, const f2l_wired_block *block)
{
    for (size_t h = 0; exact->head != NULL && h < block->heads; h++)
        f2l_exact_head_clear(&exact->head[h]);
    for (size_t h = 0; exact->memo != NULL && h < block->heads; h++)
        f2l_stage_memo_clear(&exact->memo[h]);
    for (size_t r = 0; exact->readout != NULL && r < block->readouts; r++)
        f2l_code_index_clear(&exact->readout[r].index);
    f2l_free(exact->head);
    f2l_free(exact->memo);
    f2l_free(exact->readout);
    f2l_free(exact->first);
}

void f2l_exact_blocks_clear(f2l_exact *run)
{
    for (size_t b = 0; run->block != NULL && b < run->net->blocks; b++)
        clear_block(&run->block[b], &run->net->block[b]);
    f2l_free(run->block);
    f2l_wired_flow_clear(&run->flow);
    f2l_qvec_clear(&run->state);
    f2l_free(run->room);
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
    /* Each head has a readout (f2l_net_validate). */
    f2l_stage_memo_init(&exact->memo[h], head->slots, exact->first[h + 1] - exact->first[h]);
    return status;
}

static f2l_status init_block(exact_block *exact, const f2l_wired_block *block, f2l_error *err)
{
    exact->head = f2l_calloc(block->heads, sizeof *exact->head);
    exact->memo = f2l_calloc(block->heads, sizeof *exact->memo);
    exact->readout = f2l_calloc(block->readouts, sizeof *exact->readout);
    exact->first = f2l_calloc(block->heads + 1, sizeof *exact->first);
    if (exact->head == NULL || exact->memo == NULL || exact->readout == NULL ||
        exact->first == NULL)
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

f2l_status f2l_exact_blocks_init(f2l_exact *run, f2l_meter *meter, f2l_error *err)
{
    const f2l_net *net = run->net;
    f2l_status status = f2l_meter_spend(meter, f2l_wired_weigh(net), 0, 0, err);
    if (status == F2L_OK)
        status = f2l_task_table(meter->task, "a joint state",
                                (run->joint - net->layers) * sizeof(uint32_t), err);
    if (status == F2L_OK) status = f2l_wired_flow_init(&run->flow, net, err);
    if (status != F2L_OK) return status;
    f2l_qvec_init(&run->state);
    run->block = f2l_calloc(net->blocks, sizeof *run->block);
    run->room = f2l_calloc(run->flow.room, sizeof *run->room);
    if (run->block == NULL || run->room == NULL) return f2l_fail_memory(err);
    for (size_t b = 0; b < net->blocks && status == F2L_OK; b++)
        status = init_block(&run->block[b], &net->block[b], err);
    return status;
}

/* Computes the state of head h from its readouts' values, joint[readouts of the block]. */
static f2l_status load_head(f2l_exact *run, size_t b, size_t h, const size_t *joint, f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[b];
    const exact_block *exact = &run->block[b];
    size_t count = 0, d = block->head[h].head.d;
    f2l_status status = F2L_OK;
    for (size_t r = exact->first[h]; r < exact->first[h + 1] && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        if (joint[r] >= readout->codes)
            return f2l_fail(err, F2L_EDOMAIN, "block %zu, readout %zu has no value %zu", b + 1,
                            r + 1, joint[r] + 1);
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
static bool read_head_values(f2l_exact *run, size_t b, size_t h, size_t *joint, size_t *bad)
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

f2l_status f2l_exact_start_stages(f2l_exact *run, size_t *joint, f2l_error *err)
{
    const f2l_net *net = run->net;
    for (size_t l = 0; l < net->stages; l++) {
        size_t b = net->stage[l].block, bad;
        for (size_t h = 0; h < net->block[b].heads; h++) {
            f2l_status status = f2l_qvec_copy(&run->state, &net->stage[l].initial[h], err);
            if (status != F2L_OK) return status;
            if (!read_head_values(run, b, h, joint, &bad))
                return f2l_fail(err, F2L_EDOMAIN,
                                "stage %zu: readout %zu has no code for the "
                                "initial state",
                                l + 1, bad + 1);
        }
        joint += net->block[b].readouts;
    }
    return F2L_OK;
}

/* Steps the heads of the stage that was entered: its readouts' values from joint[] to next[]. */
static f2l_status step_exact_stage(f2l_exact *run, f2l_token *token, size_t l, const size_t *joint,
                                   size_t *next, f2l_error *err)
{
    size_t b = run->net->stage[l].block, bad;
    const f2l_wired_block *block = &run->net->block[b];
    for (size_t h = 0; h < block->heads; h++) {
        f2l_stage_memo *memo = &run->block[b].memo[h];
        const size_t first = run->block[b].first[h];
        f2l_wired_flow_letters(token, &block->head[h]);
        if (f2l_stage_memo_find(memo, next + first, token->letter, joint + first)) continue;
        f2l_status status = load_head(run, b, h, joint, err);
        if (status == F2L_OK)
            status = f2l_stepper_step(&run->stepper, &run->state, &run->block[b].head[h],
                                      token->letter, block->head[h].slots, &run->state, err);
        if (status != F2L_OK) return status;
        if (!read_head_values(run, b, h, next, &bad))
            return f2l_fail(err, F2L_EDOMAIN,
                            "stage %zu: readout %zu reaches a state without a code", l + 1,
                            bad + 1);
        f2l_stage_memo_keep(memo, next + first);
    }
    uint32_t *const wire = token->wire + f2l_wired_first_readout(block);
    for (size_t r = 0; r < block->readouts; r++) wire[r] = (uint32_t)next[r];
    return F2L_OK;
}

/* Steps stage l, whose inputs the token carries, and lets it carry the outputs. */
static f2l_status pass_stage(f2l_exact *run, f2l_token *token, size_t l, const size_t *joint,
                             size_t *next, f2l_error *err)
{
    f2l_wired_flow_enter(&run->flow, token, l);
    f2l_status status = step_exact_stage(run, token, l, joint, next, err);
    if (status == F2L_OK) f2l_wired_flow_leave(&run->flow, token, l);
    return status;
}

f2l_status f2l_exact_step_stages(f2l_exact *run, const size_t *joint, size_t *next, size_t *x,
                                 f2l_error *err)
{
    const f2l_net *net = run->net;
    f2l_token token = f2l_wired_token(&run->flow, run->room, *x);
    for (size_t l = 0, at = 0; l < net->stages; l++) {
        f2l_status status = pass_stage(run, &token, l, joint + at, next + at, err);
        if (status != F2L_OK) return status;
        at += net->block[net->stage[l].block].readouts;
    }
    *x = token.carry[0];
    return F2L_OK;
}

/* Returns a token that carries the inputs of stage l. */
static f2l_token token_before(const f2l_exact *run, size_t l, const uint32_t *input)
{
    const f2l_wired_block *block = &run->net->block[run->net->stage[l].block];
    const f2l_token token = f2l_wired_token(&run->flow, run->room, 0);
    memcpy(token.carry, input, block->inputs * sizeof *input);
    return token;
}

f2l_status f2l_exact_step_stage(f2l_exact *run, size_t *next, uint32_t *output, size_t stage,
                                const uint32_t *input, const size_t *joint, f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[run->net->stage[stage].block];
    f2l_token token = token_before(run, stage, input);
    f2l_status status = pass_stage(run, &token, stage, joint, next, err);
    if (status == F2L_OK) memcpy(output, token.carry, block->outputs * sizeof *output);
    return status;
}

const size_t *f2l_exact_letters(f2l_exact *run, size_t stage, const uint32_t *input, size_t head)
{
    f2l_token token = token_before(run, stage, input);
    f2l_wired_flow_enter(&run->flow, &token, stage);
    f2l_wired_flow_letters(&token, &run->net->block[run->net->stage[stage].block].head[head]);
    return token.letter;
}

f2l_status f2l_exact_step_slots(f2l_exact *run, f2l_qvec *out, size_t block, size_t head,
                                const uint32_t *values, const f2l_qvec *state, f2l_error *err)
{
    const f2l_wired_head *weights = &run->net->block[block].head[head];
    for (size_t j = 0; j < weights->slots; j++) run->room[j] = weights->slot_at[j] + values[j];
    return f2l_stepper_step(&run->stepper, out, &run->block[block].head[head], run->room,
                            weights->slots, state, err);
}
