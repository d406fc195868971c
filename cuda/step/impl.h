/* Declarations shared by the files of cuda/step; private to this folder. */
#ifndef F2L_CUDA_STEP_IMPL_H
#define F2L_CUDA_STEP_IMPL_H

#include "cuda/step/cuda_answer.h"
#include "cuda/step/cuda_mixer.h"

/* The state of a step, shared by the files cuda_step*.c. */

/* Columns of a projection: q, k, v, beta, step, or u, z, one after the other. */
typedef struct f2l_step_columns {
    size_t q, k, v, beta, gate;   /* widths */
    size_t all, stride;           /* stride: all, rounded up to a multiple of 8 */
    size_t taps, taps_stride;     /* the first columns go through the convolution */
    size_t select, select_stride; /* diagonal: columns of r, B, C */
    size_t low;                   /* gla, rwkv7: width of a short vector */
    size_t gates, removals;       /* gla, rwkv7: width of w; of a and b */
    size_t mixed;                 /* width of the input of the mixer's output projection */
    size_t o;                     /* delta, gla, rwkv7, mLSTM: width of o, before its norm */
    size_t u;                     /* diagonal: width of u; mLSTM: of o after its norm */
    size_t state;                 /* numbers of a sequence's state */
    size_t parts;                 /* rows of the mixer's operators for each position */
} f2l_step_columns;
f2l_step_columns f2l_step_columns_of(const f2l_cuda_step_shape *shape);

/* Arrays of a layer. Without a comment an array is [positions][..] of the step's type. In layer 0
 * some are by letter, [letters][..]: norm and projection (float), q, k, v, beta, gate; or, if its
 * projection is laid out by position, norm and table. */
typedef struct f2l_step_layer {
    void *x, *norm; /* input and its norm; layer 0 has no x. x and norm of layer `layers` are the
                     * input of the head */
    void *projection, *q, *k, *v;
    void *table, *narrow; /* by letter: the projection, in float and in the step's type (NULL for
                             float) */
    void *taps;           /* after the convolution */
    void *u, *select, *step, *dselect, *dstep, *du; /* diagonal; mLSTM: u is o after its norm */
    /* gla, rwkv7: tanh of the gate's short vector (low: for bf16), gates and rates before their
     * functions, the inputs of the recurrence that are not q, k, v; gradients */
    float *low_wide, *dlow_wide, *w, *a, *b, *dw, *da, *db;
    void *low, *dlow, *gate_in, *rate_in, *write, *dwrite;
    float *beta, *gate;
    void *kept, *mixer_work; /* of the mixer */
    void *o, *o_norm, *middle, *mlp_norm, *gate_up, *product;
    /* backward */
    void *dproduct, *dmlp_norm, *do_norm, *d_o, *dq, *dk, *dv, *dnorm;
    float *dbeta, *dgate;
    void *dcolumns; /* all but delta: the gradient at the projection */
    /* layer 0 only, by letter, float: sums of dq, .., dgate; then the gradients at projection and
     * norm */
    float *sum_q, *sum_k, *sum_v, *sum_beta, *sum_gate, *dprojection, *letter_dnorm;
} f2l_step_layer;

typedef struct f2l_step_buffers {
    uint32_t *letter, *label;
    uint8_t *mask, *right;
    uint32_t *first;       /* [sequences + 1] first rows of packed words */
    void *index;           /* rows by letter */
    void *out;             /* [positions][width] numbers to add to the residual stream */
    float *logits;         /* [positions][labels'], labels' a multiple of 8 */
    void *dlogits, *dhead; /* [positions][labels'], [positions][width] */
    void *dx, *dmiddle;    /* [positions][width] */
    void *work;            /* for every operator except the mixer */
    f2l_step_layer *layer; /* [layers + 1] */
} f2l_step_buffers;

/* What is kept for passes over a number of rows. Words that are not packed always have the same. */
typedef struct f2l_step_way {
    size_t rows;
    f2l_cuda_product **product; /* in the order of use in a pass; made by the first pass */
    bool warm; /* a pass was launched: its products exist, and a graph can be made */
    void *graph;
} f2l_step_way;

struct f2l_cuda_step {
    f2l_cuda_step_shape shape;
    f2l_cuda_type type;
    const f2l_cuda_kernels *k;
    f2l_cuda_blas *blas;
    void *stream;
    f2l_step_columns columns;

    /* buffers that live as long as the step */
    void *fixed; /* one allocation of device memory, which the following point into */
    size_t fixed_bytes;
    float *parameter, *mean, *square, *gradient, *weight;
    uint16_t *shadow; /* NULL for float */
    f2l_cuda_adamw_step *adam;
    f2l_cuda_adamw_group *group;
    f2l_cuda_adamw_report *report;
    f2l_cuda_score *score;
    void *host; /* pinned: the data that a step copies to the device */
    size_t host_bytes;

    /* buffers for one shape of batches */
    size_t sequences, length; /* 0: no shape is planned */
    bool packed; /* words have rows for their own letters: fewer than sequences * length,
                  * for which there is room */
    void *arena;
    size_t arena_bytes, work_bytes;
    f2l_step_buffers at;
    f2l_step_way *way, *now; /* now: of the last batch; NULL: none */
    size_t ways, products, next;
};

/* The phases of a layer: forward, and of backward the output projection, the mixer, the input. A
 * buffer is needed from one phase to another (cuda/step/cuda_step_plan.c). */
typedef struct f2l_step_phases {
    size_t begin, output, mixed, end;
} f2l_step_phases;

/* Asks for `rows` rows of row_bytes bytes, needed from one phase to another; *to receives the
 * place. Without bytes it stays NULL. */
typedef struct f2l_step_wishes f2l_step_wishes;
void f2l_step_want(f2l_step_wishes *w, void *to, size_t rows, size_t row_bytes, size_t from,
                   size_t until);

/* Gives every buffer of the shape its place; *bytes is their total size, and `arena` their memory
 * (NULL: only sizes are computed). */
f2l_status f2l_step_place(size_t *bytes, f2l_cuda_step *step, void *arena, f2l_error *err);
/* Returns the first rows of packed words; NULL: words are padded. */
static inline const uint32_t *f2l_step_first(const f2l_cuda_step *step)
{
    return step->packed ? step->at.first : NULL;
}

/* Returns the number of products of a pass. */
size_t f2l_step_products(const f2l_cuda_step_shape *shape);

/* Returns the bytes of the host's copy of a batch. */
size_t f2l_step_host_bytes(const f2l_cuda_step *step);
/* Refuses letters and labels that the model does not have, and words that end behind the batch. */
f2l_status f2l_step_check_batch(const f2l_cuda_step_batch *batch, const f2l_cuda_step_shape *shape,
                                f2l_error *err);
/* Copies the batch in its rows, and the weight, to the device; *rows is their number. The host's
 * copy may be reused once the stream was waited for; a caller that reads the score of every step
 * has waited. */
f2l_status f2l_step_upload(size_t *rows, f2l_cuda_step *step, const f2l_cuda_step_batch *batch,
                           float weight, f2l_error *err);

/* Launches forward, loss, backward for the batch in the buffers. */
f2l_status f2l_step_pass(f2l_cuda_step *step, f2l_error *err);

/* Returns whether layer 0 has its projection by letter, and everything after it by position. */
static inline bool f2l_step_laid_out(const f2l_cuda_step_shape *s, size_t layer)
{
    return layer == 0 && (s->mixer->by_position || s->convolution > 0);
}

static inline size_t f2l_step_padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

/* Launches `call`, for passes: a pass remembers a failure and leaves out every later launch. */
#define LAUNCH(p, call) \
    do { \
        if ((p)->status == F2L_OK) (p)->status = (call); \
    } while (0)

/* A linear map of `rows` rows: x [in], y [out] with rows x_stride and y_stride apart; w
 * [out][in]. */
typedef struct f2l_cuda_map {
    size_t rows, in, out, x_stride, y_stride;
    f2l_cuda_type type, y_type;
    bool add_dx; /* backward: dx += */
} f2l_cuda_map;

/* Returns the map of dense rows. */
static inline f2l_cuda_map f2l_cuda_map_of(size_t rows, f2l_cuda_type type, size_t in, size_t out)
{
    return (f2l_cuda_map){.rows = rows,
                          .in = in,
                          .out = out,
                          .x_stride = in,
                          .y_stride = out,
                          .type = type,
                          .y_type = type};
}

static inline f2l_cuda_norm f2l_cuda_norm_of(const f2l_cuda_step_shape *shape, size_t rows,
                                             size_t width, double scale, f2l_cuda_type type)
{
    return (f2l_cuda_norm){.rows = rows,
                           .width = width,
                           .epsilon = (float)shape->epsilon,
                           .scale = (float)scale,
                           .type = type};
}

/* Returns a pointer to the numbers from `column` on. */
static inline void *f2l_cuda_column(void *from, size_t column, f2l_cuda_type type)
{
    return (char *)from + column * f2l_cuda_bytes(type);
}

/* The state of an evaluation on a device, and a pass over letters; private to cuda_answer*.c. */

#define F2L_ANSWER_PRODUCT_WORK ((size_t)32 << 20)

/* The buffers on the device. By letter: layer 0 up to its mixer (float), or only up to its
 * projection if the projection is laid out by position (f2l_step_laid_out). By position, of the
 * step's type unless noted: the residual stream before and after the mixer, and the intermediate
 * arrays of a layer; all layers use the same. */
typedef struct f2l_answer_places {
    float *parameter;
    uint16_t *shadow; /* NULL for float */
    float *letter_norm, *letter_projection;
    void *letter_narrow; /* the projection in the type; NULL for float */
    void *letter_q, *letter_k, *letter_v;
    float *letter_beta, *letter_gate;
    uint32_t *letter, *answer;
    void *x, *middle, *norm, *out, *projection, *taps, *q, *k, *v, *o, *o_norm, *gate_up, *product;
    void *u, *select, *step;               /* diagonal; mLSTM: u is o after its norm */
    void *low, *gate_in, *rate_in, *write; /* gla, rwkv7, as in a layer of a step */
    float *low_wide, *w, *a, *b;
    float *beta, *gate, *logits;
    float *state;  /* of each layer, layer_states apart: [sequences][heads][key][value] or
                    * [sequences][channels][states] */
    void *past[2]; /* of each layer, layer_past bytes apart: [sequences][taps - 1][columns.taps],
                      before and after a piece */
    void *work;
} f2l_answer_places;

struct f2l_cuda_answer {
    f2l_cuda_step_shape shape;
    f2l_cuda_type type;
    const f2l_cuda_answer_kernels *more;
    const f2l_cuda_kernels *k;
    f2l_step_columns columns;
    size_t most_sequences, most_rows;
    size_t one_state, layer_states; /* numbers: of a sequence in a layer, and from one layer to the
                                       next */
    size_t layer_past;              /* bytes from one layer to the next */
    unsigned before;                /* index of the past before the next piece */
    f2l_cuda_blas *blas;
    void *stream, *memory;
    size_t bytes;
    f2l_answer_places at;
    void *host;   /* pinned: letters, then answers */
    float *start; /* [layers][one_state] first states of the parameters; NULL: states start at 0 */
    float *begun; /* [most_sequences][one_state] */
    size_t sequences;
    /* Products of a pass over `rows` rows, in their order; the last product is the tables'. */
    f2l_cuda_product **product;
    size_t products, next, rows;
};

/* Computes the sizes, and allocates memory with a place for every buffer. F2L_EDOMAIN: too much to
 * count; F2L_ENOMEM. */
f2l_status f2l_answer_place(f2l_cuda_answer *a, f2l_error *err);

/* A pass. Failures are remembered, and every launch after a failure is left out. */
typedef struct f2l_answer_pass {
    f2l_cuda_answer *a;
    const f2l_cuda_step_shape *shape;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} f2l_answer_pass;

/* Return parameters as input of norms and of the letters' products, and as input of products of
 * activations. */
static inline const float *f2l_answer_number(const f2l_answer_pass *p, size_t offset)
{
    return p->a->at.parameter + offset;
}
static inline const void *f2l_answer_matrix(const f2l_answer_pass *p, size_t offset)
{
    const f2l_answer_places *at = &p->a->at;
    return at->shadow ? (const void *)(at->shadow + offset)
                      : (const void *)(at->parameter + offset);
}

/* Computes y = x w^T; w [out][in]. */
void f2l_answer_linear(f2l_answer_pass *p, void *y, const void *x, const void *w,
                       const f2l_cuda_map *map);

/* Computes, from the parameters, the arrays that are functions of the letter alone. */
void f2l_answer_tables(f2l_answer_pass *p);
/* Computes the answers from the letters on the device, and carries states and pasts on. */
void f2l_answer_run(f2l_answer_pass *p);

/* The parts of the mixer delta that are not in the file of its row. */
void f2l_answer_delta(f2l_answer_pass *p, size_t l);
void f2l_answer_delta_tables(f2l_answer_pass *p);

/* A pass of a training step; private to cuda_step_*.c. Failures are remembered in the pass and
 * every later launch is left out, so that the schedule needs no tests of a status. */

typedef struct f2l_step_run {
    f2l_cuda_step *s;
    const f2l_cuda_step_shape *shape;
    const f2l_cuda_kernels *k;
    size_t rows;
    f2l_status status;
    f2l_error *err;
} f2l_step_run;

/* Return parameters as input of norms and of the letters' products, their gradients, and parameters
 * as input of products of activations. */
static inline const float *f2l_step_number(const f2l_step_run *p, size_t offset)
{
    return p->s->parameter + offset;
}
static inline float *f2l_step_gradient(const f2l_step_run *p, size_t offset)
{
    return p->s->gradient + offset;
}
static inline const void *f2l_step_matrix(const f2l_step_run *p, size_t offset)
{
    return p->s->shadow ? (const void *)(p->s->shadow + offset)
                        : (const void *)(p->s->parameter + offset);
}

void f2l_step_linear_forward(f2l_step_run *p, void *y, const void *x, const void *w,
                             const f2l_cuda_map *l);
void f2l_step_linear_backward(f2l_step_run *p, void *dx, float *dw, const void *dy, const void *x,
                              const void *w, const f2l_cuda_map *l);

/* Returns the shape of the convolution of the projection's first columns, by position. */
static inline f2l_cuda_conv_shape f2l_step_taps(const f2l_cuda_step *s)
{
    return (f2l_cuda_conv_shape){.batch = s->sequences,
                                 .tokens = s->length,
                                 .width = s->columns.taps,
                                 .taps = s->shape.convolution,
                                 .type = s->type,
                                 .x_stride = s->columns.stride,
                                 .y_stride = s->columns.taps_stride,
                                 .first = f2l_step_first(s)};
}

/* Computes the layer's projection from its norm, and the convolution's output if there is one. */
void f2l_step_project(f2l_step_run *p, size_t l);
/* Computes dx from the gradient at the projection by position, and dmiddle; for layer 0, whose
 * projection is laid out then, the embedding's gradient. */
void f2l_step_project_back(f2l_step_run *p, size_t l, const void *dcolumns, const void *dmiddle);
/* Computes the same from the gradient at the projection by letter. */
void f2l_step_letters_back(f2l_step_run *p, const void *dmiddle);
void f2l_step_sum_by_letter(f2l_step_run *p, float *sum, size_t stride, bool add, const void *x,
                            size_t x_stride, size_t width, f2l_cuda_type type);

/* The parts of the mixer delta that are not in the file of its row. */
void f2l_step_delta_forward(f2l_step_run *p, size_t l);
void f2l_step_delta_backward(f2l_step_run *p, size_t l, const void *dmiddle);

#endif
