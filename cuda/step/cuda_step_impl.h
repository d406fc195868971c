/* The state of a step, shared by the files cuda_step*.c. */
#ifndef F2L_CUDA_STEP_IMPL_H
#define F2L_CUDA_STEP_IMPL_H

#include "cuda/step/cuda_step.h"

/* Columns of a projection: q, k, v, beta, step, or u, z, one after the other. */
typedef struct f2l_step_columns {
    size_t q, k, v, beta, gate;   /* widths */
    size_t all, stride;           /* stride: a multiple of 8 */
    size_t taps, taps_stride;     /* the first columns go through the convolution */
    size_t select, select_stride; /* diagonal: columns of r, B, C */
    size_t mixed;                 /* what the mixer gives to its output projection */
} f2l_step_columns;
f2l_step_columns f2l_step_columns_of(const f2l_cuda_step_shape *shape);

/* Arrays of a layer. Without a comment they are [positions][..] of the step's type. Of layer 0 stand by letter, [letters][..]:
 * norm and projection (float), q, k, v, beta, gate; or, where its projection is laid out by position, norm and table. */
typedef struct f2l_step_layer {
    void *x,
        *norm; /* input and its norm; layer 0 has no x. Those of layer `layers` are the input of the head */
    void *projection, *q, *k, *v;
    void *table, *narrow; /* by letter: the projection, in float and in the step's type (NULL for float) */
    void *taps;           /* after the convolution */
    void *u, *select, *step, *dselect, *dstep, *du; /* diagonal */
    float *beta, *gate;
    void *kept, *mixer_work; /* of the mixer */
    void *o, *o_norm, *middle, *mlp_norm, *gate_up, *product;
    /* backward */
    void *dproduct, *dmlp_norm, *do_norm, *d_o, *dq, *dk, *dv, *dnorm;
    float *dbeta, *dgate;
    void *dcolumns; /* diagonal: the gradient at the projection */
    /* layer 0 only, by letter, float: sums of dq, .., dgate; then the gradients at projection and norm */
    float *sum_q, *sum_k, *sum_v, *sum_beta, *sum_gate, *dprojection, *letter_dnorm;
} f2l_step_layer;

typedef struct f2l_step_buffers {
    uint32_t *letter, *label;
    uint8_t *mask, *right;
    void *index;           /* rows by letter */
    void *out;             /* [positions][width] what is added to the residual stream */
    float *logits;         /* [positions][labels'], labels' a multiple of 8 */
    void *dlogits, *dhead; /* [positions][labels'], [positions][width] */
    void *dx, *dmiddle;    /* [positions][width] */
    void *work;            /* of every operator but the mixer */
    f2l_step_layer *layer; /* [layers + 1] */
} f2l_step_buffers;

struct f2l_cuda_step {
    f2l_cuda_step_shape shape;
    f2l_cuda_type type;
    const f2l_cuda_kernels *k;
    f2l_cuda_blas *blas;
    void *stream;
    f2l_step_columns columns;

    /* For good */
    void *fixed; /* one piece of device memory, and the parts of it */
    size_t fixed_bytes;
    float *parameter, *mean, *square, *gradient, *weight;
    uint16_t *shadow; /* NULL for float */
    f2l_cuda_adamw_step *adam;
    f2l_cuda_adamw_group *group;
    f2l_cuda_adamw_report *report;
    f2l_cuda_score *score;
    void *host; /* pinned: what goes to the device in a step */
    size_t host_bytes;

    /* Of a shape of batches */
    size_t sequences, length; /* 0: none is planned */
    void *arena;
    size_t arena_bytes, work_bytes;
    f2l_step_buffers at;
    f2l_cuda_product **product; /* in the order in which a pass needs them; made by the first pass */
    size_t products, next;
    bool warm; /* a pass was launched: its products exist, and a graph can be made */
    void *graph;
};

/* Gives every buffer of the shape its place; *bytes is what they need together, `arena` where that is (NULL: only sizes). */
f2l_status f2l_step_place(size_t *bytes, f2l_cuda_step *step, void *arena, f2l_error *err);
/* Products of a pass. */
size_t f2l_step_products(const f2l_cuda_step_shape *shape);

/* Forward, loss, backward for the batch in the buffers. */
f2l_status f2l_step_pass(f2l_cuda_step *step, f2l_error *err);

/* Layer 0 has its projection by letter, but what follows by position. */
static inline bool f2l_step_laid_out(const f2l_cuda_step_shape *s, size_t layer)
{
    return layer == 0 && (s->diagonal || s->convolution > 0);
}

static inline size_t f2l_step_padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* In passes, which remember a failure and leave out every launch after it. */
#define LAUNCH(p, call)                                                                                      \
    do {                                                                                                     \
        if ((p)->status == F2L_OK) (p)->status = (call);                                                     \
    } while (0)

/* A linear map of `rows` rows: x [in], y [out] with rows x_stride and y_stride apart; w [out][in]. */
typedef struct f2l_cuda_map {
    size_t rows, in, out, x_stride, y_stride;
    f2l_cuda_type type, y_type;
    bool add_dx; /* backward: dx += */
} f2l_cuda_map;

/* Of dense rows. */
static inline f2l_cuda_map f2l_cuda_map_of(size_t rows, f2l_cuda_type type, size_t in, size_t out)
{
    return (f2l_cuda_map){
        .rows = rows, .in = in, .out = out, .x_stride = in, .y_stride = out, .type = type, .y_type = type};
}

static inline f2l_cuda_norm f2l_cuda_norm_of(const f2l_cuda_step_shape *shape, size_t rows, size_t width,
                                             double scale, f2l_cuda_type type)
{
    return (f2l_cuda_norm){
        .rows = rows, .width = width, .epsilon = (float)shape->epsilon, .scale = (float)scale, .type = type};
}

/* Numbers from `column` on. */
static inline void *f2l_cuda_column(void *from, size_t column, f2l_cuda_type type)
{
    return (char *)from + column * f2l_cuda_bytes(type);
}

/* The diagonal mixer's u = silu of the projection's first columns, or of the convolution's output. Groups are only a division of
 * the channels here: as wide as the operator takes. */
static inline f2l_cuda_unit f2l_step_silu_of(const f2l_cuda_step_shape *shape,
                                             const f2l_step_columns *columns, size_t rows, f2l_cuda_type type)
{
    size_t width = shape->channels < 256 ? shape->channels : 256;
    while (shape->channels % width != 0) width--;
    return (f2l_cuda_unit){.rows = rows,
                           .groups = shape->channels / width,
                           .width = width,
                           .stride = columns->taps > 0 ? columns->taps_stride : columns->stride,
                           .silu = true,
                           .x_type = type,
                           .y_type = type};
}

#endif
