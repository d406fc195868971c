/* Vectors of zero tolerance: inputs of the delta rule and of the delta product with the outputs,
 * states and gradients that every right implementation gives exactly, be it recurrent or in chunks.
 *
 * At row r, one of a token's `factors` rows, with g the token's gate at its first row and else 1,
 *
 *     S <- g S;  S <- S + beta_r k_r (v_r - S^T k_r)^T;  o_t = scale S^T q_t after the last row.
 *
 * All numbers are dyadic and few bits long, and so is what an algorithm in chunks of 16, 32 or 64
 * rows computes on its way: f2l_op_vectors_make proves it for each file, and fails where it cannot.
 */
#ifndef F2L_VECTORS_H
#define F2L_VECTORS_H

#include "models/network/weights/safetensors_number.h"
#include "numeric/base/task.h"
#include "numeric/format/format.h"

typedef enum f2l_vector_keys {
    F2L_KEYS_ONE,   /* one key, repeated in every row */
    F2L_KEYS_AXES,  /* five orthonormal keys, with runs of one */
    F2L_KEYS_ROOTS, /* two keys at 60 degrees and their difference, with runs of one */
    F2L_KEYS_LONG,  /* five orthogonal keys of length 2 */
    F2L_KEYS_FINE   /* pairs of keys with the product 1 + 2^-11: 12 bits, one more than tf32 has */
} f2l_vector_keys;

typedef struct f2l_vector_op {
    const char *name, *summary;
    bool product, gated; /* more than one factor for each token; gates of 0 and 1 */
} f2l_vector_op;

/* One file: what it is about. */
typedef struct f2l_vector_case {
    const char *name;         /* "t193"; the file is NAME.safetensors */
    const char *format;       /* of q, k, v, beta and of what the claims are about */
    size_t sequences, tokens; /* tokens of each sequence; 0: packed, of the lengths of the list */
    size_t heads, value_heads, key, value, factors;
    double scale;
    f2l_vector_keys keys[3]; /* of head h: keys[h % 3] */
    bool start, end;         /* an initial state; a gradient that arrives at the final state */
    bool large;              /* read-outs before the scale that overflow fp16 */
} f2l_vector_case;

/* The operators; NULL-name terminated. */
extern const f2l_vector_op f2l_vector_ops[];
/* Returns the operator with this name, or NULL. */
const f2l_vector_op *f2l_vector_op_find(const char *name);
/* Returns case `index` of the operator, or NULL past the last. */
const f2l_vector_case *f2l_vector_case_at(const f2l_vector_op *op, size_t index);
/* Returns the number of sequences, and of tokens of sequence `index`. */
size_t f2l_vector_sequences(const f2l_vector_case *c);
size_t f2l_vector_length(const f2l_vector_case *c, size_t index);
/* Returns the name of keys: "one", "axes", .. */
const char *f2l_vector_keys_name(f2l_vector_keys keys);

/* What is representable in the case's format in every chunk of 16, 32 and 64 rows. */
typedef enum f2l_vector_claim {
    F2L_CLAIM_PRODUCTS, /* k_i . k_j, beta k, beta v, q_t . k_j before and after the scale */
    F2L_CLAIM_INVERSE,  /* A and (I + A)^-1, A = beta_i k_i . k_j and the gates between them */
    F2L_CLAIM_WU,       /* W and U, and U - W S */
    F2L_CLAIM_STATES,   /* S at the borders of chunks, but for the two rows at rest */
    F2L_CLAIM_GRADIENT, /* what the backward pass stores: dS at the borders, d(U - W S), dW, .. */
    F2L_CLAIMS
} f2l_vector_claim;
/* Returns its name: "products", "inverse", "W U", "states", "gradient". */
const char *f2l_vector_claim_name(f2l_vector_claim claim);

enum {
    F2L_VECTOR_Q,
    F2L_VECTOR_K,
    F2L_VECTOR_V,
    F2L_VECTOR_BETA,
    F2L_VECTOR_LOGIT, /* 2 sigmoid(beta_logit) = beta, exactly, where beta is 0, 1 or 2 */
    F2L_VECTOR_GATE,
    F2L_VECTOR_LOG_GATE,
    F2L_VECTOR_START,
    F2L_VECTOR_PLACES, /* cu_seqlens */
    F2L_VECTOR_DOUT,
    F2L_VECTOR_DEND,
    F2L_VECTOR_OUT, /* from here on: results */
    F2L_VECTOR_END,
    F2L_VECTOR_DQ,
    F2L_VECTOR_DK,
    F2L_VECTOR_DV,
    F2L_VECTOR_DBETA,
    F2L_VECTOR_DLOGIT,
    F2L_VECTOR_DLOG_GATE,
    F2L_VECTOR_DSTART,
    F2L_VECTOR_TENSORS
};

typedef struct f2l_vector_tensor {
    const char *name; /* NULL: the file does not have it */
    f2l_safetensors_type type;
    size_t dims, dim[4], count;
    double *value; /* [count] owned */
} f2l_vector_tensor;

typedef struct f2l_op_vectors {
    const f2l_vector_op *op;
    const f2l_vector_case *about;
    const f2l_format *format;
    size_t tries; /* choices of keys and values, of all sequences and heads: a choice for which a
                   * claim fails is made again */
    size_t *at;   /* [sequences + 1] first token of each sequence; owned */
    bool claim[F2L_CLAIMS];
    f2l_vector_tensor tensor[F2L_VECTOR_TENSORS];
} f2l_op_vectors;

void f2l_op_vectors_init(f2l_op_vectors *v);
void f2l_op_vectors_clear(f2l_op_vectors *v);

/* Makes inputs, computes the results and proves all claims. F2L_EDOMAIN where no inputs are found
 * for which they hold; F2L_UNKNOWN when the task says stop. */
f2l_status f2l_op_vectors_make(f2l_op_vectors *v, const f2l_vector_op *op,
                               const f2l_vector_case *about, const f2l_task *task, f2l_error *err);

/* Appends the file. */
f2l_status f2l_op_vectors_write(f2l_buf *out, const f2l_op_vectors *v, f2l_error *err);

#endif
