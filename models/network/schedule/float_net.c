#include "models/network/schedule/float_net.h"
#include "models/network/net/net_orthonormal.h"
#include "numeric/base/mem.h"
#include "numeric/format/choices.h"
#include <string.h>

#define FEW 512 /* numbers of a state before its store that are kept on the stack */

void f2l_float_net_free(f2l_float_net *net)
{
    if (net == NULL) return;
    for (size_t l = 0; net->layer != NULL && l < net->layers + net->net->blocks; l++) {
        f2l_float_layer *layer = &net->layer[l];
        for (size_t h = 0; layer->head != NULL && h < layer->heads; h++)
            f2l_float_head_clear(&layer->head[h]);
        f2l_free(layer->head);
        f2l_same_letters_clear(&layer->same);
        f2l_decoder_clear(&layer->decoder);
        f2l_float_block_clear(layer);
    }
    f2l_free(net->layer);
    f2l_wired_flow_clear(&net->flow);
    f2l_free(net->start);
    f2l_free(net->prompt);
    if (net->view != NULL) f2l_net_clear(net->view);
    f2l_free(net->view);
    f2l_free(net);
}

static f2l_status round_head(f2l_float_head *out, const f2l_head *head,
                             const f2l_same_letters *same, const f2l_float_net *net,
                             f2l_meter *meter, f2l_error *err)
{
    f2l_head view;
    f2l_status status = f2l_same_letters_head(&view, head, same, err);
    if (status == F2L_OK)
        status = f2l_meter_spend(meter, f2l_head_weigh(&view, same->count, 24, 60, 30), 0, 0, err);
    if (status == F2L_OK)
        status = f2l_float_head_init(out, &view, same->count, net, meter->task, err);
    f2l_free(view.letter);
    return status;
}

static f2l_status round_layer(f2l_float_layer *out, const f2l_layer *layer,
                              const f2l_float_net *net, f2l_meter *meter, f2l_error *err)
{
    out->head = f2l_calloc(layer->heads, sizeof *out->head);
    if (out->head == NULL) return f2l_fail_memory(err);
    out->heads = layer->heads;
    f2l_status status = f2l_meter_spend(meter, f2l_codes_weigh(layer, 40, 40), 0, 0, err);
    if (status == F2L_OK) status = f2l_meter_spend(meter, f2l_same_letters_steps(layer), 0, 0, err);
    if (status == F2L_OK)
        status = f2l_same_letters_find(&out->same, layer->head, layer->heads, layer->letters, err);
    size_t offset = 0;
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++) {
        status = round_head(&out->head[h], &layer->head[h], &out->same, net, meter, err);
        out->head[h].offset = offset;
        offset += layer->head[h].n * layer->head[h].d;
    }
    out->size = offset + f2l_store_memory(&net->schedule->store, offset) +
                (net->schedule->store.letters > 1);
    for (size_t h = 0; h < layer->heads && status == F2L_OK && net->schedule->store.ring; h++)
        status = f2l_ring_check(&layer->head[h], layer->letters, err);
    return status == F2L_OK ? f2l_decoder_init(&out->decoder, layer, net->schedule->decode, err)
                            : status;
}

/* Returns whether all heads of a layer share a scale. */
static bool shares_scale(const f2l_float_net *net)
{
    return net->schedule->store.scale && net->schedule->store.block == F2L_BLOCK_TENSOR;
}

static f2l_status round_start(f2l_float_net *out, f2l_error *err)
{
    out->start = f2l_calloc(out->size, sizeof *out->start);
    if (out->start == NULL) return f2l_fail_memory(err);
    double *layer = out->start;
    const bool tensor = shares_scale(out) && !out->schedule->prefill;
    for (size_t l = 0; l < out->layers; l++) {
        for (size_t h = 0; h < out->layer[l].heads; h++)
            f2l_float_start_head(out, layer + out->layer[l].head[h].offset,
                                 &out->net->layer[l].head[h].initial, out->net->layer[l].head[h].n,
                                 out->net->layer[l].head[h].d);
        if (tensor) f2l_store_start(&out->store, layer, f2l_float_layer_decoded(out, l), 1);
        layer += out->layer[l].size;
    }
    f2l_float_start_stages(out, layer);
    return F2L_OK;
}

/* Makes the view if some head has a field or a form: such heads are rounded by their view. */
static f2l_status take_view(f2l_float_net *out, f2l_error *err)
{
    if (f2l_net_is_plain(out->net)) return F2L_OK;
    out->view = f2l_calloc(1, sizeof *out->view);
    if (out->view == NULL) return f2l_fail_memory(err);
    f2l_net_init(out->view);
    f2l_status status = f2l_net_orthonormal(out->view, out->net, 0, err);
    out->net = out->view;
    return status;
}

/* Returns the constants of rounding to nearest as f2l_format_round does, for exponents from emin to
 * emax - 1, where no carry can leave the range. */
static f2l_quick quick_of(const f2l_format *format)
{
    const unsigned drop = (unsigned)(53 - format->precision);
    return (f2l_quick){.least = (unsigned)(format->emin + 1023),
                       .binades = (unsigned)(format->emax - format->emin),
                       .drop = drop,
                       .half = (UINT64_C(1) << (drop - 1)) - 1,
                       .mask = ~UINT64_C(0) << drop};
}

static f2l_arithmetic arithmetic_of(const f2l_format *format)
{
    if (format->rounding != F2L_ROUND_NEAREST_EVEN) return F2L_ARITHMETIC_ANY;
    const bool infinite = format->overflow == F2L_OVERFLOW_INFINITY;
    if (infinite && f2l_format_same_values(format, f2l_format_find("fp32")))
        return F2L_ARITHMETIC_FLOAT;
    if (infinite && f2l_format_same_values(format, f2l_format_find("fp64")))
        return F2L_ARITHMETIC_DOUBLE;
    return f2l_format_narrow(format) ? F2L_ARITHMETIC_NARROW : F2L_ARITHMETIC_ANY;
}

static f2l_storing storing_of(const f2l_schedule *schedule, f2l_arithmetic arithmetic)
{
    const f2l_schedule_store *how = &schedule->store;
    if (!f2l_schedule_stores(schedule)) return F2L_STORING_NOTHING;
    if (how->scale && how->block == F2L_BLOCK_TENSOR) return F2L_STORING_TENSOR;
    if (how->format || how->stochastic || how->scale || how->residual) return F2L_STORING_BLOCKS;
    return arithmetic == F2L_ARITHMETIC_FLOAT ? F2L_STORING_NOTHING : F2L_STORING_ROUNDS;
}

/* Sets *out to a network without layers. F2L_EDOMAIN when the schedule is not for the format. */
/* Makes what reads a prompt. */
static f2l_status make_prompt(f2l_float_net *net, f2l_error *err)
{
    if (!net->schedule->prefill) return F2L_OK;
    net->prompt = f2l_calloc(1, sizeof *net->prompt);
    if (!net->prompt) return f2l_fail_memory(err);
    net->prompted = *net->schedule;
    net->prompted.prefill = F2L_PREFILL_NONE;
    net->prompted.order.store_factors = false;
    net->prompted.state = F2L_WIDTH_FP32;
    net->prompted.store = (f2l_schedule_store){.letters = 1};
    *net->prompt = *net;
    net->prompt->prompt = NULL;
    net->prompt->schedule = &net->prompted;
    net->prompt->storing = F2L_STORING_NOTHING;
    return F2L_OK;
}

static f2l_status init_float_net(f2l_float_net *out, const f2l_format *format,
                                 const f2l_schedule *schedule, f2l_error *err)
{
    *out = (f2l_float_net){
        .format = format, .schedule = schedule, .arithmetic = arithmetic_of(format)};
    out->work = schedule->work == F2L_WIDTH_FP32 ? F2L_ARITHMETIC_FLOAT : out->arithmetic;
    if (out->arithmetic == F2L_ARITHMETIC_NARROW) out->quick = quick_of(format);
    if (schedule->operands) out->operands = f2l_store_format(schedule->operands);
    out->storing = storing_of(schedule, out->arithmetic);
    out->reads = schedule->read_unstored || schedule->output || schedule->prefill;
    out->output = f2l_schedule_output_format(schedule, format);
    f2l_store_init(&out->store, schedule, format);
    if (schedule->prefill == F2L_PREFILL_CHUNK)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%s: of a prompt in chunks only the claim that nothing rounds is known",
                        schedule->name);
    return f2l_schedule_check(schedule, format, err);
}

f2l_status f2l_float_net_new(f2l_float_net **out, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err)
{
    return f2l_float_net_new_within(out, net, format, schedule, NULL, err);
}

/* Returns the steps of making the view, a separate network whose algebraic numbers are rounded to
 * many bits. */
static uint64_t view_steps(const f2l_net *net)
{
    uint64_t steps = 0;
    for (size_t l = 0; l < net->layers && !f2l_net_is_plain(net); l++)
        for (size_t h = 0; h < net->layer[l].heads; h++)
            steps += f2l_head_weigh(&net->layer[l].head[h], net->layer[l].letters,
                                    F2L_TRANSITION_STEPS, F2L_FACTOR_STEPS, 4 * F2L_ENTRY_STEPS);
    return steps;
}

f2l_status f2l_float_net_new_within(f2l_float_net **out, const f2l_net *net,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = "rounding a network"};
    *out = NULL;
    f2l_status status = f2l_net_validate_within(net, task, err);
    if (status == F2L_OK) status = f2l_meter_spend(&meter, view_steps(net), 0, 0, err);
    if (status != F2L_OK) return status;
    f2l_float_net *rounded = f2l_calloc(1, sizeof *rounded);
    if (rounded == NULL) return f2l_fail_memory(err);
    status = init_float_net(rounded, format, schedule, err);
    if (status == F2L_OK) status = f2l_schedule_check_decoder(schedule, net, err);
    if (status == F2L_OK) {
        rounded->net = net;
        rounded->layers = net->layers;
        rounded->layer = f2l_calloc(net->layers + net->blocks, sizeof *rounded->layer);
        status = rounded->layer == NULL ? f2l_fail_memory(err) : take_view(rounded, err);
    }
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        status = round_layer(&rounded->layer[l], &rounded->net->layer[l], rounded, &meter, err);
        rounded->size += rounded->layer[l].size;
    }
    rounded->layers_size = rounded->size;
    if (status == F2L_OK) status = f2l_float_blocks_init(rounded, &meter, err);
    rounded->size += schedule->prefill != F2L_PREFILL_NONE;
    if (status == F2L_OK) status = round_start(rounded, err);
    if (status == F2L_OK) status = make_prompt(rounded, err);
    if (status == F2L_OK)
        *out = rounded;
    else
        f2l_float_net_free(rounded);
    return status;
}

size_t f2l_float_layer_size(const f2l_float_net *net, size_t layer)
{
    return net->layer[layer].size;
}

size_t f2l_float_layer_decoded(const f2l_float_net *net, size_t layer)
{
    return net->layer[layer].decoder.size;
}

const f2l_same_letters *f2l_float_same_letters(const f2l_float_net *net, size_t layer)
{
    return &net->layer[layer].same;
}

size_t f2l_float_size(const f2l_float_net *net)
{
    return net->size;
}

void f2l_float_start(const f2l_float_net *net, double *joint)
{
    memcpy(joint, net->start, net->size * sizeof *joint);
}

void f2l_float_start_head(const f2l_float_net *net, double *state, const f2l_qvec *initial,
                          size_t n, size_t d)
{
    for (size_t i = 0; i < initial->count; i++)
        state[initial->index[i]] = f2l_format_round_q(net->format, initial->value[i]);
    /* with the other heads, or after the prompt */
    if (shares_scale(net) || net->schedule->prefill) return;
    if (f2l_schedule_stores(net->schedule)) f2l_store_start(&net->store, state, n, d);
}

void f2l_float_store_layer(const f2l_float_net *net, size_t layer, double *state)
{
    const f2l_float_layer *weights = &net->layer[layer];
    double *residual = state + weights->decoder.size;
    if (net->storing == F2L_STORING_NOTHING) return;
    if (net->storing == F2L_STORING_TENSOR) {
        f2l_store_state(&net->store, state, residual, weights->decoder.size, 1);
        return;
    }
    for (size_t h = 0; h < weights->heads; h++) {
        const size_t offset = weights->head[h].offset;
        f2l_float_store(net, layer, h, state + offset, residual + offset);
    }
}

/* Stores a layer's state, unless its turn comes with a later letter. */
static void store_in_turn(const f2l_float_net *net, size_t layer, double *state)
{
    const unsigned period = net->schedule->store.letters;
    double *letters = &state[net->layer[layer].size - 1];
    if (period > 1) *letters = *letters + 1 == period ? 0 : *letters + 1;
    if (period == 1 || *letters == 0) f2l_float_store_layer(net, layer, state);
}

const double *f2l_float_step_layer(const f2l_float_net *net, size_t layer, size_t letter,
                                   double *state, double *unstored)
{
    const f2l_float_layer *weights = &net->layer[layer];
    const bool casts = net->schedule->read_unstored || net->schedule->output;
    double *const apart = casts ? unstored : NULL;
    if (net->schedule->store.ring) return f2l_ring_step(net, layer, letter, state, unstored);
    for (size_t h = 0; h < weights->heads; h++)
        f2l_float_step_head(net, layer, h, letter, state + weights->head[h].offset);
    const bool early = net->schedule->read_unstored;
    for (size_t i = 0; apart && early && i < weights->decoder.size; i++)
        apart[i] = f2l_format_round(&net->output, state[i]);
    store_in_turn(net, layer, state);
    for (size_t i = 0; apart && !early && i < weights->decoder.size; i++)
        apart[i] = f2l_format_round(&net->output, state[i]);
    return apart ? apart : state;
}

size_t f2l_float_code(const f2l_float_net *net, size_t layer, const double *state)
{
    const uint32_t code = f2l_decoder_symbol(&net->layer[layer].decoder, F2L_NO_INDEX, state);
    return code == F2L_NO_SYMBOL ? F2L_NO_INDEX : code;
}

/* Steps the layers; `unstored` has room for the numbers of a layer. */
static uint32_t step_layers(const f2l_float_net *net, double *state, size_t letter,
                            double *unstored)
{
    uint32_t x = (uint32_t)letter;
    for (size_t l = 0; l < net->layers && x != F2L_NO_SYMBOL; l++) {
        const double *read = f2l_float_step_layer(net, l, x, state, unstored);
        x = f2l_decoder_symbol(&net->layer[l].decoder, x, read);
        state += net->layer[l].size;
    }
    return x;
}

/* step_layers with room on the stack, if it is enough. */
static f2l_status step_unstored(const f2l_float_net *net, double *state, size_t letter,
                                uint32_t *label, f2l_error *err)
{
    double few[FEW], *many = NULL;
    if (net->size > FEW) many = f2l_calloc(net->size, sizeof *many);
    if (net->size > FEW && !many) return f2l_fail_memory(err);
    *label = step_layers(net, state, letter, many ? many : few);
    f2l_free(many);
    return F2L_OK;
}

/* Rounds and stores the state after a prompt. */
static void hand_over(const f2l_float_net *net, double *joint)
{
    const f2l_format *const format = f2l_schedule_handover_format(net->schedule);
    const bool stores = f2l_schedule_stores(net->schedule);
    for (size_t l = 0; l < net->layers; joint += net->layer[l++].size) {
        const f2l_float_layer *layer = &net->layer[l];
        const size_t size = layer->decoder.size;
        for (size_t i = 0; i < size; i++) joint[i] = f2l_format_round_nearest(format, joint[i]);
        if (stores && shares_scale(net)) f2l_store_start(&net->store, joint, size, 1);
        for (size_t h = 0; stores && !shares_scale(net) && h < layer->heads; h++)
            f2l_store_start(&net->store, joint + layer->head[h].offset, layer->head[h].n,
                            layer->head[h].d);
    }
}

/* Steps in a prompt, where it has not ended before the letter, or after it. */
static f2l_status step_with_prompt(const f2l_float_net *net, double *joint, size_t letter,
                                   uint32_t *label, f2l_error *err)
{
    double *const ended = &joint[net->layers_size];
    f2l_choices *const choices = net->format->choices;
    if (*ended == 0 && (!choices || f2l_choices_take(choices))) {
        hand_over(net, joint);
        *ended = 1;
    }
    return step_unstored(*ended != 0 ? net : net->prompt, joint, letter, label, err);
}

f2l_status f2l_float_step(const f2l_float_net *net, double *joint, size_t letter, uint32_t *label,
                          f2l_error *err)
{
    const f2l_schedule *schedule = net->schedule;
    if (schedule->chunk != 0)
        return f2l_fail(err, F2L_EDOMAIN, "%s does not go letter by letter", schedule->name);
    if (net->prompt) return step_with_prompt(net, joint, letter, label, err);
    if (net->reads) return step_unstored(net, joint, letter, label, err);
    *label = step_layers(net, joint, letter, NULL);
    return f2l_float_step_stages(net, joint + net->layers_size, label, err);
}
