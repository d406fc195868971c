/* A whole training step of the sequence models of models/seq/seq.h on one device: forward,
 * backward, AdamW.
 *
 * What differs from the reference, besides the order of sums and bf16:
 * - Without a convolution the first layer's norm, projections, queries, keys, values, beta and gate
 * are functions of the letter: they are computed once per letter, in float, and their gradients are
 * summed by letter before they go back through the projections. No position holds the first layer's
 * input. With a convolution, or with the diagonal mixer, this holds for norm and projection, which
 * are then laid out by position.
 * - Neighbouring matrices of the parameter vector are one product: q, k, v, beta (and the gate's)
 * of a layer, gate and up of an MLP. Residual additions and norms are one pass.
 * - Activations are of the step's type, with matrices rounded to it (a bf16 copy that AdamW keeps
 * up); the logits, beta, the gates, the states' H_0, all gradients of parameters and AdamW's
 * numbers are float.
 * - Sequences are filled up to a multiple of F2L_CUDA_STEP_LETTERS letters that are not supervised.
 *
 * Buffers are planned for the shape of a batch; those whose times do not meet share memory. The
 * first step of a shape is launched as it comes, the second is captured as a graph, and all further
 * ones run that. */
#ifndef F2L_CUDA_STEP_H
#define F2L_CUDA_STEP_H

#include "cuda/cuda_kernels.h"

#define F2L_CUDA_STEP_LETTERS 8
#define F2L_CUDA_NONE SIZE_MAX

/* Where the tensors of a layer begin in the parameter vector, in numbers. */
typedef struct f2l_cuda_step_layer {
    size_t mixer_norm; /* [width] */
    size_t project; /* rows of q, k, v if any, beta, step if any: [..][width], one after the other
                     */
    size_t gate_log, gate_bias; /* [heads], with the forget gate */
    size_t start;               /* [heads][key][value] or F2L_CUDA_NONE */
    size_t output_norm, out;    /* [value]; [width][heads value] */
    size_t mlp_norm, mlp_in;    /* [width]; gate and up: [2][mlp][width] */
    size_t mlp_down;            /* [width][mlp] */
    size_t taps; /* with a convolution: rows of q, k, v if any (diagonal: u): [..][convolution], one
                    after the other */
    /* The diagonal mixer; project: u and z, [2][channels][width]; out: [width][channels] */
    size_t select;                 /* r, B, C: [rank + 2 states][channels] */
    size_t step_weight, step_bias; /* [channels][rank]; [channels] */
    size_t state_log, skip;        /* [channels][states]; [channels] */
} f2l_cuda_step_layer;

/* Parameters that are treated alike, up to the first of the next group. */
typedef struct f2l_cuda_step_group {
    size_t first;
    double rate, decay; /* factors */
} f2l_cuda_step_group;

/* The model; the arrays are borrowed. */
typedef struct f2l_cuda_step_shape {
    size_t letters, labels, layers, width, mlp; /* mlp 0: none */
    size_t heads, householders, key, value;
    bool additive, forget_gate, silu_keys, normalise_keys;
    double range, slope; /* of beta: 0 .. range */
    double epsilon;
    size_t embedding, norm, head, parameters;
    const f2l_cuda_step_layer *layer; /* [layers] */
    const f2l_cuda_step_group *group; /* ascending, the first at 0 */
    size_t groups;
    size_t convolution; /* taps; 0: none */
    /* The diagonal mixer, instead of heads and what belongs to them. */
    bool diagonal, negative;
    size_t channels, states, rank;
} f2l_cuda_step_shape;

typedef struct f2l_cuda_step f2l_cuda_step;

/* *out is NULL after a failure. F2L_EDOMAIN: sizes that the operators do not take. */
f2l_status f2l_cuda_step_new(f2l_cuda_step **out, const f2l_cuda_step_shape *shape,
                             f2l_cuda_type type, const f2l_cuda_kernels *kernels, f2l_error *err);
void f2l_cuda_step_free(f2l_cuda_step *step);

/* Parameters and AdamW's numbers from and to the host, [parameters] each; mean and square NULL: 0
 * (put), not wanted (get). */
f2l_status f2l_cuda_step_put(f2l_cuda_step *step, const float *parameter, const float *mean,
                             const float *square, f2l_error *err);
f2l_status f2l_cuda_step_get(float *parameter, float *mean, float *square, f2l_cuda_step *step,
                             f2l_error *err);

/* letter < letters, label < labels where supervised (checked), [sequences][length]; mask NULL: all
 * supervised. */
typedef struct f2l_cuda_step_batch {
    size_t sequences, length;
    const uint32_t *letter, *label;
    const uint8_t *mask;
} f2l_cuda_step_batch;

/* The gradient of weight * loss over the batch, in place of the last one. Launches; the batch may
 * change afterwards. A batch of another shape than the last is planned for first. F2L_ENOMEM when
 * the device has no room: the step may then be used with another batch. */
f2l_status f2l_cuda_step_gradient(f2l_cuda_step *step, const f2l_cuda_step_batch *batch,
                                  double weight, f2l_error *err);

/* One update of AdamW with that gradient, as models/train/adamw.h has it: rate and decay times the
 * groups' factors; clip 0: none; `time` is 1 for the first. Nothing is changed when the gradient's
 * norm is not finite. Launches. */
typedef struct f2l_cuda_step_rate {
    double rate, decay, beta1, beta2, epsilon, clip;
    uint64_t time;
} f2l_cuda_step_rate;
f2l_status f2l_cuda_step_update(f2l_cuda_step *step, const f2l_cuda_step_rate *rate,
                                f2l_error *err);

/* Waits. The score is that of the last gradient, the report that of the last update (either may be
 * NULL). */
f2l_status f2l_cuda_step_score(f2l_cuda_score *score, f2l_cuda_adamw_report *report,
                               f2l_cuda_step *step, f2l_error *err);

/* The gradient: on the device (where several devices add theirs before the update), or to the host
 * (waits). */
float *f2l_cuda_step_gradient_on_device(f2l_cuda_step *step);
f2l_status f2l_cuda_step_gradient_get(float *gradient, f2l_cuda_step *step, f2l_error *err);
void *f2l_cuda_step_stream(f2l_cuda_step *step);

/* Bytes of device memory that the step holds. */
size_t f2l_cuda_step_bytes(const f2l_cuda_step *step);

#endif
