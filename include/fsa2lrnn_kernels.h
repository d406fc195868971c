/* fsa2lrnn-kernels: the operators of linear recurrent networks with products of generalized
 * Householder factors, on NVIDIA GPUs (compute capability 9.0; others from PTX) and on the CPU.
 *
 * A library of its own (libfsa2lrnn-kernels.so.0): plain C, no PyTorch, no CUDA header, cudart
 * linked in statically. python/fsa2lrnn/kernels makes PyTorch operators of it.
 *
 * The delta product (DeltaNet, Yang et al. 2024, with one factor per token; DeltaProduct, Siems et
 * al. 2025, with n; Gated DeltaNet and Gated DeltaProduct with gates). Every sequence and value
 * head has a state S [key][value], and at token t
 *
 *     S <- Diag(exp(g_t)) S                          (g per head: one number; per key channel: key)
 *     for j = 0 .. n-1:  S <- S + beta_tj k_tj (v_tj - S^T k_tj)^T
 *     o_t = scale S^T q_t
 *
 * Conventions. Structures begin with their size in bytes, so that a later library knows what a
 * caller of an earlier one has filled; everything else that is not set is zero, which always means
 * the default. Functions only launch work on `stream` (a cudaStream_t): they allocate nothing, wait
 * for nothing, and can be captured into a graph; memory that they need beside inputs and outputs is
 * the caller's, of the sizes that _bytes computes. On the CPU (device FSA2LRNN_KERNELS_CPU) stream
 * is ignored and all pointers are host memory. Every function returns a status, with the values of
 * fsa2lrnn_status, and fills *err (NULL is allowed) unless it is OK; nothing is launched then.
 * Equal calls give equal bits on one kind of device. */
#ifndef FSA2LRNN_KERNELS_H
#define FSA2LRNN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FSA2LRNN_KERNELS_VERSION "0.2.0"

const char *fsa2lrnn_kernels_version(void);

typedef enum fsa2lrnn_kernels_status {
    FSA2LRNN_KERNELS_OK = 0,
    FSA2LRNN_KERNELS_EDOMAIN = 3, /* a shape or a combination that no path takes; the text names it
                                   */
    FSA2LRNN_KERNELS_EIO = 5, /* the driver refused, with its text; or there is no driver or card */
    FSA2LRNN_KERNELS_ENOMEM = 7, /* on the CPU only */
    FSA2LRNN_KERNELS_EINVAL = 8  /* an argument is NULL, misaligned, or contradicts another */
} fsa2lrnn_kernels_status;

typedef struct fsa2lrnn_kernels_error {
    int status;
    char text[512]; /* one sentence in UTF-8, without a full stop, that names argument and shape */
} fsa2lrnn_kernels_error;

enum { FSA2LRNN_KERNELS_CUDA = 0, FSA2LRNN_KERNELS_CPU = 1 };

/* Types of numbers. f64 on the CPU only. */
typedef enum fsa2lrnn_kernels_type {
    FSA2LRNN_KERNELS_F32 = 0,
    FSA2LRNN_KERNELS_BF16,
    FSA2LRNN_KERNELS_F16,
    FSA2LRNN_KERNELS_F64
} fsa2lrnn_kernels_type;

/* An array: data NULL means that there is none. stride[i] is the distance in numbers between
 * neighbours of dimension i, without the last dimension, which is contiguous. */
typedef struct fsa2lrnn_kernels_array {
    void *data;
    int64_t stride[3];
} fsa2lrnn_kernels_array;

enum {                                   /* what beta is computed from */
       FSA2LRNN_KERNELS_BETA = 0,        /* beta itself */
       FSA2LRNN_KERNELS_BETA_SIGMOID,    /* sigmoid(beta), in [0, 1] */
       FSA2LRNN_KERNELS_BETA_TWO_SIGMOID /* 2 sigmoid(beta), in [0, 2]: eigenvalues in [-1, 1] */
};
enum { /* the gate g, a logarithm */
       FSA2LRNN_KERNELS_NO_GATE = 0,
       FSA2LRNN_KERNELS_GATE_HEAD, /* g [batch][tokens][heads] */
       FSA2LRNN_KERNELS_GATE_KEY   /* g [batch][tokens][heads][key] */
};
enum { /* the l2 norm of queries and keys: x / sqrt(sum x^2 + eps), or x / max(|x|, eps) */
       FSA2LRNN_KERNELS_NO_NORM = 0,
       FSA2LRNN_KERNELS_NORM_ADD,
       FSA2LRNN_KERNELS_NORM_MAX
};
enum { FSA2LRNN_KERNELS_STATE_KV = 0, FSA2LRNN_KERNELS_STATE_VK };
enum { /* the path. TENSOR_STATES: tensor cores, and forward also keeps the states after every 32
        * factors, so that gradients of a sequence cut there have the same bits as of the whole;
        * with gates TENSOR does so too */
       FSA2LRNN_KERNELS_AUTO = 0,
       FSA2LRNN_KERNELS_TENSOR,
       FSA2LRNN_KERNELS_RECURRENT,
       FSA2LRNN_KERNELS_TENSOR_STATES
};

/* What a delta product takes. Sizes that a tile of the tensor cores does not have are padded in it.
 *
 *                 the CPU              recurrent            tensor cores
 *   type          f32 bf16 f16 f64     f32 bf16 f16         bf16 f16
 *   key, value    1 to 256             1 to 256             1 to 256
 *   factors       1 to 8               1 to 8               1 to 8
 *   gate          none, head, key      none, head, key      none, head
 *   kept          nothing              S of 32 tokens       G, last S; gates: S of 32 factors
 *
 * and on all of them: rows at any distance, a key head for several heads, sequences of any lengths
 * in one array, an initial state of each and its gradient, a gradient at the final state, beta as a
 * number or computed from one, the norm, states of two types and orders, and, for inference, a pool
 * of states. tests/kernels/test_values.py and test_repeat.py have a test for each. */

/* The shape and the options of a delta product; the same for every function of one call's pass. */
typedef struct fsa2lrnn_delta_product {
    size_t size;   /* sizeof(fsa2lrnn_delta_product) */
    int device;    /* FSA2LRNN_KERNELS_CUDA or _CPU */
    int type;      /* of q, k, v, out and their gradients */
    int beta_type; /* of beta, g and their gradients; sums are fp32 (f64: f64) */
    int path;      /* AUTO: tensor cores where they serve the shape, otherwise the recurrence */
    int64_t batch, tokens; /* with cu_seqlens: batch 1, and tokens of all sequences together */
    int64_t heads;         /* of v, beta, g, out, states */
    int64_t key_heads;     /* of q and k; divides heads: head h reads key head h / (heads /
                              key_heads). 0: heads */
    int64_t factors;       /* n, 1 to 8 */
    int64_t key, value;    /* 1 to 256 */
    int beta;              /* FSA2LRNN_KERNELS_BETA, .. */
    int gate;
    int norm;
    float norm_eps;
    float scale; /* of o; 0: key^-1/2 */
    /* Packed sequences: sequence i has the tokens cu_seqlens[i] .. cu_seqlens[i + 1] - 1; on the
     * device (CPU: host), [sequences + 1], not decreasing, from 0 to tokens. NULL: `batch`
     * sequences of `tokens` tokens, and sequences is not read. */
    const void *cu_seqlens;
    int index_bits; /* of cu_seqlens and state_indices: 32 (or 0) or 64 */
    int64_t sequences;
    int state_type;  /* of states and their gradients: F32, BF16 (f64 on the CPU with type f64) */
    int state_order; /* FSA2LRNN_KERNELS_STATE_KV: [key][value]; _VK: [value][key] */
    /* Index of each sequence's state in the arrays of states; -1: padding, no state is read or
     * written, and its outputs are zeros. NULL: sequence i has state i. Inference only. */
    const void *state_indices;
    int64_t states; /* in the pool, with state_indices */
} fsa2lrnn_delta_product;

/* Inputs. q [batch][tokens][key_heads][key]; k [batch][tokens n][key_heads][key];
 * v [batch][tokens n][heads][value], NULL: zeros (no additive path); beta [batch][tokens n][heads];
 * g as `gate` says. The n factors of a token follow each other along dimension 1. */
typedef struct fsa2lrnn_delta_product_in {
    size_t size;
    fsa2lrnn_kernels_array q, k, v, beta, g;
    const void *initial; /* [sequences][heads][key][value] in state_order; NULL: zeros */
} fsa2lrnn_delta_product_in;

typedef struct fsa2lrnn_delta_product_out {
    size_t size;
    fsa2lrnn_kernels_array out; /* [batch][tokens][heads][value] */
    void *final;                /* as initial; NULL: not wanted; may be `initial` */
} fsa2lrnn_delta_product_out;

/* Gradients of the loss. dout as out; dfinal as final, fp32 or NULL. The others are written, in the
 * layout of their inputs and with strides of their own; NULL: not wanted. dinitial is per sequence,
 * of state_type. */
typedef struct fsa2lrnn_delta_product_grad {
    size_t size;
    fsa2lrnn_kernels_array dout;
    const void *dfinal;
    fsa2lrnn_kernels_array dq, dk, dv, dbeta, dg;
    void *dinitial;
} fsa2lrnn_delta_product_grad;

/* Computes the bytes of what forward keeps for backward, of forward's workspace and of backward's
 * workspace (each may be NULL, and each may become 0). All are aligned to 256 bytes. */
int fsa2lrnn_delta_product_bytes(size_t *kept, size_t *forward_work, size_t *backward_work,
                                 const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);
/* kept NULL: there is no backward. */
int fsa2lrnn_delta_product_forward(const fsa2lrnn_delta_product_out *out, void *kept, void *work,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, void *stream,
                                   fsa2lrnn_kernels_error *err);
int fsa2lrnn_delta_product_backward(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                                    void *work, const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, void *stream,
                                    fsa2lrnn_kernels_error *err);
/* One token per sequence for decoding: as forward with tokens 1 and batch sequences, with the state
 * in place in `states` (out->final and in->initial are not read); needs no workspace. */
int fsa2lrnn_delta_product_step(const fsa2lrnn_delta_product_out *out, void *states,
                                const fsa2lrnn_delta_product_in *in,
                                const fsa2lrnn_delta_product *p, void *stream,
                                fsa2lrnn_kernels_error *err);
/* Writes which path AUTO takes for this shape ("tensor", "recurrent") and why to text[size]. */
int fsa2lrnn_delta_product_path(char *text, size_t size, const fsa2lrnn_delta_product *p,
                                fsa2lrnn_kernels_error *err);

/* The selective scan of Mamba (Gu, Dao 2023) with its gate. Every sequence and channel has states
 * h_n, 0 before the first token, and at each token
 *
 *     dt = softplus(step + bias),  a_n = low + (1 - low) exp(-dt exp(state_log_n)),
 *     h_n <- a_n h_n + dt B_n u,   out = (sum over n of C_n h_n + skip u) silu(gate)
 *
 * low 0 is Mamba's; low -1 has eigenvalues in [-1, 1], which count modulo 2. */
typedef struct fsa2lrnn_selective_scan {
    size_t size;
    int device;
    int type; /* of all arrays but the parameters: F32, BF16; on the CPU also F16, F64 */
    int64_t batch, tokens, channels;
    int64_t states;   /* per channel, 1 to 64 */
    int64_t row;      /* from one row of B, of C, to the next; 0: states */
    int64_t gate_row; /* of the gate; 0: channels */
    float low;        /* 0 or -1 */
} fsa2lrnn_selective_scan;

/* bias, state_log and skip are parameters: fp32 (f64 with type F64). */
typedef struct fsa2lrnn_selective_scan_in {
    size_t size;
    const void *u, *step, *gate;         /* [batch][tokens][channels] */
    const void *write, *read;            /* B, C: [batch][tokens][states] */
    const void *bias, *state_log, *skip; /* [channels], [channels][states], [channels] */
} fsa2lrnn_selective_scan_in;

/* Gradients of the loss: dout as out; the others are written, with the strides of the inputs, and
 * gradients of parameters are added to. All are wanted. */
typedef struct fsa2lrnn_selective_scan_grad {
    size_t size;
    const void *dout;
    void *du, *dstep, *dgate, *dwrite, *dread;
    void *dbias, *dstate_log, *dskip;
} fsa2lrnn_selective_scan_grad;

int fsa2lrnn_selective_scan_bytes(size_t *kept, size_t *backward_work,
                                  const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err);
/* Computes out [batch][tokens][channels]. kept NULL: there is no backward. */
int fsa2lrnn_selective_scan_forward(void *out, void *kept, const fsa2lrnn_selective_scan_in *in,
                                    const fsa2lrnn_selective_scan *p, void *stream,
                                    fsa2lrnn_kernels_error *err);
int fsa2lrnn_selective_scan_backward(const fsa2lrnn_selective_scan_grad *grad, const void *kept,
                                     void *work, const fsa2lrnn_selective_scan_in *in,
                                     const fsa2lrnn_selective_scan *p, void *stream,
                                     fsa2lrnn_kernels_error *err);

/* Depthwise causal convolution, whose last tap multiplies the present token:
 *
 *     y_t = bias + sum over j of w_j x_(t - taps + 1 + j) */
typedef struct fsa2lrnn_causal_conv1d {
    size_t size;
    int device;
    int type; /* of x, y, past and their gradients, as above; w and bias are fp32 (f64: f64) */
    int64_t batch, tokens, width;
    int64_t taps;         /* 1 to 64 */
    int64_t x_row, y_row; /* from one row of x and dx, of y and dy, to the next; 0: width */
} fsa2lrnn_causal_conv1d;

/* past [batch][taps - 1][width], oldest first: the tokens before the first; NULL: zeros. */
typedef struct fsa2lrnn_causal_conv1d_in {
    size_t size;
    const void *x, *weight, *bias, *past; /* [batch][tokens][width], [width][taps], [width] or NULL
                                           */
} fsa2lrnn_causal_conv1d_in;

/* Gradients: dx is written, dweight and dbias are added to; each may be NULL. */
typedef struct fsa2lrnn_causal_conv1d_grad {
    size_t size;
    const void *dy;
    void *dx, *dweight, *dbias;
} fsa2lrnn_causal_conv1d_grad;

int fsa2lrnn_causal_conv1d_bytes(size_t *backward_work, const fsa2lrnn_causal_conv1d *p,
                                 fsa2lrnn_kernels_error *err);
/* Computes y [batch][tokens][width], and the past after the last token, which is not in->past;
 * NULL: not wanted. On the GPU both pasts are given or none. */
int fsa2lrnn_causal_conv1d_forward(void *y, void *new_past, const fsa2lrnn_causal_conv1d_in *in,
                                   const fsa2lrnn_causal_conv1d *p, void *stream,
                                   fsa2lrnn_kernels_error *err);
/* in->past is NULL: a sequence in pieces has no backward. */
int fsa2lrnn_causal_conv1d_backward(const fsa2lrnn_causal_conv1d_grad *grad, void *work,
                                    const fsa2lrnn_causal_conv1d_in *in,
                                    const fsa2lrnn_causal_conv1d *p, void *stream,
                                    fsa2lrnn_kernels_error *err);

#ifdef __cplusplus
}
#endif

#endif
