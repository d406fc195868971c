/* The parts of the analysis of rounding; private to this folder. */
#ifndef F2L_THEORY_CERTIFY_UNROUNDED_IMPL_H
#define F2L_THEORY_CERTIFY_UNROUNDED_IMPL_H

#include "models/network/schedule/store.h"
#include "numeric/base/index.h"
#include "theory/certify/unrounded/unrounded.h"

/* The parts of the analysis of theory/pages/unrounded.md; private to unrounded*.c. Checks return
 * F2L_UNKNOWN, with the reason as the error's text, where something is not exact or not covered. */

/* The most vectors, or states of one slot's value, that are examined (U5, U7). */
#define F2L_UNROUNDED_VECTORS ((size_t)1 << 20)

/* One factor: S <- S - beta k (k^T S - v^T). For `cast` k and v are the network's u and c, and beta
 * is divided by |u|^2. */
typedef struct f2l_step_factor {
    mpq_t beta;
    f2l_qvec k, v;
    /* The plan of the sum (models/network/schedule/sum_plan.h); NULL: from left to right. */
    uint32_t *order;
    unsigned char *sums;
} f2l_step_factor;

typedef struct f2l_step_letter {
    const f2l_transition *source; /* its gate and bias; borrowed */
    size_t factors;
    f2l_step_factor *factor;
    size_t touched;
    uint32_t *row; /* [touched] rows that the letter may change, increasing (U5) */
} f2l_step_letter;

/* A head's weights in the form that a schedule uses. */
typedef struct f2l_steps {
    size_t n, d, letters;
    f2l_step_letter *letter;
    /* Factors whose beta, and whose normalised key, passed last while these are made; borrowed. */
    const f2l_factor *beta_passed, *key_passed;
} f2l_steps;

/* A head of a layer or of a wired block, and a letter or a slot's value in it, for reasons. */
typedef struct f2l_step_place {
    const char *part; /* "layer", "block" */
    size_t index, head;
    size_t letter;               /* F2L_NO_INDEX: none */
    const uint32_t *of;          /* the letter of the network for each `letter`; NULL: the same */
    const f2l_names *letters;    /* letters of layer 1; NULL: numbers are written */
    const f2l_wired_head *wired; /* the head of a block; otherwise NULL */
} f2l_step_place;

typedef struct f2l_unrounded_run {
    const f2l_format *format;
    f2l_format nearest; /* the format with rounding to nearest, for weights */
    const f2l_format *fp32;
    const f2l_format *inner;    /* format of intermediate results */
    const f2l_format *kept;     /* format of the numbers of states between letters */
    const f2l_format *operands; /* format of the operands of products with the key; NULL: inner */
    f2l_store store;
    f2l_format output;      /* of the numbers that are decoded, where it matters */
    const f2l_format *ring; /* format of the ring's keys and updates; NULL: there is none */
    const f2l_schedule *schedule;
    bool plain; /* f2l_schedule_is_plain, which compares settings by their spelling */
    f2l_unrounded_shared *shared; /* NULL: nothing is shared */
    const f2l_task *task;
} f2l_unrounded_run;

/* Scratch numbers of one column of a head during a step. */
typedef struct f2l_step_room {
    size_t n;
    mpq_t *s;        /* [n] */
    double *numbers; /* [2 n] s, where it is looked at as doubles */
    mpq_t reg[F2L_STEP_REGISTERS], r, t;
} f2l_step_room;

/* A set of vectors, each of a value column. */
typedef struct f2l_vectors {
    size_t count, room_vector, room_column;
    size_t entries; /* entries of all vectors */
    f2l_qvec *vector;
    uint32_t *column;
    f2l_index index;
} f2l_vectors;

/* Returns F2L_UNKNOWN: "<place>, factor F: <what> is X, no value of <format>"; factor F2L_NO_INDEX:
 * not written. */
f2l_status f2l_unrounded_misfit(const f2l_step_place *place, size_t factor, const char *what,
                                const mpq_t x, const f2l_format *format, f2l_error *err);
/* Returns F2L_UNKNOWN: "<place>: <why>". */
f2l_status f2l_unrounded_stop(const f2l_step_place *place, const char *why, f2l_error *err);
/* Returns the same if the entries of a state are not values of the format; `what` as "the initial
 * state". */
f2l_status f2l_unrounded_state(const f2l_step_place *place, const char *what, const f2l_qvec *state,
                               size_t d, const f2l_format *format, f2l_error *err);

/* Sets the weights of a head and checks U3; *out is zero before, and the caller clears it in every
 * case. Changes the letter in `place`. */
f2l_status f2l_steps_init(f2l_steps *out, const f2l_head *head, size_t letters,
                          const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err);
void f2l_steps_clear(f2l_steps *steps);

/* Returns whether the number is a multiple of 2^-10 of at most 2^12: then the difference of two of
 * these is a number of fp32, and so a state is the sum of the last stored one and of a ring. */
bool f2l_unrounded_in_ring(const mpq_t x);

/* Returns whether what a column becomes in the store does not depend on other columns. */
bool f2l_unrounded_by_column(const f2l_schedule_store *how);

f2l_status f2l_step_room_init(f2l_step_room *room, size_t n, f2l_error *err);
void f2l_step_room_clear(f2l_step_room *room);
/* Sets room->s to the vector. */
void f2l_step_room_load(f2l_step_room *room, const f2l_qvec *vector);

/* Steps column j of the state in room->s and checks every intermediate result (U4). */
f2l_status f2l_step_column(f2l_step_room *room, const f2l_steps *steps, size_t letter, size_t j,
                           const f2l_unrounded_run *run, const f2l_step_place *place,
                           f2l_error *err);
/* Checks for `cast` the entries of A and B of every letter. */
f2l_status f2l_step_matrices(f2l_step_room *room, const f2l_steps *steps,
                             const f2l_unrounded_run *run, f2l_step_place *place, f2l_error *err);
/* Returns whether the letter adds nothing to column j: a column of zeros stays zero, and all
 * intermediate results are 0. */
bool f2l_step_keeps_zero(const f2l_step_letter *letter, size_t d, size_t j);

/* Checks U4 for every letter from every column of `start`, in integers. *exact false: integers do
 * not suffice, or something rounds. */
f2l_status f2l_unrounded_small(bool *exact, const f2l_steps *steps, const f2l_vectors *start,
                               const f2l_unrounded_run *run, f2l_error *err);

void f2l_vectors_clear(f2l_vectors *v);
/* Adds a copy unless it is there. Returns F2L_UNKNOWN beyond F2L_UNROUNDED_VECTORS. */
f2l_status f2l_vectors_add(f2l_vectors *v, const f2l_qvec *vector, uint32_t column, f2l_error *err);
/* Adds room->s likewise. */
f2l_status f2l_vectors_add_dense(f2l_vectors *v, const f2l_step_room *room, uint32_t column,
                                 f2l_error *err);
/* Adds the columns of a state, [rows of index / d][d], each shifted down by `row` rows. */
f2l_status f2l_vectors_add_state(f2l_vectors *v, const f2l_qvec *state, size_t d, size_t row,
                                 f2l_error *err);

/* Checks U5 and U6, and U10.1 for chunk64. */
f2l_status f2l_unrounded_wired(const f2l_net *net, const f2l_unrounded_run *run, f2l_error *err);

/* The parameters s and b of a set of numbers (U9). */
typedef struct f2l_range {
    bool any; /* the set has a number that is not 0 */
    bool odd; /* the set has a number that is not dyadic */
    long places;
    mpq_t most;
} f2l_range;

enum {
    F2L_RANGE_KEY,
    F2L_RANGE_BETA,
    F2L_RANGE_VALUE,
    F2L_RANGE_INVERSE,
    F2L_RANGE_BETA_KEY,
    F2L_RANGE_BETA_VALUE,
    F2L_RANGE_W,
    F2L_RANGE_NEW,
    F2L_RANGE_STATE,
    F2L_RANGES
};

/* The data from which the bounds of one head are computed. */
typedef struct f2l_unrounded_numbers {
    f2l_range of[F2L_RANGES];
    mpq_t gram; /* the largest sum k_i^2 */
    size_t n, factors;
} f2l_unrounded_numbers;

void f2l_range_meet(f2l_range *range, const mpq_t x);
bool f2l_range_fits(const f2l_format *format, const f2l_range *range);
/* Appends the bounds of U9; returns F2L_UNKNOWN at the first bound that does not fit. */
f2l_status f2l_unrounded_list(f2l_unrounded *out, const f2l_unrounded_numbers *numbers,
                              const f2l_unrounded_run *run, const f2l_step_place *place,
                              f2l_error *err);

/* Checks U7 to U10 for one head: sets out->set[at] and appends the bounds. `start` has the columns
 * of H_0 and of the codes; for a wired head, whose letters are the values of its slots, the
 * columns of H_0 in every stage (U10.1). */
f2l_status f2l_unrounded_chunk_head(f2l_unrounded *out, size_t at, const f2l_steps *steps,
                                    f2l_vectors *start, const f2l_unrounded_run *run,
                                    f2l_step_place *place, f2l_error *err);

#define F2L_UNROUNDED_WHATS 17

/* Weights and vectors of a head in integers, for heads whose numbers are all dyadic and small,
 * which is the usual case; private to unrounded*.c. All other cases are left to the rationals. */

#define F2L_INTEGERS_PLACES 48 /* most places of any intermediate number */
#define F2L_INTEGERS_SLACK \
    2 /* places that a vector may need during a run beyond its initial places */

typedef struct f2l_integer_factor {
    int64_t beta;
    size_t keys, values;
    const uint32_t *row, *column, *order; /* of the rational factor, like sums */
    const unsigned char *sums;
    int64_t *key, *value; /* with places.key and places.sum places */
} f2l_integer_factor;

typedef struct f2l_integer_steps {
    const f2l_steps *steps;
    int state, key, beta, value, sum, scaled, product; /* places; sum: of k^T S - v; product: of k
                                                          beta r */
    size_t factors, numbers;
    size_t *first;              /* [letters] of a letter's factors */
    int64_t *pool;              /* [numbers] all keys and values */
    f2l_integer_factor *factor; /* [factors] */
} f2l_integer_steps;

/* Raises *most to the places of all entries; to more than F2L_INTEGERS_PLACES when one is not
 * dyadic. */
void f2l_integers_most(int *most, const f2l_qvec *v);
/* Sets *out to x 2^places; returns false unless that is an integer of less than 62 bits. */
bool f2l_integers_scale(int64_t *out, const mpq_t x, int places);

/* Finds the places of the weights, and their number; allocates nothing. */
void f2l_integers_init(f2l_integer_steps *p, const f2l_steps *steps);
/* Fills in the weights, for vectors of `state` places. Returns false if integers do not suffice, or
 * if memory is out, which the rationals will report. */
bool f2l_integers_fill(f2l_integer_steps *p, int state);
void f2l_integers_clear(f2l_integer_steps *p);

/* Returns whether s 2^-places, places of which are few, is a number of f2l_unrounded_in_ring. */
bool f2l_integer_in_ring(int64_t s, int places);

/* The numbers m 2^-places that a format has: all those below `limit` in size are among them. */
typedef struct f2l_fit {
    const f2l_format *format;
    int places;
    int64_t limit; /* 0: nothing is known */
} f2l_fit;

f2l_fit f2l_fit_of(const f2l_format *format, int places);

/* What steps of a head from H_0 and all codes have, in whatever order they are computed (U4b). */
typedef enum f2l_scan_kind {
    F2L_SCAN_PRODUCTS,   /* the sum of the sizes of k_i S_i: no smaller than any partial sum */
    F2L_SCAN_DIFFERENCE, /* k^T S - v */
    F2L_SCAN_SCALED,     /* beta times that */
    F2L_SCAN_BACK,       /* k_i times that */
    F2L_SCAN_STATE,      /* S_i before, in and after the letter */
    F2L_SCAN_KINDS
} f2l_scan_kind;

typedef struct f2l_unrounded_scan {
    bool tried;
    bool small;                    /* all of it is in integers; if not, nothing else is known */
    bool coarse;                   /* all S_i are numbers of f2l_integer_in_ring */
    uint64_t most[F2L_SCAN_KINDS]; /* the largest size of each kind, with these places: */
    int places[F2L_SCAN_KINDS];
    size_t n, columns, room;
    int64_t *number; /* [columns][n] before and after letters, each once */
    f2l_index index;
} f2l_unrounded_scan;

struct f2l_unrounded_shared {
    bool valid; /* the network */
    size_t heads;
    f2l_unrounded_scan *scan; /* [heads] */
};

/* Fills *scan, which is zero before, for the weights of a head. */
f2l_status f2l_unrounded_scan_head(f2l_unrounded_scan *scan, const f2l_steps *steps,
                                   const f2l_vectors *start, const f2l_task *task, f2l_error *err);
void f2l_unrounded_scan_clear(f2l_unrounded_scan *scan);
/* Returns whether the scan shows U4 and U4a of steps. *states: also of H_0 and the codes. What it
 * does not show is to be looked at one by one. */
bool f2l_unrounded_scan_allows(bool *states, const f2l_unrounded_scan *scan,
                               const f2l_unrounded_run *run);

/* Runs of chunk64 (U7) in integers; private to unrounded_chunk*.c. */

/* A kind of runs: of columns, of images of keys, of back images. */
typedef struct f2l_chunk_kind {
    const char *phase;
    f2l_vectors *found; /* the set that is being closed; borrowed */
    f2l_range *product; /* range of every beta (k . x - v), or NULL */
    f2l_range *vectors; /* range of all coordinates during the run, or NULL */
    bool writes;        /* v is used */
    bool back;          /* factors from last to first */
    bool zero;          /* a vector of zeros belongs to the set */
} f2l_chunk_kind;

/* The data of a set of numbers m that f2l_range needs. */
typedef struct f2l_chunk_seen {
    uint64_t bits, most; /* bitwise or of all |m|; the largest |m| */
} f2l_chunk_seen;

/* A vector of the set whose coordinates are integers. */
typedef struct f2l_chunk_entry {
    uint64_t hash;
    size_t vector; /* number in the set */
} f2l_chunk_entry;

typedef struct f2l_chunk_integers {
    f2l_integer_steps weights;
    bool usable;
    int64_t *base, *s; /* [n] the vector at the begin of a run, and the current one */
    f2l_chunk_seen product, vectors;
    f2l_chunk_entry *entry; /* [index.count] */
    size_t entry_room;
    f2l_index index;
} f2l_chunk_integers;

/* Initialises *c, which is unusable when the weights, or vectors of the places of `start`, do not
 * fit into integers; the caller clears it in every case. */
void f2l_chunk_integers_init(f2l_chunk_integers *c, const f2l_steps *steps,
                             const f2l_vectors *start);
void f2l_chunk_integers_clear(f2l_chunk_integers *c);

/* Sets the set to the kind's. */
void f2l_chunk_integers_begin(f2l_chunk_integers *c, const f2l_chunk_kind *kind);
/* Sets the vector at the begin of the next runs; returns false if it does not fit into integers. */
bool f2l_chunk_integers_load(f2l_chunk_integers *c, const f2l_qvec *vector);
/* Runs the letter's factors on the loaded vector; its numbers enter the ranges of the kind, exactly
 * as in the same run in rationals. Returns false if integers do not suffice, and the run must be
 * made in rationals. */
bool f2l_chunk_integers_run(f2l_chunk_integers *c, const f2l_chunk_kind *kind, size_t letter,
                            uint32_t column);
/* Returns whether the vector at the run's end is known to be in the set. */
bool f2l_chunk_integers_known(const f2l_chunk_integers *c, const f2l_chunk_kind *kind,
                              uint32_t column);
/* Sets room->s to the vector at the run's end. */
void f2l_chunk_integers_store(f2l_step_room *room, const f2l_chunk_integers *c);
/* Notes that this vector has become the last one of the set. */
void f2l_chunk_integers_note(f2l_chunk_integers *c, const f2l_chunk_kind *kind, uint32_t column);

#endif
