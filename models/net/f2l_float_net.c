#include "f2l_float_impl.h"
#include "f2l_head_impl.h"
#include "f2l_mem.h"
#include "f2l_net_orthonormal.h"
#include <string.h>

static void clear_head(f2l_float_head *head)
{
    f2l_free(head->gate);
    f2l_free(head->first);
    f2l_free(head->beta);
    f2l_free(head->key_first);
    f2l_free(head->row);
    f2l_free(head->key);
    f2l_free(head->value_first);
    f2l_free(head->column);
    f2l_free(head->value);
}

void f2l_float_net_free(f2l_float_net *net)
{
    if (net == NULL) return;
    for (size_t l = 0; net->layer != NULL && l < net->layers; l++) {
        f2l_float_layer *layer = &net->layer[l];
        for (size_t h = 0; layer->head != NULL && h < layer->heads; h++) clear_head(&layer->head[h]);
        f2l_free(layer->head);
        f2l_decoder_clear(&layer->decoder);
    }
    f2l_free(net->layer);
    f2l_free(net->start);
    if (net->view != NULL) f2l_net_clear(net->view);
    f2l_free(net->view);
    f2l_free(net);
}

static bool allocate_head(f2l_float_head *out, const f2l_head *head, size_t letters)
{
    size_t factors = 0, keys = 0, values = 0;
    for (size_t x = 0; x < letters; x++) {
        factors += head->letter[x].factors;
        for (size_t i = 0; i < head->letter[x].factors; i++) {
            keys += head->letter[x].factor[i].u.count;
            values += head->letter[x].factor[i].c.count;
        }
    }
    out->gate = f2l_calloc(letters, sizeof *out->gate);
    out->first = f2l_calloc(letters + 1, sizeof *out->first);
    out->beta = f2l_calloc(factors, sizeof *out->beta);
    out->key_first = f2l_calloc(factors + 1, sizeof *out->key_first);
    out->row = f2l_calloc(keys, sizeof *out->row);
    out->key = f2l_calloc(keys, sizeof *out->key);
    out->value_first = f2l_calloc(factors + 1, sizeof *out->value_first);
    out->column = f2l_calloc(values, sizeof *out->column);
    out->value = f2l_calloc(values, sizeof *out->value);
    return out->gate != NULL && out->first != NULL && out->beta != NULL && out->key_first != NULL &&
           out->row != NULL && out->key != NULL && out->value_first != NULL && out->column != NULL &&
           out->value != NULL;
}

/* The rounded factor number f; its entries begin where those of the one before end. Coordinates that round to
 * zero are left out, as the schedules leave out zero coordinates. */
static void round_factor(f2l_float_head *out, size_t f, const f2l_head *head, const f2l_factor *factor,
                         const f2l_format *format)
{
    mpq_t norm2;
    mpq_init(norm2);
    f2l_key_norm2(norm2, head, factor);
    out->beta[f] = f2l_format_round_q(format, factor->beta);
    size_t key = out->key_first[f], value = out->value_first[f];
    for (size_t i = 0; i < factor->u.count; i++) {
        out->row[key] = (uint32_t)(factor->u.index[i] * out->d);
        out->key[key] = f2l_format_round_over_sqrt(format, factor->u.value[i], norm2);
        if (out->key[key] != 0) key++;
    }
    for (size_t j = 0; j < factor->c.count; j++) {
        out->column[value] = factor->c.index[j];
        out->value[value] = f2l_format_round_over_sqrt(format, factor->c.value[j], norm2);
        if (out->value[value] != 0) value++;
    }
    out->key_first[f + 1] = key;
    out->value_first[f + 1] = value;
    mpq_clear(norm2);
}

f2l_status f2l_float_head_init(f2l_float_head *out, const f2l_head *head, size_t letters,
                               const f2l_format *format, f2l_error *err)
{
    if (!allocate_head(out, head, letters)) return f2l_fail_memory(err);
    out->n = head->n;
    out->d = head->d;
    for (size_t x = 0; x < letters; x++) {
        out->gate[x] = f2l_format_round_q(format, head->letter[x].gate);
        out->first[x + 1] = out->first[x] + head->letter[x].factors;
        for (size_t i = 0; i < head->letter[x].factors; i++)
            round_factor(out, out->first[x] + i, head, &head->letter[x].factor[i], format);
    }
    return F2L_OK;
}

static f2l_status round_layer(f2l_float_layer *out, const f2l_layer *layer, const f2l_format *format,
                              f2l_error *err)
{
    out->head = f2l_calloc(layer->heads, sizeof *out->head);
    if (out->head == NULL) return f2l_fail_memory(err);
    out->heads = layer->heads;
    f2l_status status = F2L_OK;
    size_t offset = 0;
    for (size_t h = 0; h < layer->heads && status == F2L_OK; h++) {
        status = f2l_float_head_init(&out->head[h], &layer->head[h], layer->letters, format, err);
        out->head[h].offset = offset;
        offset += layer->head[h].n * layer->head[h].d;
    }
    return status == F2L_OK ? f2l_decoder_init(&out->decoder, layer, err) : status;
}

static f2l_status round_start(f2l_float_net *out, f2l_error *err)
{
    out->start = f2l_calloc(out->size, sizeof *out->start);
    if (out->start == NULL) return f2l_fail_memory(err);
    double *state = out->start;
    for (size_t l = 0; l < out->layers; l++) {
        for (size_t h = 0; h < out->layer[l].heads; h++) {
            const f2l_head *head = &out->net->layer[l].head[h];
            for (size_t i = 0; i < head->initial.count; i++)
                state[head->initial.index[i]] = f2l_format_round_q(out->format, head->initial.value[i]);
            state += head->n * head->d;
        }
    }
    return F2L_OK;
}

/* Heads with a field or a form are rounded by their view. */
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

f2l_status f2l_float_net_new(f2l_float_net **out, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err)
{
    *out = NULL;
    f2l_status status = f2l_net_validate(net, err);
    if (status != F2L_OK) return status;
    f2l_float_net *rounded = f2l_calloc(1, sizeof *rounded);
    if (rounded == NULL) return f2l_fail_memory(err);
    *rounded = (f2l_float_net){.net = net, .format = format, .schedule = schedule, .layers = net->layers};
    rounded->layer = f2l_calloc(net->layers, sizeof *rounded->layer);
    status = rounded->layer == NULL ? f2l_fail_memory(err) : take_view(rounded, err);
    for (size_t l = 0; l < net->layers && status == F2L_OK; l++) {
        status = round_layer(&rounded->layer[l], &rounded->net->layer[l], format, err);
        rounded->size += rounded->layer[l].decoder.size;
    }
    if (status == F2L_OK) status = round_start(rounded, err);
    if (status == F2L_OK)
        *out = rounded;
    else
        f2l_float_net_free(rounded);
    return status;
}

size_t f2l_float_layer_size(const f2l_float_net *net, size_t layer)
{
    return net->layer[layer].decoder.size;
}

size_t f2l_float_size(const f2l_float_net *net)
{
    return net->size;
}

void f2l_float_start(const f2l_float_net *net, double *joint)
{
    memcpy(joint, net->start, net->size * sizeof *joint);
}

void f2l_float_step_layer(const f2l_float_net *net, size_t layer, size_t letter, double *state)
{
    const f2l_float_layer *weights = &net->layer[layer];
    for (size_t h = 0; h < weights->heads; h++)
        net->schedule->step_head(net, layer, h, letter, state + weights->head[h].offset);
}

size_t f2l_float_code(const f2l_float_net *net, size_t layer, const double *state)
{
    const uint32_t code = f2l_decoder_symbol(&net->layer[layer].decoder, F2L_NO_INDEX, state);
    return code == F2L_NO_SYMBOL ? F2L_NO_INDEX : code;
}

f2l_status f2l_float_step(const f2l_float_net *net, double *joint, size_t letter, uint32_t *label,
                          f2l_error *err)
{
    (void)err; /* nothing here can fail */
    uint32_t x = (uint32_t)letter;
    double *state = joint;
    for (size_t l = 0; l < net->layers && x != F2L_NO_SYMBOL; l++) {
        f2l_float_step_layer(net, l, x, state);
        x = f2l_decoder_symbol(&net->layer[l].decoder, x, state);
        state += net->layer[l].decoder.size;
    }
    *label = x;
    return F2L_OK;
}
