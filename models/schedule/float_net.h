/* The inside of a rounded network: flat sparse arrays that the inner loops walk; private to models.
 */
#ifndef F2L_FLOAT_IMPL_H
#define F2L_FLOAT_IMPL_H

#include "models/net/same_letters.h"
#include "models/schedule/schedule.h"
#include "numeric/base/index.h"

/* Most coordinates of a key in `cast`, and most numbers of its matrices. */
#define F2L_MAX_CAST_KEY ((size_t)4096)
#define F2L_MAX_CAST ((size_t)1 << 26)

typedef struct f2l_cast_number {
    uint32_t at;
    double value;
} f2l_cast_number;

typedef struct f2l_cast_row {
    uint32_t at;       /* row times d */
    size_t first, end; /* its entries */
} f2l_cast_row;

/* A(x) and B(x) of every letter x for `cast`, without zeros. A row that is that of the identity and
 * has no bias is left out as well. */
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
    size_t offset;     /* of its state among the numbers of the layer */
    double *gate;      /* [letters] */
    size_t *first;     /* [letters + 1] into beta, key_first, value_first */
    double *beta;      /* [factors] */
    size_t *key_first; /* [factors + 1] into row, key */
    uint32_t *row; /* of a key coordinate, times d; increasing within a factor, but for `recurrent`
                    */
    double *key;
    unsigned char *sums; /* [keys] `recurrent` only: sums of two to be done when this product is
                            there */
    size_t *value_first; /* [factors + 1] into column, value */
    uint32_t *column;
    double *value;
    size_t *bias_first; /* [letters + 1] into bias_index, bias */
    uint32_t *bias_index;
    double *bias;
    f2l_float_cast cast; /* `cast` only; all NULL otherwise */
} f2l_float_head;

/* How a network's operations are done; found once, so that inner loops do not ask for each of them.
 */
typedef enum f2l_arithmetic {
    F2L_ARITHMETIC_ANY,    /* f2l_format_op */
    F2L_ARITHMETIC_NARROW, /* in binary64 (theory/pages/formats.md, F2), and f2l_quick */
    F2L_ARITHMETIC_FLOAT,  /* fp32: in float */
    F2L_ARITHMETIC_DOUBLE  /* fp64: in double */
} f2l_arithmetic;

/* Rounding to nearest of what is far from the ends of a format's range. */
typedef struct f2l_quick {
    unsigned least, binades; /* of the exponent field: least .. least + binades - 1 is far */
    unsigned drop;           /* bits */
    uint64_t half, mask;
} f2l_quick;

/* Codes sorted by one coordinate; `reach` 0: not made. */
typedef struct f2l_near {
    double reach;      /* a code as near as this, computed in doubles, is the only nearest one */
    size_t axis, size; /* the coordinate; numbers of a state */
    size_t codes;
    uint32_t *code;       /* [codes] sorted by `at` */
    double *at, *numbers; /* [codes] the coordinate; [codes][size] all, in that order */
} f2l_near;

/* Decodes the local states of one layer, numbered through its heads. */
typedef struct f2l_decoder {
    const f2l_layer *layer;
    size_t size;     /* numbers of a local state */
    size_t *first;   /* [codes + 1] into index, value, scaled */
    uint32_t *index; /* increasing within a code */
    double *value;   /* within a factor 1 - 2^-52 .. 1 of the exact one */
    double *norm2;   /* [codes] of the exact code, as precise; NaN when doubles may not bound this
                        code's   distance */
    mpq_t *exact_norm2; /* [codes] */
    /* The grid (1/grid) Z^size that holds all codes, when it is coarse enough; grid 0 otherwise. */
    double grid;
    int64_t *scaled; /* value times grid */
    f2l_index codes; /* by their scaled values; empty where there is no grid */
    f2l_near near;   /* only where there is no grid */
} f2l_decoder;

typedef struct f2l_float_layer {
    f2l_same_letters same; /* all zero in a wired network */
    size_t heads;
    f2l_float_head *head; /* [heads] its letters are the classes of `same`, if that is not zero */
    f2l_decoder decoder;
} f2l_float_layer;

/* The number that a letter of the layer has in its heads. */
static inline size_t f2l_float_letter(const f2l_float_layer *layer, size_t letter)
{
    return layer->same.of != NULL ? layer->same.of[letter] : letter;
}

/* A wired network has one too, for the schedules: a layer per block, without decoders (all zero),
 * `net` and `start`. */
struct f2l_float_net {
    const f2l_net *net; /* the caller's, or the view */
    f2l_net *view;      /* of a network that is not its own (models/net/net_orthonormal.h); owned */
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_arithmetic arithmetic;
    f2l_quick quick; /* F2L_ARITHMETIC_NARROW */
    size_t layers, size;
    f2l_float_layer *layer;
    double *start; /* [size] */
};

/* F2L_EDOMAIN when the schedule is not for the format; else *out becomes a network without layers.
 */
f2l_status f2l_float_net_init(f2l_float_net *out, const f2l_format *format,
                              const f2l_schedule *schedule, f2l_error *err);

/* Rounds the weights of a head, which are those of `letters` letters, for the format and schedule
 * of `net`; out is zero before. On failure the part that was made is left to f2l_float_net_free. */
f2l_status f2l_float_head_init(f2l_float_head *out, const f2l_head *head, size_t letters,
                               const f2l_float_net *net, const f2l_task *task, f2l_error *err);
void f2l_float_head_clear(f2l_float_head *head);

/* The same for the matrices of `cast`. */
f2l_status f2l_float_cast_init(f2l_float_cast *out, const f2l_head *head, size_t letters,
                               const f2l_format *format, f2l_error *err);
void f2l_float_cast_clear(f2l_float_cast *cast);

/* The step of f2l_schedule, for each of them. */
void f2l_step_every(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                    double *state);
void f2l_step_fma(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                  double *state);
void f2l_step_acc32(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                    double *state);
void f2l_step_recurrent(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                        double *state);
void f2l_step_cast(const f2l_float_net *net, size_t layer, size_t head, size_t letter,
                   double *state);
/* The end of a letter in acc32: the state goes into the format. */
void f2l_end_acc32(const f2l_float_net *net, size_t layer, size_t head, double *state);

f2l_status f2l_decoder_init(f2l_decoder *decoder, const f2l_layer *layer, f2l_error *err);
void f2l_decoder_clear(f2l_decoder *decoder);

/* From the entries of a decoder whose arrays first, index and value are made. Leaves out->reach 0
 * where the codes are too many, too close, or too large. out is zero before. */
f2l_status f2l_near_init(f2l_near *out, const f2l_decoder *decoder, f2l_error *err);
void f2l_near_clear(f2l_near *near);
/* The nearest code, or F2L_NO_INDEX when this way does not find it. */
size_t f2l_near_find(const f2l_near *near, const double *state);

/* The symbol of the nearest code after layer letter `letter`, or F2L_NO_SYMBOL (f2l_float_step).
 * With F2L_NO_INDEX as the letter every code is its own symbol: the nearest code itself,
 * F2L_NO_SYMBOL when there are two. */
uint32_t f2l_decoder_symbol(const f2l_decoder *decoder, size_t letter, const double *state);

#endif
