#include "models/network/schedule/float_net.h"
#include "models/network/wired/impl.h"
#include "models/network/wired/wired_run.h"
#include "numeric/base/mem.h"
#include <string.h>

typedef struct float_readout {
    f2l_wired_view view;
    f2l_decoder decoder;
    size_t offset; /* of the readout's rows among the numbers of the stage */
    uint32_t zero; /* f2l_wired_zero_code, the code nearest to zero: most rows are zero most of the
                    * time */
} float_readout;

typedef struct float_block {
    float_readout *readout; /* [readouts] */
    size_t size;            /* numbers of a stage with this block */
} float_block;

struct f2l_wired_float {
    const f2l_net *net;
    f2l_float_net *rounded; /* one layer per block */
    float_block *block;     /* [blocks] */
    size_t numbers;
    f2l_wired_flow flow;
};

void f2l_wired_float_free(f2l_wired_float *run)
{
    if (run == NULL) return;
    for (size_t b = 0; run->block != NULL && b < run->net->blocks; b++) {
        float_readout *readout = run->block[b].readout;
        for (size_t r = 0; readout != NULL && r < run->net->block[b].readouts; r++)
            f2l_decoder_clear(&readout[r].decoder);
        f2l_free(readout);
    }
    f2l_free(run->block);
    f2l_float_net_free(run->rounded);
    f2l_wired_flow_clear(&run->flow);
    f2l_free(run);
}

static f2l_status init_readouts(f2l_wired_float *run, size_t b, f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[b];
    float_block *made = &run->block[b];
    made->readout = f2l_calloc(block->readouts, sizeof *made->readout);
    if (made->readout == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t r = 0; r < block->readouts && status == F2L_OK; r++) {
        const f2l_wired_readout *readout = &block->readout[r];
        const f2l_float_head *head = &run->rounded->layer[b].head[readout->head];
        float_readout *to = &made->readout[r];
        f2l_wired_view_set(&to->view, readout, head->d);
        to->offset = head->offset + readout->row * head->d;
        to->zero = f2l_wired_zero_code(readout);
        status = f2l_decoder_init(&to->decoder, &to->view.layer, err);
    }
    return status;
}

static f2l_status init_float_block(f2l_wired_float *run, size_t b, f2l_error *err)
{
    const f2l_wired_block *block = &run->net->block[b];
    f2l_float_layer *layer = &run->rounded->layer[b];
    layer->head = f2l_calloc(block->heads, sizeof *layer->head);
    if (layer->head == NULL) return f2l_fail_memory(err);
    layer->heads = block->heads;
    f2l_status status = F2L_OK;
    for (size_t h = 0; h < block->heads && status == F2L_OK; h++) {
        const f2l_wired_head *head = &block->head[h];
        status = f2l_float_head_init(&layer->head[h], &head->head, head->slot_at[head->slots],
                                     run->rounded, NULL, err);
        layer->head[h].offset = run->block[b].size;
        run->block[b].size += head->head.n * head->head.d;
    }
    return status == F2L_OK ? init_readouts(run, b, err) : status;
}

static f2l_status init_float_run(f2l_wired_float *run, const f2l_format *format,
                                 const f2l_schedule *schedule, f2l_error *err)
{
    const f2l_net *net = run->net;
    run->rounded = f2l_calloc(1, sizeof *run->rounded);
    run->block = f2l_calloc(net->blocks, sizeof *run->block);
    if (run->rounded == NULL || run->block == NULL) return f2l_fail_memory(err);
    f2l_status status = f2l_float_net_init(run->rounded, format, schedule, err);
    if (status != F2L_OK) return status;
    if (!f2l_schedule_steps(schedule) || !f2l_schedule_is_plain(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "%s is not for wired networks", schedule->name);
    run->rounded->layer = f2l_calloc(net->blocks, sizeof *run->rounded->layer);
    if (run->rounded->layer == NULL) return f2l_fail_memory(err);
    run->rounded->layers = net->blocks;
    status = f2l_wired_flow_init(&run->flow, net, err);
    for (size_t b = 0; b < net->blocks && status == F2L_OK; b++)
        status = init_float_block(run, b, err);
    for (size_t l = 0; l < net->stages; l++) run->numbers += run->block[net->stage[l].block].size;
    return status;
}

f2l_status f2l_wired_float_new(f2l_wired_float **out, const f2l_net *net, const f2l_format *format,
                               const f2l_schedule *schedule, f2l_error *err)
{
    *out = NULL;
    f2l_status status = f2l_wired_validate(net, err);
    if (status != F2L_OK) return status;
    f2l_wired_float *run = f2l_calloc(1, sizeof *run);
    if (run == NULL) return f2l_fail_memory(err);
    run->net = net;
    status = init_float_run(run, format, schedule, err);
    if (status == F2L_OK)
        *out = run;
    else
        f2l_wired_float_free(run);
    return status;
}

size_t f2l_wired_float_numbers(const f2l_wired_float *run)
{
    return run->numbers;
}

void f2l_wired_float_start(const f2l_wired_float *run, double *joint)
{
    for (size_t i = 0; i < run->numbers; i++) joint[i] = 0;
    for (size_t l = 0; l < run->net->stages; l++) {
        const f2l_wired_stage *stage = &run->net->stage[l];
        for (size_t h = 0; h < stage->heads; h++) {
            double *state = joint + run->rounded->layer[stage->block].head[h].offset;
            for (size_t k = 0; k < stage->initial[h].count; k++)
                state[stage->initial[h].index[k]] =
                    f2l_format_round_q(run->rounded->format, stage->initial[h].value[k]);
        }
        joint += run->block[stage->block].size;
    }
}

static uint32_t decode_readout(const float_readout *readout, const double *stage)
{
    const double *state = stage + readout->offset;
    size_t i = 0;
    while (i < readout->decoder.size && state[i] == 0) i++;
    if (i == readout->decoder.size && readout->zero != F2L_NO_SYMBOL) return readout->zero;
    return f2l_decoder_symbol(&readout->decoder, F2L_NO_INDEX, state);
}

/* Steps heads and readouts of the stage that was entered; false when a readout has no nearest
 * code. */
static bool step_float_stage(f2l_wired_float *run, size_t l, double *state)
{
    const size_t b = run->net->stage[l].block;
    const f2l_wired_block *block = &run->net->block[b];
    for (size_t h = 0; h < block->heads; h++) {
        double *numbers = state + run->rounded->layer[b].head[h].offset;
        f2l_wired_flow_letters(&run->flow, &block->head[h]);
        for (size_t j = 0; j < block->head[h].slots; j++)
            f2l_float_step_head(run->rounded, b, h, run->flow.letter[j], numbers);
        f2l_float_store(run->rounded, b, h, numbers, NULL);
    }
    uint32_t *wire = run->flow.wire + f2l_wired_first_readout(block);
    for (size_t r = 0; r < block->readouts; r++) {
        wire[r] = decode_readout(&run->block[b].readout[r], state);
        if (wire[r] == F2L_NO_SYMBOL) return false;
    }
    return true;
}

f2l_status f2l_wired_float_step(f2l_wired_float *run, double *joint, size_t letter, uint32_t *label,
                                f2l_error *err)
{
    (void)err; /* nothing here can fail */
    run->flow.carry[0] = (uint32_t)letter;
    *label = F2L_NO_SYMBOL;
    for (size_t l = 0; l < run->net->stages; l++) {
        f2l_wired_flow_enter(&run->flow, l);
        if (!step_float_stage(run, l, joint)) return F2L_OK;
        f2l_wired_flow_leave(&run->flow, l);
        joint += run->block[run->net->stage[l].block].size;
    }
    *label = run->flow.carry[0];
    return F2L_OK;
}

void f2l_wired_float_step_slot(const f2l_wired_float *run, size_t block, size_t head, size_t slot,
                               size_t value, double *state)
{
    const size_t letter = run->net->block[block].head[head].slot_at[slot] + value;
    f2l_float_step_head(run->rounded, block, head, letter, state);
}
