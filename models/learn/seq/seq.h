/* Sequence models that can be trained: embedding, blocks, norm, head.
 *
 *     x = embedding[letter];  for every layer:  x += mixer(rmsnorm(x));  x += mlp(rmsnorm(x));
 *     logits = head(rmsnorm(x))
 *     mlp(x) = down (silu(gate x) * (up x)), left out when config.mlp is 0
 *
 * Mixers (recurrences, shapes and orders are as in models/learn/op):
 *
 * delta (models/learn/seq/delta): DeltaProduct (Siems et al. 2025); DeltaNet is householders = 1.
 * With sizes H heads, N householders, K key_dim, V value_dim, all projections without bias: q =
 * f(q_proj x), k_n = f(k_proj x), f = short convolution (if any), SiLU (if asked), division by the
 * length (if asked) v_n = silu(convolution(v_proj x)), only with the additive path; else the values
 * are 0 (B = 0) beta_n = range sigmoid(slope b_proj x), range 2 when `negative` (eigenvalues in
 * [-1, 1]), else 1 (in [0, 1]); with clamped_betas range c(slope b_proj x), c(z) = 1/2 + z/4
 * between 0 and 1, which reaches 0 and the range exactly. exact_keys divides by the length itself,
 * without an epsilon: a key then has length 1 exactly (as a real number), or is 0; ternary_keys
 * rounds keys (not queries) to t / |t| first, t of 0, 1 and -1, so that k k^T is exactly rational;
 * key_pull adds that multiple of f2l_swap_backward (models/learn/op/op_norm.h) to the gradient of
 * the mean loss, for each letter
 *     gate = exp(-exp(A_log) softplus(a_proj x + dt_bias)), only with the forget gate; else 1
 *     S <- gate S, then for n = 0..N-1: S <- S - beta_n k_n (k_n^T S - v_n^T);
 *     o = K^-1/2 S^T q;   out = o_proj rmsnorm(o), or with the output gate
 *                         out = o_proj (rmsnorm(o) * silu(g_proj x))
 * S starts at the learned H_0 of its head or at 0. The norm of o is taken per head, with weights
 * [V] that all heads share.
 *
 * diagonal (models/learn/seq/diagonal): selective diagonal recurrence as in Mamba (Gu and Dao
 * 2023), C channels with N states each:
 *     (u, z) = in_proj x; u = silu(convolution(u)); (r, B, C) = x_proj u;
 *     dt = softplus(dt_proj r + dt_bias)
 *     a = exp(-dt exp(A_log)), or 2 a - 1 when `negative` (Grazzi et al. 2025);
 *     h_t = a h_{t-1} + dt B u;   out = out_proj ((C h + D u) silu(z))
 *
 * gla and rwkv7 (models/learn/seq/dplr): gated linear attention (Yang et al. 2024), and the
 * recurrence of RWKV-7 (Peng et al. 2025) in our block. q, k, v = f(q_proj x), .., f = convolution
 * and SiLU, or nothing; heads of K x V as in delta, S = 0 before the word:
 *     w = gate(gate_proj h + bias) for each key, h = gate_low x; for rwkv7 h = tanh(gate_low x)
 *     S <- diag(w) S + a (b^T S) + key v^T;   o = K^-1/2 S^T q;   out as in delta
 * with a = b = 0 and key = k for gla; for rwkv7 b is the direction of k * removal,
 * a = -eta * b and key = k * (1 + (eta - 1) * replacement), with in-context learning rates eta from
 * rate_proj rate_low x + bias. models/learn/op/op_rates.h has the ranges, which `negative` changes.
 * Of RWKV-7 this has no token shift, no value residual between layers, no bonus term r k v, and no
 * channel mixing; the output gate of both is optional here. step_rank is the length of gate_low x
 * and rate_low x.
 *
 * attention (models/learn/seq/attention): causal softmax attention with rotary positions
 * (models/learn/op/op_attention.h), the mixer of a Transformer: q = q_proj x, k = k_proj x, v =
 * v_proj x, out = o_proj o. Its state grows with the word up to the last `window` letters: a letter
 * sees these, in training as in reading, and beyond them nothing.
 *
 * mlstm (models/learn/seq/mlstm): matrix LSTM (Beck et al. 2024) with H heads of a matrix C and a
 * vector n (models/learn/op/op_mlstm.h): q = f(q_proj x), k = f(k_proj x), f = SiLU after a short
 * convolution (if any), v = v_proj x, i = exp(i_proj x + i_bias), f = sigmoid(f_proj x + f_bias),
 * one of each per head; C <- f C + i k v^T, n <- f n + i k;   h = C^T q / max(|n^T q|, 1), q scaled
 * by K^-1/2; out = o_proj (rmsnorm(h) * sigmoid(g_proj x))
 * The norm is taken per head with weights [V] that all heads share, where the paper has a layer
 * norm; no other projection has a bias.
 *
 * Numbers are float (suffix _f32). All arrays are dense and row-major. The same source is compiled
 * for double, too (models/learn/seq/seq_f64.h). Equal input gives equal output bit for bit on all
 * processors of one kind (models/learn/op/op_product.h). */
#ifndef F2L_SEQ_H
#define F2L_SEQ_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;

typedef struct f2l_mixer f2l_mixer; /* models/learn/seq/mixer.h */

/* Upper bounds of a configuration; lower bounds are 1 unless noted. */
#define F2L_SEQ_MAX_HOUSEHOLDERS 16
#define F2L_SEQ_MAX_HEAD_DIM 256
#define F2L_SEQ_MAX_LAYERS 256
#define F2L_SEQ_WINDOW 512                 /* of attention where none is given */
#define F2L_SEQ_MAX_SIZE ((size_t)1 << 20) /* of every other size */

typedef struct f2l_seq_config {
    size_t letters, labels; /* rows of the embedding and of the head */
    size_t layers, width;
    size_t mlp;         /* hidden width of the gated MLP; 0: none */
    size_t convolution; /* taps of the causal short convolution, the last one for the current
                           letter; 0: none */
    double epsilon;     /* of the norms, > 0 */
    const f2l_mixer *mixer;
    bool negative;            /* eigenvalues in [-1, 1]; false: in [0, 1] */
    double initializer_range; /* 0: first weights as PyTorch's default, see F2L_SEQ_MATRIX. > 0: as
                               * flash-linear-attention and transformers name and draw them:
                               * matrices and the embedding have this standard deviation, and
                               * matrices that write to the residual stream are rescaled, see
                               * F2L_SEQ_RESIDUAL */

    /* delta */
    size_t heads, householders, key_dim, value_dim;
    double slope;       /* slope of beta, > 0 */
    bool clamped_betas; /* betas that reach 0 and 1 or 2; false: a sigmoid, which does not */
    bool additive;      /* additive path with values; false: B = 0 */
    bool learned_start; /* H_0 is a parameter; false: H_0 = 0. additive or learned_start must be on,
                         * or all states are 0 */
    bool forget_gate;
    bool output_gate;    /* the norm of o is multiplied by silu(g_proj x) */
    double key_epsilon;  /* of the length of queries and keys, >= 0; 0: it is epsilon */
    bool exact_keys;     /* their length has no epsilon */
    bool ternary_keys;   /* keys of entries that are 0 or of one size; only with exact_keys */
    double key_pull;     /* >= 0, in training: keys are pulled to two entries of one size; above 0
                          * only with ternary_keys and key_dim > 1 */
    bool silu_keys;      /* SiLU on queries and keys */
    bool normalise_keys; /* queries and keys have length 1: otherwise |1 - beta |k|^2| may exceed
                          * 1 */

    /* diagonal */
    size_t channels, states, step_rank; /* C, N, length of r (gla, rwkv7: of the short vectors) */
    bool convolution_bias;              /* u's convolution adds a number for each channel */

    /* attention; heads, key_dim and value_dim are delta's, also for mlstm */
    size_t window; /* letters that a letter sees, itself among them; 0: F2L_SEQ_WINDOW */
} f2l_seq_config;

/* Returns one layer of the class of T3: width 128 = 4 heads of 32, mlp 512, n_h = 1, eigenvalues
 * in [-1, 1], B = 0, learned H_0, slope 1, unit keys without SiLU, no gate, no convolution,
 * epsilon 1e-6. The sizes of the other mixer are set too: 2 width channels of 16 states, rank
 * width / 16. */
f2l_seq_config f2l_seq_config_default(size_t letters, size_t labels);

/* Returns the letters that a letter of attention sees, itself among them. */
static inline size_t f2l_seq_window(const f2l_seq_config *config)
{
    return config->window > 0 ? config->window : F2L_SEQ_WINDOW;
}

/* Fails with F2L_EDOMAIN and the first fault. */
f2l_status f2l_seq_config_check(const f2l_seq_config *config, f2l_error *err);

/* Write and read a JSON object with one member per field, in the order above, without a final
 * newline. Reading keeps the values of *config for missing members; F2L_EFORMAT for unknown
 * members, wrong types and numbers outside their bounds. `what` names the object in a message. */

f2l_status f2l_seq_config_write(f2l_buf *out, const f2l_seq_config *config, f2l_error *err);
f2l_status f2l_seq_config_read(f2l_seq_config *config, const char *text, size_t size,
                               f2l_error *err);
f2l_status f2l_seq_config_take(f2l_seq_config *config, const struct json_t *object,
                               const char *what, f2l_error *err);
/* F2L_EFORMAT with the first member in which two configurations differ. */
f2l_status f2l_seq_config_same(const f2l_seq_config *a, const f2l_seq_config *b, f2l_error *err);

/* The first values of a tensor: `scale` is the standard deviation, the constant, or the first value
 * of a range. */
typedef enum f2l_seq_start {
    F2L_SEQ_NORMAL,   /* independent normal numbers */
    F2L_SEQ_MATRIX,   /* the same; with initializer_range that is the standard deviation */
    F2L_SEQ_RESIDUAL, /* the same; with initializer_range uniform in +-1 / sqrt(2 layers fan_in), of
                       * which PyTorch's default for linear layers is the case without 2 layers */
    F2L_SEQ_CONSTANT, /* the constant `scale` */
    F2L_SEQ_LOG_RAMP, /* log(1 + last index), as Mamba's A_log */
    F2L_SEQ_LOG_EVEN, /* log of uniform in [1, 16], as the gate's A_log in flash-linear-attention */
    F2L_SEQ_RAMP,     /* from scale to 2 scale in equal steps, as mLSTM's bias of f */
    F2L_SEQ_STEP /* softplus^-1 of e^u, u uniform in [log 0.001, log 0.1], as Mamba's dt_bias */
} f2l_seq_start;

/* A named part of the parameter vector. */
typedef struct f2l_seq_tensor {
    char name[64];
    size_t dims, dim[3];
    size_t offset, count; /* in numbers from the start of the vector */
    bool decays; /* whether weight decay applies: to matrices, but not to embedding, norms, biases,
                  * A_log, D, H_0 */
    f2l_seq_start start;
    double scale;
} f2l_seq_tensor;

/* The tensors of one layer, as indices; F2L_SEQ_NONE where the configuration has none. */
#define F2L_SEQ_NONE SIZE_MAX
enum { F2L_MIXER_TENSORS = 20 }; /* an upper bound */
typedef struct f2l_seq_layer {
    size_t mixer_norm, mlp_norm, mlp_gate, mlp_up, mlp_down;
    size_t mixer[F2L_MIXER_TENSORS]; /* by the names that the mixer gives them */
} f2l_seq_layer;

/* The shape of a model, without numbers. The parameters are one vector of `parameters` numbers that
 * the caller owns. */
typedef struct f2l_seq {
    f2l_seq_config config;
    size_t tensors, parameters;
    f2l_seq_tensor *tensor; /* in order of offset, without gaps */
    size_t embedding, norm, head;
    f2l_seq_layer *layer; /* [config.layers] */
} f2l_seq;

f2l_status f2l_seq_init(f2l_seq *model, const f2l_seq_config *config, f2l_error *err);
void f2l_seq_clear(f2l_seq *model);
/* Returns the tensor of that name, or NULL. */
const f2l_seq_tensor *f2l_seq_find(const f2l_seq *model, const char *name);

/* Fills parameters[model->parameters]: a pure function of the configuration and the seed (Philox,
 * one stream per tensor) in double, rounded. */
void f2l_seq_start_f32(float *parameters, const f2l_seq *model, uint64_t seed);

/* Adds normal numbers to all parameters: a tensor's have `noise` times the root mean square of its
 * numbers as their standard deviation. A pure function of its arguments, with other random numbers
 * than f2l_seq_start_f32. */
void f2l_seq_perturb_f32(float *parameters, const f2l_seq *model, double noise, uint64_t seed);

/* Letters and labels of B sequences of T letters, [B][T]; arrays are borrowed. */
typedef struct f2l_seq_batch {
    size_t sequences, length;
    const uint32_t *letter;    /* < config.letters */
    const uint32_t *label;     /* < config.labels where supervised */
    const unsigned char *mask; /* 1: supervised, 0: not; NULL: all are */
} f2l_seq_batch;

/* Counts over a batch. An answer is the label with the largest logit, the least one on a tie. */
typedef struct f2l_seq_score {
    double loss;                  /* of the supervised positions, in natural logarithms */
    size_t supervised, right;     /* positions */
    size_t sequences, right_ones; /* sequences with a supervised position; sequences right at all of
                                   * them */
    size_t right_last;            /* sequences right at the last of them */
} f2l_seq_score;

/* The size of a pass: memory for sequences * length positions at once. A larger batch is taken in
 * parts, each of as many sequences as fit into that number of positions, so that short sequences
 * fill it too. `training` keeps the numbers that backward needs, and a part of the batch. */
typedef struct f2l_seq_plan {
    size_t sequences, length;
    bool training;
} f2l_seq_plan;

/* Computes the bytes that f2l_seq_work_new_f32 allocates, for numbers of `number` bytes (4; 8 for
 * double). F2L_EDOMAIN when they do not fit size_t. */
f2l_status f2l_seq_work_bytes(size_t *bytes, const f2l_seq *model, const f2l_seq_plan *plan,
                              size_t number, f2l_error *err);

typedef struct f2l_seq_work_f32 f2l_seq_work_f32;

/* Creates *work, NULL after a failure. `model` is borrowed. F2L_UNKNOWN, with the need in the text,
 * when the task's memory budget is too small. */
f2l_status f2l_seq_work_new_f32(f2l_seq_work_f32 **work, const f2l_seq *model,
                                const f2l_seq_plan *plan, const f2l_task *task, f2l_error *err);
void f2l_seq_work_free_f32(f2l_seq_work_f32 *work);

/* Lets the passes that follow be watched, layer by layer (models/learn/seq/pass.h), which the
 * caller owns; NULL: by nobody. */
struct f2l_seq_watch_f32;
void f2l_seq_work_watch_f32(f2l_seq_work_f32 *work, const struct f2l_seq_watch_f32 *watch);

/* Adds weight * d(score->loss)/d(parameters) to gradient[parameters]; *score is the score of
 * this batch alone. Letters behind the last supervised one of a sequence are not read. Sequences
 * are taken by their number of letters: first those with more than three quarters of the largest,
 * then so on of what is left; the sum over sequences of one kind is taken part by part in their
 * order. F2L_EDOMAIN for letters or labels out of range and sequences longer than all positions of
 * the plan; the gradient is then unchanged. F2L_UNKNOWN when the task stops it between two parts:
 * the gradient is then incomplete. Numbers that are not finite are no error: they show in
 * score->loss. */
f2l_status f2l_seq_gradient_f32(f2l_seq_score *score, float *gradient, const f2l_seq_batch *batch,
                                const float *parameters, double weight, f2l_seq_work_f32 *work,
                                const f2l_task *task, f2l_error *err);

/* Returns the numbers of a state, per sequence. The state after the last letter of a sequence has
 * the matrices or vectors of the recurrences and the last letters of the convolutions. For
 * `sequences` sequences it has sequences * f2l_seq_state_count numbers, owned by the caller, in an
 * order that depends on `sequences`, which therefore may not change from call to call. */
size_t f2l_seq_state_count(const f2l_seq *model);
void f2l_seq_state_start_f32(float *state, size_t sequences, const float *parameters,
                             const f2l_seq *model);

/* Compute logits[B][T][labels] of batch->letter (labels and mask are not read). With a state, the
 * letters follow the letters that led to the state, and it is updated: any number of calls, of any
 * lengths, give the result of one call on the whole word up to rounding. Without a state (NULL) the
 * sequences begin here. A batch may not have more positions than the plan: F2L_EDOMAIN, as for
 * letters out of range; the state is then unchanged. */
f2l_status f2l_seq_logits_f32(float *logits, float *state, const f2l_seq_batch *batch,
                              const float *parameters, f2l_seq_work_f32 *work, f2l_error *err);
/* Compute answer[B][T] in the same way: UINT32_MAX where a logit is not a number. */
f2l_status f2l_seq_answers_f32(uint32_t *answer, float *state, const f2l_seq_batch *batch,
                               const float *parameters, f2l_seq_work_f32 *work, f2l_error *err);

/* Returns the array of a layer that the last pass computed, [B][T][*width] in the order of the
 * batch, `array` by the names that the mixer gives (models/learn/seq/seq_letters.h); NULL when
 * there is none. The plan must be for training, which keeps all layers; borrowed until the next
 * pass. */
const float *f2l_seq_layer_array_f32(size_t *width, const f2l_seq_work_f32 *work, size_t layer,
                                     size_t array);

#endif
