/* One sequence of one value head, on its own: what the parts of f2l_op_vectors_make hand on. */
#ifndef F2L_VECTORS_IMPL_H
#define F2L_VECTORS_IMPL_H

#include "models/doors/vectors/vectors.h"
#include "numeric/base/rng.h"

/* The last two rows of a state are at rest: no key and no query touches them. The first of them has
 * 21 bits in an initial state and the second in the gradient of a final state, so that what is
 * carried in a narrower format shows. */
#define F2L_VECTOR_REST 2

/* A lane: arrays of one sequence and one value head, in the order of rows and tokens. */
typedef struct f2l_vector_lane {
    size_t tokens, factors, rows, key, value;
    double scale;
    double *q, *dout, *o, *dq;              /* [tokens][key or value] */
    double *k, *v, *beta, *dk, *dv, *dbeta; /* [rows][key, value or none] */
    double *gate, *dgate; /* [rows]: the token's gate at its first row, else 1; by its logarithm */
    double *start, *end, *dstart, *dend; /* [key][value] */
    double *all;                         /* the arrays above; owned */
} f2l_vector_lane;

/* Allocates the arrays, zero but for gates of 1, of rows for `tokens`. F2L_ENOMEM. */
f2l_status f2l_vector_lane_make(f2l_vector_lane *lane, const f2l_vector_case *c, size_t tokens,
                                f2l_error *err);
void f2l_vector_lane_free(f2l_vector_lane *lane);

/* Returns whether row r is its token's first, and last. */
static inline bool f2l_vector_first_row(const f2l_vector_lane *lane, size_t r)
{
    return r % lane->factors == 0;
}
static inline bool f2l_vector_last_row(const f2l_vector_lane *lane, size_t r)
{
    return (r + 1) % lane->factors == 0;
}

/* Copy the inputs of sequence s and value head h into a lane that was made for them, and back; and
 * add its results, since value heads share q and k. */
void f2l_vector_lane_take(f2l_vector_lane *lane, const f2l_op_vectors *v, size_t s, size_t h);
void f2l_vector_lane_give(f2l_op_vectors *v, const f2l_vector_lane *lane, size_t s, size_t h);
void f2l_vector_lane_put(f2l_op_vectors *v, const f2l_vector_lane *lane, size_t s, size_t h);

/* Fills the inputs of sequence s and of the value heads that share `head`; v->tries is the seed. */
f2l_status f2l_vector_fill(f2l_op_vectors *v, size_t s, size_t head, f2l_error *err);

/* Computes the results of a lane row by row. *exact is set to false when an operation rounded. */
f2l_status f2l_vector_recurrence(f2l_vector_lane *lane, bool *exact, f2l_error *err);

/* Computes the same in chunks of that many rows, and sets claims to false that do not hold, and
 * *exact when an operation rounded. F2L_EDOMAIN when nothing rounded and a result is not the
 * lane's, so that inputs are never chosen by where two computations agree. */
f2l_status f2l_vector_chunks(const f2l_vector_lane *lane, size_t chunk, const f2l_format *format,
                             bool claim[F2L_CLAIMS], bool *exact, f2l_error *err);

/* The keys of one sequence and head. */
#define F2L_VECTOR_FRAME 5
typedef struct f2l_vector_frame {
    f2l_vector_keys keys;
    size_t size;   /* keys in it; of F2L_KEYS_FINE none is listed */
    size_t key;    /* coordinates of a key */
    double length; /* of a key */
    double vector[F2L_VECTOR_FRAME][256];
    unsigned beta; /* F2L_KEYS_ONE: 0: 2, 1: 1, 2: mixed */
} f2l_vector_frame;

/* Chooses the keys of a head; `beta` counts heads and sequences. */
void f2l_vector_frame_choose(f2l_vector_frame *frame, f2l_vector_keys keys, size_t key,
                             unsigned beta, f2l_rng *rng);
/* Writes the key of every row [rows][key]. */
void f2l_vector_choose_keys(double *k, const f2l_vector_frame *frame, size_t rows, f2l_rng *rng);
/* Returns beta for a row of these keys, and a query. */
double f2l_vector_choose_beta(const f2l_vector_frame *frame, size_t row, f2l_rng *rng);
void f2l_vector_choose_query(double *q, const f2l_vector_frame *frame, f2l_rng *rng);

#endif
