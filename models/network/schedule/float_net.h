/* The inside of a rounded network: flat sparse arrays that the inner loops walk; private to
 * models. */
#ifndef F2L_FLOAT_IMPL_H
#define F2L_FLOAT_IMPL_H

#include "models/network/net/same_letters.h"
#include "models/network/net/wired_flow.h"
#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include "numeric/base/index.h"

/* Largest key dimension in `cast`, and most numbers of the matrices of `cast` in one head. */
#define F2L_MAX_CAST_KEY ((size_t)4096)
#define F2L_MAX_CAST ((size_t)1 << 26)

typedef struct f2l_cast_number {
    uint32_t at;
    double value;
} f2l_cast_number;

typedef struct f2l_cast_row {
    uint32_t at;       /* row times d */
    size_t first, end; /* range of its entries */
} f2l_cast_row;

/* A(x) and B(x) of every letter x for `cast`, without zeros. A row of A that equals the row of the
 * identity and has no bias is left out too. */
typedef struct f2l_float_cast {
    size_t *row_first;      /* [letters + 1] into row */
    f2l_cast_row *row;      /* increasing within a letter */
    f2l_cast_number *entry; /* of A; at: column times d */
    size_t *bias_first;     /* [letters + 1] into bias */
    f2l_cast_number *bias;  /* of B; at: row times d, plus column; by column, and then by row */
} f2l_float_cast;

/* Factors of a head are numbered through all letters; key and value entries through all factors. */
typedef struct f2l_float_head {
    size_t n, d;
    size_t offset;     /* of the head's state among the numbers of the layer */
    double *gate;      /* [letters] */
    size_t *first;     /* [letters + 1] into beta, key_first, value_first */
    double *beta;      /* [factors] */
    size_t *key_first; /* [factors + 1] into row, key */
    uint32_t *row;     /* of a key coordinate, times d; in the order of the sum */
    double *key;
    unsigned char *sums; /* [keys] the plan of the sum (models/network/schedule/sum_plan.h), where
                          * it is not from left to right */
    size_t *value_first; /* [factors + 1] into column, value */
    uint32_t *column;
    double *value;
    size_t *bias_first; /* [letters + 1] into bias_index, bias */
    uint32_t *bias_index;
    double *bias;
    f2l_float_cast cast; /* `cast` only; all NULL otherwise */
} f2l_float_head;

/* Arithmetic of a network's operations; found once, so that inner loops do not test each of the
 * conditions. */
typedef enum f2l_arithmetic {
    F2L_ARITHMETIC_ANY,    /* f2l_format_op */
    F2L_ARITHMETIC_NARROW, /* in binary64 (theory/pages/formats.md, F2), and f2l_quick */
    F2L_ARITHMETIC_FLOAT,  /* fp32: in float */
    F2L_ARITHMETIC_DOUBLE  /* fp64: in double */
} f2l_arithmetic;

/* What becomes of a number when the state is stored; found once, too. */
typedef enum f2l_storing {
    F2L_STORING_NOTHING, /* it stays */
    F2L_STORING_ROUNDS,  /* it is rounded into the network's format */
    F2L_STORING_BLOCKS,  /* f2l_store_state, head by head */
    F2L_STORING_TENSOR   /* f2l_store_state, once for a layer */
} f2l_storing;

/* Rounding to nearest of numbers far from the ends of a format's range. */
typedef struct f2l_quick {
    unsigned least, binades; /* exponent fields least .. least + binades - 1 are far from the
                              * ends */
    unsigned drop;           /* number of bits dropped */
    uint64_t half, mask;
} f2l_quick;

/* Codes sorted by one coordinate; reach is 0 when the table was not made. */
typedef struct f2l_near {
    double reach;      /* distance: a code at most this near, computed in doubles, is the only
                        * nearest code */
    size_t axis, size; /* the coordinate; numbers of a state */
    size_t codes;
    uint32_t *code;       /* [codes] sorted by `at` */
    double *at, *numbers; /* [codes] the coordinate; [codes][size] all numbers, in the order of
                           * `code` */
} f2l_near;

/* Decodes the local states of one layer, numbered through its heads. */
typedef struct f2l_decoder {
    const f2l_layer *layer;
    size_t size;     /* numbers of a local state */
    size_t *first;   /* [codes + 1] into index, value, scaled */
    uint32_t *index; /* increasing within a code */
    double *value;   /* the exact value times a factor in 1 - 2^-52 .. 1 */
    double *norm2;   /* [codes] of the exact code, equally precise; NaN when doubles may not bound
                      * the code's rank */
    mpq_t *exact_norm2; /* [codes] */
    bool directions;    /* codes are ranked by (S . c) / |c|; else by |S - c| */
    /* The grid (1/grid) Z^size that holds all codes, when it is coarse enough; grid 0 otherwise. */
    double grid;
    int64_t *scaled; /* value times grid */
    f2l_index codes; /* by their scaled values; empty where there is no grid */
    f2l_near near;   /* only where there is no grid */
} f2l_decoder;

/* A layer, or a block of a network with stages. */
typedef struct f2l_float_layer {
    f2l_same_letters same; /* all zero in a block */
    size_t heads;
    f2l_float_head *head; /* [heads]; the letters of the heads are the classes of `same`, if `same`
                           * is not zero; of a block's heads all values of all slots */
    f2l_decoder decoder;  /* of a layer */
    size_t readouts;
    struct f2l_float_readout *readout; /* [readouts] of a block */
    size_t size; /* numbers of the local state: the decoder's, then residuals or sums of a ring in
                    the same order, then the number of letters since the last store; the last two
                    as needed */
} f2l_float_layer;

/* Returns the number of the layer's letter in its heads. */
static inline size_t f2l_float_letter(const f2l_float_layer *layer, size_t letter)
{
    return layer->same.of != NULL ? layer->same.of[letter] : letter;
}

/* A rounded network. */
struct f2l_float_net {
    const f2l_net *net; /* the caller's network, or the view; borrowed */
    f2l_net *view;      /* rounded view, owned (models/network/net/net_orthonormal.h); NULL if the
                         * network      is its own view */
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_arithmetic arithmetic, work; /* of the format, and of the schedule's operations */
    const f2l_format *operands;      /* of products with the key; NULL: any */
    f2l_storing storing;
    bool reads; /* the numbers that are decoded are not the stored ones; they are in `output` */
    f2l_format output;
    f2l_store store;
    f2l_quick quick; /* F2L_ARITHMETIC_NARROW */
    size_t layers, size;
    size_t layers_size;     /* numbers of the layers; the numbers of the stages follow, or whether
                             * the prompt has ended, where there is one */
    f2l_float_layer *layer; /* [layers + blocks] a block after the layers */
    f2l_wired_flow flow;
    double *start;         /* [size] */
    f2l_float_net *prompt; /* the same layers, without stores, for a prompt; NULL: there is none */
    f2l_schedule prompted; /* its schedule */
};

/* Sets the initial state of a head, zero before. */
void f2l_float_start_head(const f2l_float_net *net, double *state, const f2l_qvec *initial,
                          size_t n, size_t d);

/* Rounds the weights of a head of `letters` letters for the format and schedule of `net`; out is
 * zero before. On failure f2l_float_net_free frees the part that was made. */
f2l_status f2l_float_head_init(f2l_float_head *out, const f2l_head *head, size_t letters,
                               const f2l_float_net *net, const f2l_task *task, f2l_error *err);
void f2l_float_head_clear(f2l_float_head *head);

/* The parts of f2l_float_net_new_within, f2l_float_start and f2l_float_step for blocks and
 * stages; *x is the letter of the first stage and becomes the label. */
f2l_status f2l_float_blocks_init(f2l_float_net *out, f2l_meter *meter, f2l_error *err);
void f2l_float_block_clear(f2l_float_layer *layer);
void f2l_float_start_stages(const f2l_float_net *net, double *joint);
f2l_status f2l_float_step_stages(const f2l_float_net *net, double *joint, uint32_t *x,
                                 f2l_error *err);

/* Steps one head as f2l_float_step_head does, and adds the letter's updates to the sums of a ring,
 * [n][d] (models/network/schedule/ring.c). */
void f2l_float_step_ring(const f2l_float_net *net, const f2l_float_head *head, size_t letter,
                         double *state, double *ring);
/* Stores a layer's state. */
void f2l_float_store_layer(const f2l_float_net *net, size_t layer, double *state);
/* f2l_float_step_layer for a ring; returns `made`, which has room for the decoded numbers. */
const double *f2l_ring_step(const f2l_float_net *net, size_t layer, size_t letter, double *state,
                            double *made);

/* Computes the rounded matrices of `cast`. */
f2l_status f2l_float_cast_init(f2l_float_cast *out, const f2l_head *head, size_t letters,
                               const f2l_format *format, f2l_error *err);
void f2l_float_cast_clear(f2l_float_cast *cast);

/* f2l_float_step_head for `cast`. */
void f2l_step_cast(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                   double *state);

/* With F2L_DECODE_LINEAR the layer is one that f2l_schedule_check_decoder passes. */
f2l_status f2l_decoder_init(f2l_decoder *decoder, const f2l_layer *layer, f2l_decode decode,
                            f2l_error *err);
void f2l_decoder_clear(f2l_decoder *decoder);

/* Builds *out, zero before, from the entries of a decoder whose arrays first, index and value are
 * made. Leaves out->reach 0 where the codes are too many, too close, or too large. */
f2l_status f2l_near_init(f2l_near *out, const f2l_decoder *decoder, f2l_error *err);
void f2l_near_clear(f2l_near *near);
/* Returns the nearest code, or F2L_NO_INDEX when this table does not find it. */
size_t f2l_near_find(const f2l_near *near, const double *state);

/* Returns whether the layer has one head, whose codes have one length: directions and distances
 * then rank them alike. */
bool f2l_layer_has_one_length(const f2l_layer *layer);

/* Returns the symbol of the nearest code after layer letter `letter`, or F2L_NO_SYMBOL
 * (f2l_float_step). With F2L_NO_INDEX as the letter every code is its own symbol: the result is the
 * nearest code, or F2L_NO_SYMBOL when there are two. */
uint32_t f2l_decoder_symbol(const f2l_decoder *decoder, size_t letter, const double *state);

#endif
