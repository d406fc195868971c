/* A whole training step of the sequence models of models/learn/seq/seq.h on one device: forward,
 * backward, AdamW.
 *
 * Differences from the reference, besides the order of sums and bf16:
 * - Without a convolution the first layer's norm, projections, queries, keys, values, beta and gate
 *   are functions of the letter: they are computed once per letter, in float, and their gradients
 *   are summed by letter before they go back through the projections. No buffer has the first
 *   layer's input by position. With a convolution, or with a mixer other than delta, only norm and
 *   projection are computed by letter, and the projection is then laid out by position.
 * - Neighbouring matrices of the parameter vector are one product: q, k, v, beta (and the gate's)
 *   of a layer, gate and up of an MLP. Residual additions and norms are one pass.
 * - Activations are of the step's type, with matrices rounded to it (a bf16 copy that AdamW
 *   updates); the logits, beta, the gates, the states' H_0, all gradients of parameters and AdamW's
 *   numbers are float.
 * - Sequences are filled up to a multiple of F2L_CUDA_STEP_LETTERS letters that are not supervised.
 *   Or, if the batch gives the words' lengths and f2l_cuda_step_packs, words are packed: the rows
 *   behind their ends are left out, except less than a 16th of all, so that there are at most 32
 *   numbers of rows. Gradients are then sums over other rows, and differ in last bits.
 *
 * Buffers are planned for the shape of a batch; buffers that are never in use at the same time
 * share memory. The first step of a shape is launched directly, the second is captured as a graph,
 * and all further steps run that graph; with packed words so for every number of rows. */
#ifndef F2L_CUDA_STEP_H
#define F2L_CUDA_STEP_H

#include "cuda/cuda_kernels.h"
#include "models/learn/seq/seq.h"

#define F2L_CUDA_STEP_LETTERS 8
#define F2L_CUDA_NONE SIZE_MAX

typedef struct f2l_step_mixer f2l_step_mixer; /* cuda/step/cuda_mixer.h */

/* Offsets of the tensors of a layer in the parameter vector, in numbers. */
typedef struct f2l_cuda_step_layer {
    size_t mixer_norm; /* [width] */
    size_t project;    /* rows of q, k, v if any, beta, step if any: [..][width] in this order;
                          diagonal: rows of u, then of z; gla, rwkv7: rows of q, k, v and
                          of the short vectors */
    size_t out;        /* [width][columns of the mixer] */
    size_t mlp_norm, mlp_in; /* [width]; gate and up: [2][mlp][width] */
    size_t mlp_down;         /* [width][mlp] */
    size_t taps; /* with a convolution: rows of q, k, v if any (diagonal: u): [..][convolution], one
                    after the other */
    size_t mixer[F2L_MIXER_TENSORS]; /* all tensors of the mixer, by its names */
} f2l_cuda_step_layer;

/* Parameters with equal factors, up to the first parameter of the next group. */
typedef struct f2l_cuda_step_group {
    size_t first;
    double rate, decay; /* factors of the step's rate and decay */
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
    size_t convolution; /* taps of the convolution; 0: none */
    const f2l_step_mixer *mixer;
    bool negative;
    size_t channels, states, rank; /* of the mixer diagonal; heads .. slope are of delta; gla and
                                    * rwkv7 have heads, key, value, rank; attention and mlstm
                                    * heads, key, value */
    size_t window;                 /* of the mixer attention */
} f2l_cuda_step_shape;

typedef struct f2l_cuda_step f2l_cuda_step;

/* Creates *out, NULL after a failure. F2L_EDOMAIN: sizes that the operators do not support. */
f2l_status f2l_cuda_step_new(f2l_cuda_step **out, const f2l_cuda_step_shape *shape,
                             f2l_cuda_type type, const f2l_cuda_kernels *kernels, f2l_error *err);
void f2l_cuda_step_free(f2l_cuda_step *step);

/* Copy parameters and AdamW's numbers from and to the host, [parameters] each; mean and square
 * NULL: 0 (put), not wanted (get). */
f2l_status f2l_cuda_step_put(f2l_cuda_step *step, const float *parameter, const float *mean,
                             const float *square, f2l_error *err);
f2l_status f2l_cuda_step_get(float *parameter, float *mean, float *square, f2l_cuda_step *step,
                             f2l_error *err);

/* Returns whether the words of a batch may be packed: for all mixers but delta without a
 * convolution. */
bool f2l_cuda_step_packs(const f2l_cuda_step_shape *shape);

/* A batch: letter < letters, label < labels where supervised (checked), [sequences][length]; mask
 * NULL: all are supervised. Arrays are borrowed during the call. */
typedef struct f2l_cuda_step_batch {
    size_t sequences, length;
    const uint32_t *letter, *label;
    const uint8_t *mask;
    const uint32_t *lengths; /* [sequences] letters of each word, 1 .. length, behind which nothing
                              * is supervised (checked): words are packed if they may be; NULL:
                              * padded */
} f2l_cuda_step_batch;

/* Computes the gradient of weight * loss over the batch, replacing the last one. Launches only; the
 * batch may change afterwards. For a batch of another shape than the last, buffers are planned
 * first. F2L_ENOMEM when the device has no memory: the step may then be used with another batch. */
f2l_status f2l_cuda_step_gradient(f2l_cuda_step *step, const f2l_cuda_step_batch *batch,
                                  double weight, f2l_error *err);

/* One update of AdamW with the last gradient, as in models/learn/train/adamw.h: rate and decay are
 * multiplied by the groups' factors; clip 0: none; `time` is 1 for the first. If the gradient's
 * norm is not finite no number changes. Launches only. */
typedef struct f2l_cuda_step_rate {
    double rate, decay, beta1, beta2, epsilon, clip;
    uint64_t time;
} f2l_cuda_step_rate;
f2l_status f2l_cuda_step_update(f2l_cuda_step *step, const f2l_cuda_step_rate *rate,
                                f2l_error *err);

/* Waits, and returns the score of the last gradient and the report of the last update (either may
 * be NULL). */
f2l_status f2l_cuda_step_score(f2l_cuda_score *score, f2l_cuda_adamw_report *report,
                               f2l_cuda_step *step, f2l_error *err);

/* Return the gradient on the device (several devices add their gradients before the update), and
 * copy it to the host (waits). */
float *f2l_cuda_step_gradient_on_device(f2l_cuda_step *step);
f2l_status f2l_cuda_step_gradient_get(float *gradient, f2l_cuda_step *step, f2l_error *err);
void *f2l_cuda_step_stream(f2l_cuda_step *step);

/* Returns the bytes of device memory that the step holds. */
size_t f2l_cuda_step_bytes(const f2l_cuda_step *step);

#endif
