/* Declarations shared by the files of models/seq; private to this folder. */
#ifndef F2L_MODELS_SEQ_IMPL_H
#define F2L_MODELS_SEQ_IMPL_H

#include "models/op/op.h"
#include "models/seq/seq.h"
#include "models/seq/seq_file.h"
#include "models/weights/safetensors_number.h"

/* The places of the numbers of a pass; private to seq_*.c. */

/* Every array of a layer has a slot: [rows][width of the slot], rows = sequences * length; unused
 * ones have width 0. */
typedef enum f2l_seq_slot {
    F2L_SLOT_X, /* input of the layer */
    F2L_SLOT_NORM,
    /* F2L_SEQ_DELTA; for each stream: projection, after the convolution, after SiLU, scaled to
     * length 1 */
    F2L_SLOT_Q,
    F2L_SLOT_Q_TAPS,
    F2L_SLOT_Q_SILU,
    F2L_SLOT_Q_UNIT,
    F2L_SLOT_K,
    F2L_SLOT_K_TAPS,
    F2L_SLOT_K_SILU,
    F2L_SLOT_K_UNIT,
    F2L_SLOT_V,
    F2L_SLOT_V_TAPS,
    F2L_SLOT_V_SILU,
    F2L_SLOT_BETA_IN,
    F2L_SLOT_BETA,
    F2L_SLOT_GATE_IN,
    F2L_SLOT_GATE,
    F2L_SLOT_O, /* without the factor K^-1/2, which comes with O_SCALED */
    F2L_SLOT_O_SCALED,
    F2L_SLOT_O_NORM,
    /* F2L_SEQ_DIAGONAL */
    F2L_SLOT_U,
    F2L_SLOT_U_TAPS,
    F2L_SLOT_U_SILU,
    F2L_SLOT_Z,
    F2L_SLOT_RANK,
    F2L_SLOT_WRITE, /* B */
    F2L_SLOT_READ,  /* C */
    F2L_SLOT_STEP_IN,
    F2L_SLOT_STEP,  /* dt */
    F2L_SLOT_DECAY, /* a */
    F2L_SLOT_STATE, /* dt B u, then h */
    F2L_SLOT_Y,
    F2L_SLOT_Y_GATED,
    /* MLP */
    F2L_SLOT_MIDDLE, /* x after the mixer */
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

/* Computes *places. Returns false when the total does not fit size_t. */
bool f2l_seq_place(f2l_seq_places *places, const f2l_seq *model, const f2l_seq_plan *plan);

/* Numbers per sequence and layer of f2l_seq_state_count, by their use. */
typedef struct f2l_seq_memory {
    size_t recurrence, query, key, value; /* query: also the convolution of the diagonal mixer */
} f2l_seq_memory;
f2l_seq_memory f2l_seq_memory_of(const f2l_seq_config *config);

/* A projection and the operators after it. */
typedef struct f2l_seq_stream {
    size_t weight, row; /* the tensor, and the first of its rows that belongs to the projection */
    size_t convolution; /* the tensor */
    size_t width, unit; /* numbers per row; length of the parts that are scaled to length 1 (0:
                         * none) */
    bool silu;
    f2l_seq_slot first; /* slot of the projection; the other three follow */
    size_t past; /* in the state: numbers per sequence before this stream's numbers in the layer */
} f2l_seq_stream;

f2l_seq_stream f2l_seq_query_stream(const f2l_seq *model, size_t layer);
f2l_seq_stream f2l_seq_key_stream(const f2l_seq *model, size_t layer);
f2l_seq_stream f2l_seq_value_stream(const f2l_seq *model, size_t layer);
f2l_seq_stream f2l_seq_channel_stream(const f2l_seq *model, size_t layer);

/* A pass over `batch` sequences of `tokens` letters. */
#define F2L_SEQ_PASS(real, name) \
    typedef struct name(f2l_seq_pass) \
    { \
        const f2l_seq *model; \
        const f2l_seq_places *places; \
        real *data; \
        const real *parameters; \
        real *gradient; /* NULL: forward only */ \
        real *state;    /* NULL: sequences begin here */ \
        size_t batch, tokens, rows; \
        f2l_error *err; \
    } \
    name(f2l_seq_pass); \
    static inline real *name(f2l_seq_at)(const name(f2l_seq_pass) * pass, size_t layer, \
                                         f2l_seq_slot slot) \
    { \
        return pass->data + layer * pass->places->layer + pass->places->slot[slot]; \
    } \
    static inline real *name(f2l_seq_dat)(const name(f2l_seq_pass) * pass, f2l_seq_slot slot) \
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

/* The parts of a pass. */
#define F2L_SEQ_PARTS(real, name) \
    /* Computes the stream from SLOT_NORM to its last slot, which *out points to. */ \
    f2l_status name(f2l_seq_stream_forward)(real * *out, const name(f2l_seq_pass) * pass, \
                                            size_t layer, const f2l_seq_stream *stream); \
    /* Computes gradients back from the gradient slot of the last slot; the gradient at \
     * SLOT_NORM is written, or added to if `add`. */ \
    f2l_status name(f2l_seq_stream_backward)(const name(f2l_seq_pass) * pass, size_t layer, \
                                             const f2l_seq_stream *stream, bool add); \
    real *name(f2l_seq_stream_last)(const name(f2l_seq_pass) * pass, size_t layer, \
                                    const f2l_seq_stream *stream, bool gradient); \
    /* Compute `out` [rows][width] from SLOT_NORM; and back, the gradient slot of SLOT_NORM \
     * from dout. */ \
    f2l_status name(f2l_seq_delta_forward)(real * out, const name(f2l_seq_pass) * pass, \
                                           size_t layer); \
    f2l_status name(f2l_seq_delta_backward)(const real *dout, const name(f2l_seq_pass) * pass, \
                                            size_t layer); \
    f2l_status name(f2l_seq_diagonal_forward)(real * out, const name(f2l_seq_pass) * pass, \
                                              size_t layer); \
    f2l_status name(f2l_seq_diagonal_backward)(const real *dout, const name(f2l_seq_pass) * pass, \
                                               size_t layer);
F2L_OP_BOTH(F2L_SEQ_PARTS)

/* Lists of the tensors of a safetensors file; private to the writers and readers of
 * models/seq/seq_file.h. */

/* A tensor of the model and its name in the file. */
typedef struct f2l_seq_entry {
    char name[96];
    const f2l_seq_tensor *tensor;
    size_t rows;  /* first dimension in the file, at least the tensor's; rows beyond the tensor's
                   * are 0 */
    double scale; /* the number in the file = scale * the number in the model */
} f2l_seq_entry;

/* A vector of parameters of either type. */
typedef struct f2l_seq_numbers {
    size_t bytes; /* bytes of one number: 4 or 8 */
    union {
        const float *single;
        const double *real;
    } from;
    union {
        float *single;
        double *real;
    } to;
} f2l_seq_numbers;

/* Appends a whole file; `metadata` is the text of a JSON object; dtype F64 when `wide`, else F32.
 * Entries are in the order of the data. */
f2l_status f2l_seq_write_entries(f2l_buf *out, const f2l_seq_entry *entry, size_t entries,
                                 const char *metadata, bool wide, const f2l_seq_numbers *numbers,
                                 f2l_error *err);

/* Reads every entry; F2L_EFORMAT if the file has another tensor. */
f2l_status f2l_seq_read_entries(const f2l_seq_numbers *numbers, const f2l_seq_entry *entry,
                                size_t entries, const f2l_safetensors_file *file, f2l_error *err);

#endif
