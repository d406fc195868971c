/* The stages of a rounded network. */
#include "models/network/schedule/float_net.h"
#include "numeric/base/mem.h"

#define FEW 512 /* numbers of a token that are kept on the stack */

struct f2l_float_readout {
    f2l_wired_view view;
    f2l_decoder decoder;
    size_t offset; /* of the readout's rows among the numbers of the stage */
    uint32_t zero; /* f2l_wired_zero_code, the code nearest to zero: most rows are zero most of the
                    * time */
};

void f2l_float_block_clear(f2l_float_layer *layer)
{
    for (size_t r = 0; layer->readout != NULL && r < layer->readouts; r++)
        f2l_decoder_clear(&layer->readout[r].decoder);
    f2l_free(layer->readout);
}

static f2l_status init_readouts(f2l_float_layer *out, const f2l_wired_block *block, f2l_error *err)
{
    out->readout = f2l_calloc(block->readouts, sizeof *out->readout);
    if (out->readout == NULL) return f2l_fail_memory(err);
    out->readouts = block->readouts;
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < block->readouts && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        const f2l_float_head *head = &out->head[readout->head];
        struct f2l_float_readout *to = &out->readout[r];
        f2l_wired_view_set(&to->view, readout, head->d);
        to->offset = head->offset + readout->row * head->d;
        to->zero = f2l_wired_zero_code(readout);
        status = f2l_decoder_init(&to->decoder, &to->view.layer, F2L_DECODE_NEAREST, err);
    }
    return status;
}

static f2l_status round_block(f2l_float_layer *out, const f2l_wired_block *block,
                              const f2l_float_net *net, f2l_error *err)
{
    out->head = f2l_calloc(block->heads, sizeof *out->head);
    if (out->head == NULL) return f2l_fail_memory(err);
    out->heads = block->heads;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++) {
        const f2l_wired_head *head = &block->head[h];
        status = f2l_float_head_init(&out->head[h], &head->head, head->slot_at[head->slots], net,
                                     NULL, err);
        out->head[h].offset = out->size;
        out->size += head->head.n * head->head.d;
    }
    return status == F2L_OK ? init_readouts(out, block, err) : status;
}

static f2l_status check_schedule(const f2l_schedule *schedule, f2l_error *err)
{
    if (!f2l_schedule_steps(schedule))
        return f2l_fail(err, F2L_EDOMAIN,
                        "no words are run in a wired network: chunk64 runs layers");
    if (!f2l_schedule_is_plain(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "%s is not for wired networks", schedule->name);
    return F2L_OK;
}

f2l_status f2l_float_blocks_init(f2l_float_net *out, f2l_meter *meter, f2l_error *err)
{
    const f2l_net *net = out->net;
    if (net->blocks == 0) return F2L_OK;
    f2l_status status = check_schedule(out->schedule, err);
    if (status == F2L_OK) status = f2l_meter_spend(meter, f2l_wired_weigh(net), 0, 0, err);
    if (status == F2L_OK) status = f2l_wired_flow_init(&out->flow, net, err);
    for (size_t b = 0; b < net->blocks && status == F2L_OK; b++)
        status = round_block(&out->layer[net->layers + b], &net->block[b], out, err);
    for (size_t l = 0; l < net->stages && status == F2L_OK; l++)
        out->size += out->layer[net->layers + net->stage[l].block].size;
    const size_t numbers = out->size - out->layers_size;
    if (status == F2L_OK)
        status = f2l_task_table(meter->task, "a joint state", numbers * sizeof(double), err);
    return status;
}

void f2l_float_start_stages(const f2l_float_net *net, double *joint)
{
    for (size_t l = 0; l < net->net->stages; l++) {
        const f2l_wired_stage *stage = &net->net->stage[l];
        const f2l_float_layer *block = &net->layer[net->layers + stage->block];
        for (size_t h = 0; h < stage->heads; h++)
            f2l_float_start_head(net, joint + block->head[h].offset, &stage->initial[h],
                                 block->head[h].n, block->head[h].d);
        joint += block->size;
    }
}

static uint32_t decode_readout(const struct f2l_float_readout *readout, const double *stage)
{
    const double *state = stage + readout->offset;
    size_t i = 0;
    while (i < readout->decoder.size && state[i] == 0) i++;
    if (i == readout->decoder.size && readout->zero != F2L_NO_SYMBOL) return readout->zero;
    return f2l_decoder_symbol(&readout->decoder, F2L_NO_INDEX, state);
}

/* Steps heads and readouts of the stage that was entered; false when a readout has no nearest
 * code. */
static bool step_float_stage(const f2l_float_net *net, f2l_token *token, size_t b, double *state)
{
    const f2l_wired_block *block = &net->net->block[b];
    const f2l_float_layer *rounded = &net->layer[net->layers + b];
    for (size_t h = 0; h < block->heads; h++) {
        double *numbers = state + rounded->head[h].offset;
        f2l_wired_flow_letters(token, &block->head[h]);
        for (size_t j = 0; j < block->head[h].slots; j++)
            f2l_float_step_head(net, net->layers + b, h, token->letter[j], numbers);
        f2l_float_store(net, net->layers + b, h, numbers, NULL);
    }
    uint32_t *wire = token->wire + f2l_wired_first_readout(block);
    for (size_t r = 0; r < block->readouts; r++) {
        wire[r] = decode_readout(&rounded->readout[r], state);
        if (wire[r] == F2L_NO_SYMBOL) return false;
    }
    return true;
}

static uint32_t step_float_stages(const f2l_float_net *net, f2l_token *token, double *joint)
{
    for (size_t l = 0; l < net->net->stages; l++) {
        const size_t b = net->net->stage[l].block;
        f2l_wired_flow_enter(&net->flow, token, l);
        if (!step_float_stage(net, token, b, joint)) return F2L_NO_SYMBOL;
        f2l_wired_flow_leave(&net->flow, token, l);
        joint += net->layer[net->layers + b].size;
    }
    return token->carry[0];
}

f2l_status f2l_float_step_stages(const f2l_float_net *net, double *joint, uint32_t *x,
                                 f2l_error *err)
{
    size_t few[FEW], *many = NULL;
    if (net->net->stages == 0 || *x == F2L_NO_SYMBOL) return F2L_OK;
    if (net->flow.room > FEW) many = f2l_calloc(net->flow.room, sizeof *many);
    if (net->flow.room > FEW && !many) {
        *x = F2L_NO_SYMBOL;
        return f2l_fail_memory(err);
    }
    f2l_token token = f2l_wired_token(&net->flow, many ? many : few, *x);
    *x = step_float_stages(net, &token, joint);
    f2l_free(many);
    return F2L_OK;
}

void f2l_float_step_slot(const f2l_float_net *net, size_t block, size_t head, size_t slot,
                         size_t value, double *state)
{
    const size_t letter = net->net->block[block].head[head].slot_at[slot] + value;
    f2l_float_step_head(net, net->layers + block, head, letter, state);
}
