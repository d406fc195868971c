/* Operation schedules: the order and the roundings in which a layer's step is computed. A schedule
 * is data beside the format; a finite-precision claim always names both.
 *
 * Weights in a format: key k = u/|u| (u in a raw head) and value v = c/|u| (c), every coordinate
 * correctly rounded from the exact value; beta, gate, bias and H_0 correctly rounded; all to
 * nearest even, whatever the rounding of operations. With a key normalisation (eps >= 0) keys are
 * computed instead, as the libraries do it, from raw keys: x = u scaled so that its largest
 * coordinate is `raw` in absolute value, rounded into the format; then in fp32, to nearest, each
 * operation rounded, s = sum of x_i x_i from left to right (squares=halves: by halves, as below),
 * e = g(eps), and by the form `norm`
 *     reciprocal   k_i = x_i r,  r = 1 / sqrt(s + e)    the root is rounded, and then the quotient
 *     quotient     k_i = x_i / sqrt(s + e)
 *     rsqrt        k_i = x_i r,  r = 1 / sqrt(s + e)    root and quotient rounded once together
 *     outside      k_i = x_i / (sqrt(s) + e)
 *     max          k_i = x_i r,  r = 1 / sqrt(max(s, e e))   as rsqrt
 *     rms          k_i = (x_i r) q,  r = 1 / sqrt(s / n + e),  q = 1 / sqrt(n)   both as rsqrt
 * and k_i rounded into the format, except in `recurrent`, which normalises inside its kernel and
 * keeps k_i in fp32. n is the key dimension of the head. Values are c/|u| as
 * before. F2L_EDOMAIN where x becomes zero or infinite or s infinite. The key normalisation is not
 * for raw heads, whose keys are used as stored in every schedule, not for `cast`, and not for
 * formats with values that fp32 does not have.
 *
 * In all schedules: if gate != 1, S_ij <- S_ij * gate for all i, j comes first, and
 * S_ij <- S_ij + bias_ij, where the bias is not 0, comes last. Coordinates where the key is zero
 * are not touched, columns where v is zero are not written: there the exact update is zero
 * (theory/pages/formats.md, F5). Below, for every factor in order and every value column j
 * separately, i_1 < i_2 < .. are the coordinates where the key is not zero. f(x) is x rounded into
 * the format, in the format's rounding; g(x) is x rounded into fp32, always to nearest even.
 *
 * every: each operation rounds into the format.
 *     r = f(k_{i1} S_{i1 j});  r = f(r + f(k_{i2} S_{i2 j})) ...    left to right
 *     r = f(r - v_j)  if v_j != 0;   r = f(beta r)
 *     S_{ij} <- f(S_{ij} - f(k_i r));          gate: f(S_ij gate);  bias: f(S_ij + bias_ij)
 *
 * fma: the same, with products fused into sums.
 *     r = f(k_{i1} S_{i1 j});  r = f(k_{i2} S_{i2 j} + r) ...
 *     r = f(r - v_j)  if v_j != 0;   r = f(beta r)
 *     S_{ij} <- f(S_{ij} - k_i r)
 *
 * acc32: `every` with g instead of f, and after the letter (after its last factor and bias)
 * S_ij <- f(S_ij): inputs and the stored state are in the format, products and sums in fp32. In a
 * wired network, whose heads do several slots in a step, S is rounded after the last slot.
 *
 * recurrent: the arithmetic of a recurrent kernel: fp32 for the state and all operations, weights
 * in the format. All coordinates take part, zero ones too, which changes only the order of the sum
 * (theory/pages/formats.md, F11).
 *     p_i = g(k_i S_ij) for all i < n, and p_i = 0 for n <= i < N, N the least power of two >= n
 *     summed by halves: for h = N/2, N/4 .. 1: p_i = g(p_i + p_{i+h}), i < h
 *     r = g(v_j - p_0);  r = g(beta r);  S_ij <- g(k_i r + S_ij)     fused
 *     gate and bias as in `every`, with g
 *
 * cast: the papers' convention ([U] section 3): the matrices are products of the exact factors
 * (gate and bias included), each entry of A(x) and B(x) rounded into the format; S <- f(A S + B)
 * with the sums exact and one rounding for each entry. Entries of A that are 0 take no part. In a
 * head with a field or a form A and B belong to the rounded view
 * (models/network/net/net_orthonormal.h). In a wired network a slot acts as a letter: it has its
 * own A and B, and is rounded. cast is for heads with n <= 4096, and at most 2^26 numbers in their
 * matrices (F2L_EDOMAIN otherwise); in a rounding other than to nearest, for formats of at most 51
 * bits.
 *
 * chunk64: 64 letters at a time (models/network/schedule/chunk.h).
 *
 * Fields that no row above uses, by the settings that change them (f2l_schedule_parse):
 *
 * operands: tensor cores round the factors of a product before they multiply. With a format o here,
 * o(k_i) o(S_ij) is what k_i S_ij is above, and o(k_i) o(r) is k_i r. Only with work in fp32.
 *
 * state, letters, scale, block, residual: how a state is stored (models/network/schedule/store.h),
 * after a letter, or after each N-th.
 *
 * read, output: the numbers that are decoded. They are the stored ones above; with `read=unstored`
 * they are the numbers before the store, cast to the format (S_ij <- f(S_ij)), as kernels do that
 * compute the output before they write the state back. With a format o as `output` either are cast
 * to o, to nearest even, and numbers that are too large become what o has for them, or its largest
 * number with `:saturate`.
 *
 * gate: `early` is the order above. With `late` and `folded`, for the first factor of a letter, the
 * sum r is taken of the state before the gate: `late` then does r <- f(gate r), before v_j is
 * subtracted; in `folded` k_i in the products of the sum is f(gate k_i). Then S_ij <- f(S_ij gate),
 * for all i, and the update. A letter without factors has its gate as above.
 *
 * sum, squares: models/network/schedule/sum_plan.h. With fused products in lanes and blocks,
 * r = f(k_i S_ij + r) in each chain, the first product rounded alone.
 *
 * norm-in: with `format` the result of each operation of the key normalisation is rounded into fp32
 * and then into the format, but for the additions of the sum of squares: the sum is, at its end.
 *
 * beta, decay: the format of beta, and of the gate. Kernels that compute beta = sigmoid(b) and the
 * gate exp(g) in fp32 have `fp32`; only with work in fp32. With beta=logit it is the logit that is
 * in the format: b = f(ln(beta / (2 - beta))), and beta becomes g(2 / (1 + exp(-b))), both to
 * nearest; with logit-format that number is rounded into the format, too. 0 and 2, of which no
 * finite b is the logit, stay: from b = 17.4 on g(2 / (1 + exp(-b))) is 2. F2L_EDOMAIN for beta
 * below 0 or above 2.
 *
 * stores: with `factor` the state is stored between the factors of a letter, too.
 *
 * ring: with letters=L a replay kernel's memory (models/network/schedule/ring.c): the state of the
 * last store is kept for L letters, and beside it a ring of the letters' updates. A letter begins
 * with S = g(S' + R), S' the last stored state and R the sum of o(k_i) o(d_j) over the factors
 * since then, from 0 on in their order, fused; o rounds into the ring's format, and d_j is -r
 * above. Its step, in fp32, gives the numbers that are decoded; after an L-th letter they are also
 * the ones that are stored, and R is 0 again. For gates of 1 without a bias; F2L_EDOMAIN otherwise.
 *
 * prefill, handover: a prompt of any length, also of none, is read first, and its labels are looked
 * at, too. With `unstored` its letters are steps of this schedule with nothing stored between them;
 * with `chunk64` they are read by chunk64. Then the state is rounded into the format `handover`, to
 * nearest, and stored to nearest, without residuals. Where the prompt ends is a choice at each
 * letter (numeric/format/choices.h), so that a closure is about every prompt; without choices there
 * is no prompt. chunk64 is for the claim that nothing rounds; F2L_EDOMAIN where it is stepped.
 *
 * decode: how these numbers S of a layer become a code c. `nearest` takes the code with the least
 * |S - c|. `linear` takes the code with the largest (S . c) / |c|: a norm and then an output matrix
 * with a row c / |c| for each code, as engines read a state; the norm's positive factor changes no
 * order. Both are computed exactly, and a tie of codes with different symbols has no label. Where
 * all codes of a layer have one length the two agree on every state
 * (theory/pages/formats.md, F6). `linear` is for layers of one head, since engines have a norm for
 * each head; the head is over the rationals without a form, and codes of different lengths are not
 * zero and have pairwise different directions; F2L_EDOMAIN otherwise.
 *
 * acc32, recurrent and chunk64 are for formats whose values fp32 has; F2L_EDOMAIN otherwise. A
 * state that is infinite or NaN has no label; the later course of such a state is not specified. */
#ifndef F2L_SCHEDULE_H
#define F2L_SCHEDULE_H

#include "models/network/net/same_letters.h"
#include "numeric/base/text.h"
#include "numeric/format/format.h"

typedef struct f2l_float_net f2l_float_net;

/* The order of a sum of products, one for each coordinate (models/network/schedule/sum_plan.h). */
typedef enum f2l_sum_order {
    F2L_SUM_LEFT,
    F2L_SUM_HALVES,
    F2L_SUM_BUTTERFLY,
    F2L_SUM_LANES,
    F2L_SUM_BLOCKS
} f2l_sum_order;

/* When the gate multiplies the state. */
typedef enum f2l_gate_place { F2L_GATE_EARLY, F2L_GATE_LATE, F2L_GATE_FOLDED } f2l_gate_place;

/* Registers that a walk of a step needs: sums by halves keep one for each bit of an index, chains
 * of a lane two more. */
#define F2L_STEP_REGISTERS 36
#define F2L_SUM_MOST_LANES 4096
#define F2L_SUM_MOST_CHAINS 16

/* The order of the operations of one factor (models/network/schedule/walk.inc). */
typedef struct f2l_schedule_order {
    f2l_sum_order sum; /* of the products of key and state */
    bool fused_sum;    /* a product is rounded with the sum of its chain; the first product of a
                          chain is rounded by itself; not by halves and butterflies */
    bool fused_update; /* the product with the key is rounded with the difference */
    f2l_gate_place gate;
    unsigned lanes, chains; /* of the sum by lanes and blocks: the number after the colon, and
                               chains in a lane */
    bool store_factors;     /* the state is stored between the factors of a letter, too */
} f2l_schedule_order;

typedef enum f2l_schedule_width { F2L_WIDTH_FORMAT, F2L_WIDTH_FP32 } f2l_schedule_width;

/* Numbers that share a factor when the state is stored. */
typedef enum f2l_scale {
    F2L_SCALE_NONE,
    F2L_SCALE_AMAX,  /* the largest becomes the largest number of the state's format, roughly */
    F2L_SCALE_POW2,  /* the same with a power of two */
    F2L_SCALE_MX,    /* the leading bits of the two come together */
    F2L_SCALE_STATIC /* one number for all blocks */
} f2l_scale;

/* How the two factors of a scale are computed (models/network/schedule/store.h). */
typedef enum f2l_quotient {
    F2L_QUOTIENT_INVERSE,
    F2L_QUOTIENT_DIVIDE,
    F2L_QUOTIENT_TWO
} f2l_quotient;

/* What a scaled number that is too large becomes. */
typedef enum f2l_clamp { F2L_CLAMP_SYMMETRIC, F2L_CLAMP_FULL, F2L_CLAMP_NONE } f2l_clamp;

/* Which neighbours a store that draws may take, with how many random bits. */
typedef enum f2l_draw { F2L_DRAW_ANY, F2L_DRAW_TOP, F2L_DRAW_BOTTOM, F2L_DRAW_FLOOR } f2l_draw;
#define F2L_DRAW_MOST_BITS 24

typedef enum f2l_scale_block {
    F2L_BLOCK_ROW,   /* the numbers of one value coordinate, a row where states are stored [d][n] */
    F2L_BLOCK_GROUP, /* `block_size` numbers of a row that follow each other */
    F2L_BLOCK_TILE,  /* `block_size` rows */
    F2L_BLOCK_HEAD,
    F2L_BLOCK_TENSOR /* all heads of a layer */
} f2l_scale_block;
#define F2L_BLOCK_MOST_SIZE 4096

/* How a key is normalised: the forms are above. */
typedef enum f2l_norm {
    F2L_NORM_RECIPROCAL,
    F2L_NORM_QUOTIENT,
    F2L_NORM_RSQRT,
    F2L_NORM_OUTSIDE,
    F2L_NORM_MAX,
    F2L_NORM_RMS
} f2l_norm;

/* What beta is a number of. */
typedef enum f2l_beta {
    F2L_BETA_FORMAT,
    F2L_BETA_FP32,
    F2L_BETA_LOGIT,
    F2L_BETA_LOGIT_FORMAT
} f2l_beta;

/* How a prompt is read before the first store. */
typedef enum f2l_prefill { F2L_PREFILL_NONE, F2L_PREFILL_UNSTORED, F2L_PREFILL_CHUNK } f2l_prefill;

/* How numbers of a state become a code. */
typedef enum f2l_decode { F2L_DECODE_NEAREST, F2L_DECODE_LINEAR } f2l_decode;

/* What becomes of the error of storing a number. */
typedef enum f2l_residual {
    F2L_RESIDUAL_NONE,
    F2L_RESIDUAL_LOAD,    /* it is stored, too, and added when the number is loaded */
    F2L_RESIDUAL_FEEDBACK /* it is stored, too, and added before the next store */
} f2l_residual;

/* How a state is stored (models/network/schedule/store.h). Formats are names of
 * f2l_store_format. */
typedef struct f2l_schedule_store {
    const char *format; /* NULL: the format of `state` */
    bool stochastic;    /* numbers are rounded to either neighbour */
    f2l_scale scale;
    f2l_scale_block block;
    f2l_residual residual;
    const char *residual_format; /* NULL: fp32 */
    unsigned letters;            /* letters from one store to the next; 1 .. F2L_STORE_LETTERS */
    const char *scale_format;    /* G of amax:G (models/network/schedule/store.h); NULL: amax */
    unsigned block_size;         /* F2L_BLOCK_GROUP, F2L_BLOCK_TILE */
    f2l_quotient quotient;
    double most;         /* what the largest number becomes; 0: the largest of the format */
    double static_scale; /* F2L_SCALE_STATIC: the factor of stored numbers; a number of fp32 */
    f2l_clamp clamp;
    f2l_draw draw;
    unsigned draw_bits;
    bool paired;              /* two numbers share their bits, the second one in reverse */
    f2l_scale residual_scale; /* of a residual: none, amax or pow2, by the same blocks */
    bool second;              /* scales of blocks are scaled, too, by a number for the head */
    bool ring;                /* updates since the last store are kept, and not the state */
    const char *ring_format;  /* of these; NULL: the network's */
} f2l_schedule_store;

#define F2L_STORE_LETTERS 4096

typedef struct f2l_schedule {
    const char *name; /* "every", or with settings "every,eps=1e-06,raw=1" */
    const char *row;  /* its name in f2l_schedules: "every" */
    const char *what; /* one line for --help */
    f2l_schedule_order order;
    const char *operands; /* name of the format of the operands of products with the key; NULL: they
                             are not rounded */
    /* Each operation rounds into a number of `work`; the state between letters has numbers of
     * `state`, into which it is rounded after a letter (after its last slot in a wired head) where
     * the two differ. */
    f2l_schedule_width work, state;
    f2l_schedule_store store;
    bool read_unstored; /* numbers are decoded before the store, cast to the format */
    const char *output; /* of the numbers that are decoded: a format of f2l_store_format, or
                           NULL: the network's if they are read unstored, else none */
    bool output_saturates;
    bool exact_matrices; /* cast: S <- f(A S + B); `order` is not used */
    unsigned chunk;      /* letters at a time in the chunked form; 0: letter by letter */
    bool wide_keys;      /* keys that are normalised stay in fp32 */
    f2l_beta beta;
    bool wide_gate; /* gates are numbers of fp32, not of the format */
    f2l_prefill prefill;
    const char *handover; /* format of a state after a prompt; NULL: fp32 */
    f2l_decode decode;
    f2l_norm norm;              /* of keys that are normalised */
    f2l_schedule_order squares; /* the order of the sum of their squares */
    bool norm_in_format;        /* each operation of the norm is rounded into the format, too */
    double eps; /* of the key normalisation; < 0: none, keys are correctly rounded unit vectors */
    double raw; /* largest coordinate of a raw key, when eps >= 0 */
} f2l_schedule;

/* All schedules, NULL-name terminated, without key normalisation. The first F2L_USUAL_SCHEDULES,
 * every, fma, acc32, recurrent, cast, chunk64, are the schedules of a user who names none. */
extern const f2l_schedule f2l_schedules[];
#define F2L_USUAL_SCHEDULES 6
const f2l_schedule *f2l_schedule_find(const char *name);

/* Reads a schedule from text: a name of f2l_schedules, and then settings NAME=VALUE of the table in
 * models/network/schedule/fields.c, separated by commas, in any order, each once (f2l_schedule_help
 * lists them); eps alone has raw 1. cast has no settings, and chunk64 only decode and the ones
 * for key normalisation. A setting that differs from the row and is not for the schedule, or
 * changes no step, is refused. `name`, owned by the caller, gets the canonical spelling: the row's
 * name and the settings that differ from the row, in the order of the table; it reads back as the
 * same schedule, and out->name points to it. F2L_EFORMAT with the column. */
#define F2L_SCHEDULE_NAME 1024
f2l_status f2l_schedule_parse(f2l_schedule *out, char name[F2L_SCHEDULE_NAME], const char *text,
                              f2l_error *err);
/* Writes every setting of the schedule: equal texts mean equal steps. */
void f2l_schedule_write(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule);

/* Returns the name of setting i; NULL: there are no more. */
const char *f2l_schedule_setting(size_t i);
/* Appends setting i, NAME=VALUE. */
void f2l_schedule_write_setting(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule,
                                size_t i);
/* Appends the names of f2l_schedules, and the settings with their values and what they say. */
void f2l_schedule_help(f2l_buf *out);

/* What looks at a schedule's fields one by one, and so must have been told of each. */
typedef enum f2l_schedule_knower {
    F2L_KNOWS_PLAIN = 1,       /* f2l_schedule_is_plain */
    F2L_KNOWS_UNROUNDED = 2,   /* that nothing rounds */
    F2L_KNOWS_HORIZON = 4,     /* bounds of rounding errors */
    F2L_KNOWS_POWERS = 8,      /* that powers of two commute with a step */
    F2L_KNOWS_CERTIFICATE = 16 /* theory/check, for most values */
} f2l_schedule_knower;
/* Returns the name of a setting whose value is not the one of `every` and that the knower has not
 * been told of; NULL: there is none. */
const char *f2l_schedule_unknown(const f2l_schedule *schedule, f2l_schedule_knower knower);

/* Returns whether the schedule goes letter by letter: all but chunk64. */
bool f2l_schedule_steps(const f2l_schedule *schedule);
/* Returns whether the state is rounded into another format after letters. */
bool f2l_schedule_stores(const f2l_schedule *schedule);
/* Returns whether the schedule is its row, one of the first F2L_USUAL_SCHEDULES, with any key
 * normalisation. Certificates, which name the row, are for these. */
bool f2l_schedule_is_usual(const f2l_schedule *schedule);
/* Returns whether `order`, `work` and `state` say all about a step: no operands are rounded, the
 * state is rounded after each letter where it is, and then read as the nearest code. */
bool f2l_schedule_is_plain(const f2l_schedule *schedule);
/* Returns whether a step has several outcomes: whether operations or the store draw a neighbour, or
 * a prompt may end. */
bool f2l_schedule_draws(const f2l_schedule *schedule, const f2l_format *format);
/* Returns the format into which operations round: fp32, or `format`. */
const f2l_format *f2l_schedule_work_format(const f2l_schedule *schedule, const f2l_format *format);
/* Sets *out to beta as the schedule has it; F2L_EDOMAIN where it has no logit. */
f2l_status f2l_schedule_beta(double *out, const f2l_schedule *schedule, const f2l_format *format,
                             const mpq_t beta, f2l_error *err);
/* Return the format of the ring's numbers, and of a state after a prompt. */
const f2l_format *f2l_schedule_ring_format(const f2l_schedule *schedule, const f2l_format *format);
const f2l_format *f2l_schedule_handover_format(const f2l_schedule *schedule);
/* Returns the format of the gate: fp32, or `format`. */
const f2l_format *f2l_schedule_gate_format(const f2l_schedule *schedule, const f2l_format *format);
/* Returns the format into which a state is stored, without its scale: `store.format`, fp32, or
 * `format`. */
const f2l_format *f2l_schedule_state_format(const f2l_schedule *schedule, const f2l_format *format);
/* Returns the format of the numbers that are decoded, where they are read unstored or cast. */
f2l_format f2l_schedule_output_format(const f2l_schedule *schedule, const f2l_format *format);
/* Returns a format that has the numbers of a joint state between letters. */
const f2l_format *f2l_schedule_kept_format(const f2l_schedule *schedule, const f2l_format *format);
/* Fails with F2L_EDOMAIN when the schedule, with its key normalisation, is not for the format. */
f2l_status f2l_schedule_check(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err);

/* Fails with F2L_EDOMAIN when a layer cannot be decoded as the schedule says. */
f2l_status f2l_schedule_check_decoder(const f2l_schedule *schedule, const f2l_net *net,
                                      f2l_error *err);

/* Fails with F2L_EDOMAIN, and the letter's number from 1, when a head is not for rings. */
f2l_status f2l_ring_check(const f2l_head *head, size_t letters, f2l_error *err);

/* Creates a network with its weights rounded into a format, sparse, ready to step. Borrows `net`,
 * which must be valid (F2L_EDOMAIN otherwise, or when the schedule is not for the format or for
 * some head; stages are for plain schedules that step), `format` and `schedule`. For heads with a
 * field or a form the rounded view is used (models/network/net/net_orthonormal.h), for weights,
 * initial states and codes: correctly rounded from the exact algebraic numbers, in an orthonormal
 * basis. */
f2l_status f2l_float_net_new(f2l_float_net **out, const f2l_net *net, const f2l_format *format,
                             const f2l_schedule *schedule, f2l_error *err);
/* Creates it within a task. */
f2l_status f2l_float_net_new_within(f2l_float_net **out, const f2l_net *net,
                                    const f2l_format *format, const f2l_schedule *schedule,
                                    const f2l_task *task, f2l_error *err);
void f2l_float_net_free(f2l_float_net *net);

/* Returns the numbers in one layer's local state: [n][d] for each head, which are decoded
 * (f2l_float_layer_decoded is the number of these), and then what the store keeps beside them. */
size_t f2l_float_layer_size(const f2l_float_net *net, size_t layer);
size_t f2l_float_layer_decoded(const f2l_float_net *net, size_t layer);
/* Returns the classes of equal letters of a layer, which are rounded once; owned by the network. */
const f2l_same_letters *f2l_float_same_letters(const f2l_float_net *net, size_t layer);
/* Returns the numbers in the joint state: all layers after each other, then n * d of all heads of
 * all stages. */
size_t f2l_float_size(const f2l_float_net *net);
void f2l_float_start(const f2l_float_net *net, double *joint);

/* Steps all layers and stages in place; those above one that gives no symbol keep their states. The
 * slots of a stage's head step, slot 1 first, as if it read one letter per slot, and then its state
 * is stored once. Decoding is exact: the nearest code in Euclidean distance
 * (theory/pages/formats.md, F6), the distances compared as rationals, or what decode=linear says.
 * *label is F2L_NO_SYMBOL when some layer's state is NaN, infinite, has two nearest codes with
 * different symbols, or no symbol, or a readout of a stage has no nearest code. F2L_EDOMAIN for
 * chunk64. With stochastic rounding the format's choices fix the outcome. Only reads `net`, so
 * several threads may step with one network (with stochastic rounding each needs its own). */
f2l_status f2l_float_step(const f2l_float_net *net, double *joint, size_t letter, uint32_t *label,
                          f2l_error *err);

/* Does everything of a letter in one head but the store of the state, which f2l_float_store does;
 * state is dense [n][d], row-major; residual, [n][d], is for stores that keep residuals. chunk64 is
 * not allowed. */
void f2l_float_step_head(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                         double *state);
void f2l_float_store(const f2l_float_net *net, size_t layer, size_t head, double *state,
                     double *residual);
/* Steps one head of a block by the value of one of its slots, as f2l_float_step_head does. */
void f2l_float_step_slot(const f2l_float_net *net, size_t block, size_t head, size_t slot,
                         size_t value, double *state);
/* Does one factor of a letter in one head, without the letter's gate and bias. Schedules with exact
 * matrices are not allowed. */
void f2l_float_step_factor(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                           size_t factor, double *state);
/* Steps one layer in place, by a letter of that layer, and returns the numbers that are decoded:
 * `state`, or `unstored`, which has room for f2l_float_layer_decoded numbers. chunk64 is not
 * allowed. */
const double *f2l_float_step_layer(const f2l_float_net *net, size_t layer, size_t letter,
                                   double *state, double *unstored);
/* How far the numbers of a letter's step lie from the numbers of the state it begins with. */
typedef struct f2l_float_span {
    /* Numbers of the step are multiples of 2^(low - down) and less than 2^(high + up) in absolute
     * value, where the state's numbers are multiples of 2^low and less than 2^high; rounded to a
     * precision of at least 8 bits at each operation. */
    int down, up;
} f2l_float_span;
/* Returns whether the step of each of the layer's letters, with its store, commutes with
 * multiplication by powers of two while nothing under- or overflows (theory/pages/engines.md,
 * EN.10), and sets *span to bounds for all letters. Otherwise *why is the reason. */
bool f2l_float_commutes(const f2l_float_net *net, size_t layer, f2l_float_span *span,
                        const char **why);
/* Returns the code of a layer's numbers; F2L_NO_INDEX when the state is NaN, infinite or has two
 * nearest codes. */
size_t f2l_float_code(const f2l_float_net *net, size_t layer, const double *state);

#endif
