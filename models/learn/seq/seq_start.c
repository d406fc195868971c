#include "models/learn/seq/seq.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include <math.h>

/* Returns a uniform number in (0, 1). */
static double uniform(f2l_rng *rng)
{
    return ldexp((double)(f2l_rng_u64(rng) >> 12) + 0.5, -52);
}

/* Returns a normal number by Box and Muller (1958); only one number of the pair is used. */
static double normal(f2l_rng *rng)
{
    const double two_pi = 6.283185307179586477;
    const double radius = sqrt(-2 * log(uniform(rng)));
    return radius * cos(two_pi * uniform(rng));
}

/* Returns x with log(1 + e^x) = e^u, u uniform in [log 0.001, log 0.1]. */
static double draw_step_bias(f2l_rng *rng)
{
    const double dt = exp(log(0.001) + uniform(rng) * (log(0.1) - log(0.001)));
    return dt + log(-expm1(-dt));
}

/* Returns a number of a matrix that is added to the residual stream. */
static double draw_residual_weight(const f2l_seq_tensor *tensor, const f2l_seq_config *config,
                                   f2l_rng *rng)
{
    const size_t columns = tensor->count / tensor->dim[0];
    return (2 * uniform(rng) - 1) / sqrt(2 * (double)config->layers * (double)columns);
}

static double draw_start_number(const f2l_seq_tensor *tensor, const f2l_seq_config *config,
                                size_t i, f2l_rng *rng)
{
    const bool ranged = config->initializer_range > 0;
    switch (tensor->start) {
    case F2L_SEQ_NORMAL:
        return tensor->scale * normal(rng);
    case F2L_SEQ_MATRIX:
        return (ranged ? config->initializer_range : tensor->scale) * normal(rng);
    case F2L_SEQ_RESIDUAL:
        return ranged ? draw_residual_weight(tensor, config, rng) : tensor->scale * normal(rng);
    case F2L_SEQ_LOG_RAMP:
        return log(1 + (double)(i % tensor->dim[tensor->dims - 1]));
    case F2L_SEQ_LOG_EVEN:
        return log(1 + 15 * uniform(rng));
    case F2L_SEQ_RAMP:
        return tensor->count < 2 ? tensor->scale
                                 : tensor->scale * (1 + (double)i / (double)(tensor->count - 1));
    case F2L_SEQ_STEP:
        return draw_step_bias(rng);
    case F2L_SEQ_CONSTANT:
        break;
    }
    return tensor->scale;
}

void f2l_seq_start_f32(float *parameters, const f2l_seq *model, uint64_t seed)
{
    for (size_t t = 0; t < model->tensors; t++) {
        const f2l_seq_tensor *tensor = &model->tensor[t];
        f2l_rng rng;
        f2l_rng_init(&rng, seed, t);
        for (size_t i = 0; i < tensor->count; i++)
            parameters[tensor->offset + i] =
                (float)draw_start_number(tensor, &model->config, i, &rng);
    }
}

void f2l_seq_perturb_f32(float *parameters, const f2l_seq *model, double noise, uint64_t seed)
{
    for (size_t t = 0; t < model->tensors; t++) {
        float *number_of = parameters + model->tensor[t].offset;
        const size_t count = model->tensor[t].count;
        double squares = 0;
        f2l_rng rng;
        f2l_rng_init(&rng, seed, model->tensors + t); /* streams that no first weights have */
        for (size_t i = 0; i < count; i++) squares += (double)number_of[i] * (double)number_of[i];
        const double deviation = noise * sqrt(squares / (double)count);
        for (size_t i = 0; i < count; i++)
            number_of[i] = (float)((double)number_of[i] + deviation * normal(&rng));
    }
}
