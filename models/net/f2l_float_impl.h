/* The inside of a rounded network: flat sparse arrays that the inner loops walk; private to models. */
#ifndef F2L_FLOAT_IMPL_H
#define F2L_FLOAT_IMPL_H

#include "f2l_schedule.h"

/* Factors of a head are numbered through all letters; key and value entries through all factors. */
typedef struct f2l_float_head {
    size_t n, d;
    size_t offset;     /* of its state among the numbers of the layer */
    double *gate;      /* [letters] */
    size_t *first;     /* [letters + 1] into beta, key_first, value_first */
    double *beta;      /* [factors] */
    size_t *key_first; /* [factors + 1] into row, key */
    uint32_t *row;     /* of a key coordinate, times d */
    double *key;
    size_t *value_first; /* [factors + 1] into column, value */
    uint32_t *column;
    double *value;
} f2l_float_head;

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
    size_t size;        /* numbers of a local state */
    size_t *first;      /* [codes + 1] into index, value, scaled */
    uint32_t *index;    /* increasing within a code */
    double *value;      /* within a factor 1 - 2^-52 .. 1 of the exact one */
    double *norm2;      /* [codes] of the exact code, as precise; NaN when doubles may not bound this code's
                           distance */
    mpq_t *exact_norm2; /* [codes] */
    /* The grid (1/grid) Z^size that holds all codes, when it is coarse enough; grid 0 otherwise. */
    double grid;
    int64_t *scaled; /* value times grid */
    uint32_t *slot;  /* hash of the scaled codes: code + 1, 0 = empty */
    size_t slots;
    f2l_near near; /* only where there is no grid */
} f2l_decoder;

typedef struct f2l_float_layer {
    size_t heads;
    f2l_float_head *head;
    f2l_decoder decoder;
} f2l_float_layer;

/* A wired network has one too, for the schedules: a layer per block, without decoders (all zero), `net` and
 * `start`. */
struct f2l_float_net {
    const f2l_net *net; /* the caller's, or the view */
    f2l_net *view;      /* of a network that is not its own (f2l_net_orthonormal.h); owned */
    const f2l_format *format;
    const f2l_schedule *schedule;
    size_t layers, size;
    f2l_float_layer *layer;
    double *start; /* [size] */
};

/* Rounds the weights of a head, which are those of `letters` letters; out is zero before. On failure the part
 * that was made is left to f2l_float_net_free. */
f2l_status f2l_float_head_init(f2l_float_head *out, const f2l_head *head, size_t letters,
                               const f2l_format *format, f2l_error *err);

f2l_status f2l_decoder_init(f2l_decoder *decoder, const f2l_layer *layer, f2l_error *err);
void f2l_decoder_clear(f2l_decoder *decoder);

/* From the entries of a decoder whose arrays first, index and value are made. Leaves out->reach 0 where the codes are
 * too many, too close, or too large. out is zero before. */
f2l_status f2l_near_init(f2l_near *out, const f2l_decoder *decoder, f2l_error *err);
void f2l_near_clear(f2l_near *near);
/* The nearest code, or F2L_NO_INDEX when this way does not find it. */
size_t f2l_near_find(const f2l_near *near, const double *state);

/* The symbol of the nearest code after layer letter `letter`, or F2L_NO_SYMBOL (f2l_float_step). With
 * F2L_NO_INDEX as the letter every code is its own symbol: the nearest code itself, F2L_NO_SYMBOL when there
 * are two. */
uint32_t f2l_decoder_symbol(const f2l_decoder *decoder, size_t letter, const double *state);

#endif
