/* The state of an evaluation on a device and a pass over letters as its parts see it; private to cuda_answer*.c. */
#ifndef F2L_CUDA_ANSWER_IMPL_H
#define F2L_CUDA_ANSWER_IMPL_H

#include "cuda/step/cuda_answer.h"
#include "cuda/step/cuda_step_impl.h"

#define F2L_ANSWER_PRODUCT_WORK ((size_t)32 << 20)

/* What stands on the device. By letter: layer 0 up to its mixer (float), or only up to its projection where that is laid out by
 * position (f2l_step_laid_out). By position, of the type unless said: the residual stream before and after the mixer, and what
 * a layer makes in between; all layers use the same. */
typedef struct f2l_answer_places {
    float *parameter;
    uint16_t *shadow; /* NULL for float */
    float *letter_norm, *letter_projection;
    void *letter_narrow; /* the projection in the type; NULL for float */
    void *letter_q, *letter_k, *letter_v;
    float *letter_beta, *letter_gate;
    uint32_t *letter, *answer;
    void *x, *middle, *norm, *out, *projection, *taps, *q, *k, *v, *o, *o_norm, *gate_up, *product;
    void *u, *select, *step; /* diagonal */
    float *beta, *gate, *logits;
    float *
        state; /* of each layer, layer_states apart: [sequences][heads][key][value] or [sequences][channels][states] */
    void *past
        [2]; /* of each layer, layer_past bytes apart: [sequences][taps - 1][columns.taps], before and after a piece */
    void *work;
} f2l_answer_places;

struct f2l_cuda_answer {
    f2l_cuda_step_shape shape;
    f2l_cuda_type type;
    const f2l_cuda_answer_kernels *more;
    const f2l_cuda_kernels *k;
    f2l_step_columns columns;
    size_t most_sequences, most_rows;
    size_t one_state, layer_states; /* numbers: of a sequence in a layer, and from one layer to the next */
    size_t layer_past;              /* bytes from one layer to the next */
    unsigned before;                /* which past is that before the next piece */
    f2l_cuda_blas *blas;
    void *stream, *memory;
    size_t bytes;
    f2l_answer_places at;
    void *host;   /* pinned: letters, then answers */
    float *start; /* [layers][one_state] of the parameters; NULL: states start at 0 */
    float *begun; /* [most_sequences][one_state] */
    size_t sequences;
    /* Products of a pass over so many rows, in their order; the last one is that of the tables. */
    f2l_cuda_product **product;
    size_t products, next, rows;
};

/* Sizes, and memory with a place for everything. F2L_EDOMAIN: too much to count; F2L_ENOMEM. */
f2l_status f2l_answer_place(f2l_cuda_answer *a, f2l_error *err);

/* Failures are remembered, and what comes after one is left out. */
typedef struct f2l_answer_pass {
    f2l_cuda_answer *a;
    const f2l_cuda_step_shape *shape;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} f2l_answer_pass;

/* Parameters as norms and the letters' products take them, and as products of activations take them. */
static inline const float *f2l_answer_number(const f2l_answer_pass *p, size_t offset)
{
    return p->a->at.parameter + offset;
}
static inline const void *f2l_answer_matrix(const f2l_answer_pass *p, size_t offset)
{
    const f2l_answer_places *at = &p->a->at;
    return at->shadow ? (const void *)(at->shadow + offset) : (const void *)(at->parameter + offset);
}

/* y = x w^T; w [out][in]. */
void f2l_answer_linear(f2l_answer_pass *p, void *y, const void *x, const void *w, const f2l_cuda_map *map);

/* What is a function of the letter alone, from the parameters. */
void f2l_answer_tables(f2l_answer_pass *p);
/* From the letters on the device to the answers, with the states and pasts carried on. */
void f2l_answer_run(f2l_answer_pass *p);

/* The mixers: from the layer's projection to o_norm, what its output projection reads. */
void f2l_answer_delta(f2l_answer_pass *p, size_t l);
void f2l_answer_diagonal(f2l_answer_pass *p, size_t l);
/* What the mixer delta of layer 0 reads, by letter. */
void f2l_answer_delta_tables(f2l_answer_pass *p);

#endif
