/* What a mixer is made of: parameters, places of numbers, and a pass through a layer. For the
 * mixers in the folders of models/learn/seq and the files that run them. */
#ifndef F2L_SEQ_PASS_H
#define F2L_SEQ_PASS_H

#include "models/learn/op/op.h"
#include "models/learn/seq/seq.h"
#include <math.h>

/* --- parameters --- */

/* The list of tensors of a model while it grows. */
typedef struct f2l_seq_layout {
    f2l_seq *model;
    size_t layer;   /* the layer that tensors are added to */
    bool oversized; /* set on overflow, and tested once, at the end */
} f2l_seq_layout;

/* The shape of a tensor and its first values. */
typedef struct f2l_seq_shape {
    size_t dims, dim[3];
    f2l_seq_start start;
    double scale;
    bool decays;
} f2l_seq_shape;

/* Returns rows and columns of the matrix of a projection, stored as in PyTorch: y = W x. The
 * variance 1 / (3 columns) is PyTorch's default, with which the reproduced recipes were found. */
static inline f2l_seq_shape f2l_seq_matrix(size_t rows, size_t columns)
{
    const double scale = 1 / sqrt(3.0 * (double)columns);
    return (f2l_seq_shape){2, {rows, columns}, F2L_SEQ_MATRIX, scale, true};
}
/* Returns the same for a matrix whose product is added to the residual stream. */
static inline f2l_seq_shape f2l_seq_residual(size_t rows, size_t columns)
{
    f2l_seq_shape shape = f2l_seq_matrix(rows, columns);
    shape.start = F2L_SEQ_RESIDUAL;
    return shape;
}
/* Returns the taps of a convolution. */
static inline f2l_seq_shape f2l_seq_taps(size_t channels, size_t taps)
{
    const double scale = 1 / sqrt(3.0 * (double)taps);
    return (f2l_seq_shape){3, {channels, 1, taps}, F2L_SEQ_MATRIX, scale, true};
}
/* Returns a vector without weight decay. */
static inline f2l_seq_shape f2l_seq_vector(size_t size, f2l_seq_start start, double scale)
{
    return (f2l_seq_shape){1, {size}, start, scale, false};
}

/* Adds the mixer's tensor `index` (below F2L_MIXER_TENSORS), "layers.L.mixer.NAME". */
void f2l_seq_add_mixer(f2l_seq_layout *to, size_t index, const char *name, f2l_seq_shape shape);

/* --- places --- */

/* Every array of a layer has a slot: [rows][width of the slot], rows = sequences * length; unused
 * ones have width 0. A mixer names its own slots, from F2L_SLOT_MIXER on. */
enum { F2L_MIXER_SLOTS = 31 };
typedef enum f2l_seq_slot {
    F2L_SLOT_X, /* input of the layer */
    F2L_SLOT_NORM,
    F2L_SLOT_MIXER,
    F2L_SLOT_MIDDLE = F2L_SLOT_MIXER + F2L_MIXER_SLOTS, /* x after the mixer */
    F2L_SLOT_MLP_NORM,
    F2L_SLOT_MLP_GATE,
    F2L_SLOT_MLP_UP,
    F2L_SLOT_MLP_PRODUCT,
    F2L_SLOTS
} f2l_seq_slot;

/* The layout of the data of a pass, in numbers: the layers' slots one after the other (all layers
 * in one place when not training), then, when training, gradients at the slots of one layer; the
 * output of the last layer, its norm and the logits; their gradients. */
typedef struct f2l_seq_places {
    size_t width[F2L_SLOTS], slot[F2L_SLOTS];
    size_t layer; /* from one layer to the next; 0 when not training */
    size_t gradient;
    size_t out, norm, logits, out_gradient, norm_gradient, logits_gradient;
    size_t total;
} f2l_seq_places;

/* A projection and the operators after it. */
typedef struct f2l_seq_stream {
    size_t weight, row; /* the tensor, and the first of its rows that belongs to the projection */
    size_t convolution; /* the tensor; F2L_SEQ_NONE: none */
    size_t bias;        /* of the convolution, likewise */
    size_t width, unit; /* numbers per row; length of the parts that are scaled to length 1 (0:
                         * none) */
    bool ternary;       /* unit parts are rounded to 0 and numbers of one size first */
    bool silu;
    size_t first; /* slot of the projection; the other three follow */
    size_t past;  /* in the state: numbers per sequence before this stream's numbers in the layer */
} f2l_seq_stream;

/* The way from o [heads][value_dim] of a layer to its output, out = o_proj rmsnorm(key_dim^-1/2 o),
 * or with an output gate o_proj (rmsnorm(..) * silu(g_proj x)). The norm is taken per head, with
 * weights that all heads share. */
typedef struct f2l_seq_output {
    size_t norm, gate, out; /* tensors; gate F2L_SEQ_NONE: there is none */
    size_t first;           /* slot of o; behind it o with its factor, its norm, the gate before
                             * SiLU, and the norm times the gate */
} f2l_seq_output;

/* A pass over `batch` sequences of `tokens` letters. The one who watches a pass is called after the
 * mixer of each layer, when the slots of the mixer have the layer's numbers, and the state has the
 * one after the last letter. */
#define F2L_SEQ_PASS(real, name) \
    struct name(f2l_seq_pass); \
    typedef struct name(f2l_seq_watch) \
    { \
        void *context; \
        f2l_status (*layer)(void *context, const struct name(f2l_seq_pass) * pass, size_t layer); \
    } \
    name(f2l_seq_watch); \
    typedef struct name(f2l_seq_pass) \
    { \
        const f2l_seq *model; \
        const f2l_seq_places *places; \
        real *data; \
        const real *parameters; \
        real *gradient; /* NULL: forward only */ \
        real *state;    /* NULL: sequences begin here */ \
        real weight;    /* of a letter's loss, with a gradient */ \
        size_t batch, tokens, rows; \
        const name(f2l_seq_watch) * watch; /* NULL: nobody watches */ \
        f2l_error *err; \
    } \
    name(f2l_seq_pass); \
    static inline real *name(f2l_seq_at)(const name(f2l_seq_pass) * pass, size_t layer, \
                                         size_t slot) \
    { \
        return pass->data + layer * pass->places->layer + pass->places->slot[slot]; \
    } \
    static inline real *name(f2l_seq_dat)(const name(f2l_seq_pass) * pass, size_t slot) \
    { \
        return pass->data + pass->places->gradient + pass->places->slot[slot]; \
    } \
    static inline const real *name(f2l_seq_param)(const name(f2l_seq_pass) * pass, size_t tensor) \
    { \
        return tensor == F2L_SEQ_NONE ? NULL \
                                      : pass->parameters + pass->model->tensor[tensor].offset; \
    } \
    static inline real *name(f2l_seq_dparam)(const name(f2l_seq_pass) * pass, size_t tensor) \
    { \
        return tensor == F2L_SEQ_NONE ? NULL \
                                      : pass->gradient + pass->model->tensor[tensor].offset; \
    }
F2L_OP_BOTH(F2L_SEQ_PASS)

/* Returns the layer's part of the state, from `before` numbers per sequence on; NULL without a
 * state. */
#define F2L_SEQ_KEPT(real, name) \
    static inline real *name(f2l_seq_kept)(const name(f2l_seq_pass) * pass, size_t layer, \
                                           size_t before) \
    { \
        const size_t per_layer = f2l_seq_state_count(pass->model) / pass->model->config.layers; \
        return pass->state == NULL ? NULL \
                                   : pass->state + (layer * per_layer + before) * pass->batch; \
    }
F2L_OP_BOTH(F2L_SEQ_KEPT)

/* The parts of a pass that mixers share. */
#define F2L_SEQ_PARTS(real, name) \
    /* Computes the stream from SLOT_NORM to its last slot, which is returned. */ \
    real *name(f2l_seq_stream_forward)(const name(f2l_seq_pass) * pass, size_t layer, \
                                       const f2l_seq_stream *stream); \
    /* Computes gradients back from the gradient slot of the last slot; the gradient at \
     * SLOT_NORM is written, or added to if `add`. */ \
    void name(f2l_seq_stream_backward)(const name(f2l_seq_pass) * pass, size_t layer, \
                                       const f2l_seq_stream *stream, bool add); \
    real *name(f2l_seq_stream_last)(const name(f2l_seq_pass) * pass, size_t layer, \
                                    const f2l_seq_stream *stream, bool gradient); \
    /* Computes out from the slot of o; backward computes the gradient at o, and gate_backward \
     * adds the gate's gradient at SLOT_NORM, which something else writes before. */ \
    void name(f2l_seq_output_forward)(real * out, const name(f2l_seq_pass) * pass, size_t layer, \
                                      const f2l_seq_output *output); \
    void name(f2l_seq_output_backward)(const real *dout, const name(f2l_seq_pass) * pass, \
                                       size_t layer, const f2l_seq_output *output); \
    void name(f2l_seq_output_gate_backward)(const name(f2l_seq_pass) * pass, size_t layer, \
                                            const f2l_seq_output *output);
F2L_OP_BOTH(F2L_SEQ_PARTS)

#endif
