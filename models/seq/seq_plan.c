#include "models/seq/impl.h"
#include "numeric/base/mem.h"

f2l_seq_memory f2l_seq_memory_of(const f2l_seq_config *config)
{
    const f2l_seq_config *c = config;
    const size_t taps = c->convolution > 0 ? c->convolution - 1 : 0;
    if (c->mixer == F2L_SEQ_DIAGONAL)
        return (f2l_seq_memory){.recurrence = c->channels * c->states, .query = taps * c->channels};
    const size_t keys = c->heads * c->key_dim, values = c->additive ? c->heads * c->value_dim : 0;
    return (f2l_seq_memory){.recurrence = keys * c->value_dim,
                            .query = taps * keys,
                            .key = taps * c->householders * keys,
                            .value = taps * c->householders * values};
}

size_t f2l_seq_state_count(const f2l_seq *model)
{
    const f2l_seq_memory m = f2l_seq_memory_of(&model->config);
    return model->config.layers * (m.recurrence + m.query + m.key + m.value);
}

/* Set the numbers per row of the used slots. */
static void delta_widths(size_t width[F2L_SLOTS], const f2l_seq_config *c)
{
    const size_t keys = c->heads * c->key_dim, values = c->heads * c->value_dim,
                 n = c->householders;
    width[F2L_SLOT_Q] = keys;
    width[F2L_SLOT_K] = n * keys;
    width[F2L_SLOT_V] = c->additive ? n * values : 0;
    for (size_t s = 0; s < 3; s++) {
        const size_t first = F2L_SLOT_Q + 4 * s; /* V has no unit slot */
        if (c->convolution > 0) width[first + 1] = width[first];
        if (c->silu_keys || s == 2) width[first + 2] = width[first];
        if (c->normalise_keys && s < 2) width[first + 3] = width[first];
    }
    width[F2L_SLOT_BETA_IN] = width[F2L_SLOT_BETA] = n * c->heads;
    width[F2L_SLOT_GATE_IN] = width[F2L_SLOT_GATE] = c->forget_gate ? c->heads : 0;
    width[F2L_SLOT_O] = width[F2L_SLOT_O_SCALED] = width[F2L_SLOT_O_NORM] = values;
}

static void diagonal_widths(size_t width[F2L_SLOTS], const f2l_seq_config *c)
{
    static const f2l_seq_slot channel[] = {F2L_SLOT_U,       F2L_SLOT_U_SILU, F2L_SLOT_Z,
                                           F2L_SLOT_STEP_IN, F2L_SLOT_STEP,   F2L_SLOT_Y,
                                           F2L_SLOT_Y_GATED};
    for (size_t i = 0; i < sizeof channel / sizeof *channel; i++) width[channel[i]] = c->channels;
    if (c->convolution > 0) width[F2L_SLOT_U_TAPS] = c->channels;
    width[F2L_SLOT_RANK] = c->step_rank;
    width[F2L_SLOT_WRITE] = width[F2L_SLOT_READ] = c->states;
    width[F2L_SLOT_DECAY] = width[F2L_SLOT_STATE] = c->channels * c->states;
}

/* Adds rows * width to *at and returns its old value. */
static size_t take(size_t *at, size_t rows, size_t width, bool *fits)
{
    const size_t old = *at;
    size_t count;
    if (!f2l_mul_size(&count, rows, width) || !f2l_add_size(at, *at, count)) *fits = false;
    return old;
}

bool f2l_seq_place(f2l_seq_places *places, const f2l_seq *model, const f2l_seq_plan *plan)
{
    const f2l_seq_config *c = &model->config;
    bool fits = true;
    size_t rows, at = 0;
    *places = (f2l_seq_places){0};
    if (!f2l_mul_size(&rows, plan->sequences, plan->length)) return false;
    size_t *width = places->width;
    width[F2L_SLOT_X] = width[F2L_SLOT_NORM] = width[F2L_SLOT_MIDDLE] = c->width;
    width[F2L_SLOT_MLP_NORM] = c->mlp > 0 ? c->width : 0;
    width[F2L_SLOT_MLP_GATE] = width[F2L_SLOT_MLP_UP] = width[F2L_SLOT_MLP_PRODUCT] = c->mlp;
    if (c->mixer == F2L_SEQ_DELTA)
        delta_widths(width, c);
    else
        diagonal_widths(width, c);
    for (size_t s = 0; s < F2L_SLOTS; s++) places->slot[s] = take(&at, rows, width[s], &fits);
    const size_t one = at;
    if (plan->training) {
        places->layer = one;
        (void)take(&at, one, c->layers - 1, &fits);
        places->gradient = take(&at, one, 1, &fits);
    }
    places->out = take(&at, rows, c->width, &fits);
    places->norm = take(&at, rows, c->width, &fits);
    places->logits = take(&at, rows, c->labels, &fits);
    if (plan->training) {
        places->out_gradient = take(&at, rows, c->width, &fits);
        places->norm_gradient = take(&at, rows, c->width, &fits);
        places->logits_gradient = take(&at, rows, c->labels, &fits);
    }
    places->total = at;
    return fits;
}

f2l_seq_stream f2l_seq_query_stream(const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    return (f2l_seq_stream){.weight = model->layer[layer].query,
                            .convolution = model->layer[layer].query_convolution,
                            .width = c->heads * c->key_dim,
                            .unit = c->normalise_keys ? c->key_dim : 0,
                            .silu = c->silu_keys,
                            .first = F2L_SLOT_Q,
                            .past = f2l_seq_memory_of(c).recurrence};
}

f2l_seq_stream f2l_seq_key_stream(const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    const f2l_seq_memory m = f2l_seq_memory_of(c);
    return (f2l_seq_stream){.weight = model->layer[layer].key,
                            .convolution = model->layer[layer].key_convolution,
                            .width = c->householders * c->heads * c->key_dim,
                            .unit = c->normalise_keys ? c->key_dim : 0,
                            .silu = c->silu_keys,
                            .first = F2L_SLOT_K,
                            .past = m.recurrence + m.query};
}

f2l_seq_stream f2l_seq_value_stream(const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    const f2l_seq_memory m = f2l_seq_memory_of(c);
    return (f2l_seq_stream){.weight = model->layer[layer].value,
                            .convolution = model->layer[layer].value_convolution,
                            .width = c->householders * c->heads * c->value_dim,
                            .silu = true,
                            .first = F2L_SLOT_V,
                            .past = m.recurrence + m.query + m.key};
}

f2l_seq_stream f2l_seq_channel_stream(const f2l_seq *model, size_t layer)
{
    const f2l_seq_config *c = &model->config;
    return (f2l_seq_stream){.weight = model->layer[layer].in,
                            .convolution = model->layer[layer].channel_convolution,
                            .width = c->channels,
                            .silu = true,
                            .first = F2L_SLOT_U,
                            .past = f2l_seq_memory_of(c).recurrence};
}
