/* The parts of the horizon (statements H.. in theory/pages/horizon.md); private to this folder. */
#ifndef F2L_THEORY_CERTIFY_HORIZON_IMPL_H
#define F2L_THEORY_CERTIFY_HORIZON_IMPL_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/store.h"
#include "models/network/weights/used_weights.h"
#include "numeric/ball/ball.h"
#include "theory/certify/horizon/horizon.h"

/* --- the graphs of codes --- */

/* The edges of the exact network in one layer: every (code, letter) that some word reaches there,
 * in order. */
typedef struct f2l_code_edge {
    uint32_t from, to, letter;
} f2l_code_edge;

typedef struct f2l_code_graph {
    size_t codes, edges, start;
    f2l_code_edge *edge; /* [edges] */
} f2l_code_graph;

/* Finds graph[layers], zero before; freed by f2l_code_graphs_free. Returns F2L_EDOMAIN when the
 * exact network reaches a state without a code or a symbol; F2L_UNKNOWN when there are too many
 * joint codes. */
f2l_status f2l_code_graphs_find(f2l_code_graph **graph, const f2l_net *net, const f2l_task *task,
                                f2l_error *err);
void f2l_code_graphs_free(f2l_code_graph *graph, size_t layers);

/* Sets margin[codes] (owned by the caller: f2l_free): at most half the distance of each code to the
 * nearest other one, > 0, or 0 when doubles cannot separate them; INFINITY when there is no other
 * code. `layer` is ordinary (a view). Returns F2L_UNKNOWN when there are too many codes. */
f2l_status f2l_code_margins(double **margin, const f2l_layer *layer, const f2l_task *task,
                            f2l_error *err);

/* A number of a computation: an enclosure, a power of two that divides the number, and an upper
 * bound of its significant bits. */
typedef struct f2l_term {
    arb_t x;
    long grid;
    int bits;
} f2l_term;

/* Bounds the errors of one layer's steps. */
typedef struct f2l_step_head {
    size_t n, d, offset;
    double *norm;  /* [letters] |A~_x| */
    double *a, *b; /* cast: A and B, [letters][n][n] and [letters][n][d], rounded; NULL otherwise */
} f2l_step_head;

typedef struct f2l_step_bounds {
    const f2l_float_net *net;
    const f2l_layer *layer; /* of the view */
    size_t at;              /* number of the layer */
    const f2l_schedule *schedule;
    const f2l_format *format, *state_format, *arithmetic;
    const f2l_format *operands; /* of products with the key; NULL: any */
    f2l_store store;
    f2l_format wide;    /* fp32 */
    f2l_format nearest; /* the format with the rounding of weights */
    size_t size;        /* numbers of a local state */
    f2l_step_head *head;
    double *growth; /* [letters] |A~_x| over all heads together */
    double *state;  /* [size] */
    double *read;   /* [size] the numbers that are decoded, where they are not the state's */
    bool casts;     /* whether they are not */
    /* Scratch for one head. */
    size_t room, rows; /* n * d, n */
    f2l_term *entry;   /* [room] the state: the centre, and a power of two that divides the computed
                          number */
    bool *touched;     /* [room] */
    double *reach;     /* [room] bounds of a state's numbers, and of their errors in a store */
    f2l_term *product; /* [most of rows and F2L_STEP_REGISTERS] registers of a walk */
    f2l_term t;
    arb_t sum, scratch;
    double spread, local; /* upper bound of |E| + roundings so far; of the roundings so far */
    double reading;       /* if `casts`: the same as `local` for the numbers that are decoded */
    bool overflow;        /* some number may be infinite */
} f2l_step_bounds;

/* Returns the root of a sum of squares, rounded up. */
static inline double f2l_root_up(double squares)
{
    return squares == 0 ? 0 : nextafter(sqrt(squares), INFINITY);
}

f2l_status f2l_step_bounds_init(f2l_step_bounds *out, const f2l_float_net *net, size_t layer,
                                const f2l_format *format, const f2l_schedule *schedule,
                                const f2l_task *task, f2l_error *err);
void f2l_step_bounds_clear(f2l_step_bounds *b);

/* Returns an upper bound of what a step adds to |A~_x| e when it starts from a state within e of
 * the code edge->from (H4); *read is one for the numbers that are decoded, if b->casts, else 0
 * (H9). */
double f2l_step_bound(f2l_step_bounds *b, const f2l_code_edge *edge, double e, double *read);

/* Returns an upper bound of |state - code| over all heads. */
double f2l_step_distance(f2l_step_bounds *b, size_t code, const double *state);

/* Returns an upper bound of the operator norm of I - beta k k^T with n rows. */
double f2l_factor_norm(f2l_step_bounds *b, const f2l_used_factor *f, size_t n);

/* Returns why no statement bounds the errors of the schedule's store; NULL: H10 does. */
const char *f2l_horizon_lacks_store(const f2l_schedule *schedule);

/* Replaces upper bounds of the sizes of a head's numbers, [n][d], by upper bounds of what a store
 * with scales takes them off (H10). */
void f2l_scaled_errors(const f2l_store *store, double *size, size_t n, size_t d);

/* Bounds the roundings of one head's step by `letter`: `entry` holds the exact state of the code
 * and becomes A~ S + B~; `spread`, `local` and `reading` are set
 * (theory/certify/horizon/horizon_step.c). */
void f2l_step_head_bound(f2l_step_bounds *b, size_t head, size_t letter, double e);

/* --- the horizon of one layer --- */

/* Number of error levels: the increase of a step is bounded for errors up to 0, and up to the top
 * times 4^-k, k = F2L_HORIZON_LEVELS - 2 .. 0. */
#define F2L_HORIZON_LEVELS 14
#define F2L_HORIZON_POINTS 64
/* The error of a code to which no word of the present length leads. */
#define F2L_HORIZON_NEVER (-1.0)

typedef struct f2l_horizon_layer {
    const f2l_code_graph *graph;
    const f2l_task *task;
    f2l_meter meter;
    uint64_t edge_steps; /* steps (numeric/base/task.h) for the bound of an edge */
    f2l_status stopped;  /* why the iteration stopped; F2L_OK: it did not */
    f2l_error why;
    f2l_step_bounds bounds;
    double *margin; /* [codes] */
    double top;     /* the largest margin */
    double ladder[F2L_HORIZON_LEVELS];
    double *bound;               /* [edges][levels] f2l_step_bound; < 0: not computed yet */
    double *read;                /* [edges][levels] what it says of the numbers that are decoded */
    double *error, *next, *most; /* [codes] error now, after the letter, and the largest so far */
    unsigned *level;             /* [codes] */
    double *value;               /* [3][codes] scratch */
    double *weight;              /* [edges] scratch */
    double *limit;               /* [codes] scratch */
    uint64_t letters; /* length in letters: `error` bounds all words of this length, and shorter
                         words are right */
    bool for_ever, capped;
    double growth;
    f2l_horizon_point *point;
    size_t points;
} f2l_horizon_layer;

/* Initialises *h, which the caller clears by f2l_horizon_layer_clear in every case. */
f2l_status f2l_horizon_layer_init(f2l_horizon_layer *h, const f2l_float_net *net, size_t layer,
                                  const f2l_code_graph *graph, const f2l_format *format,
                                  const f2l_schedule *schedule, const f2l_task *task,
                                  f2l_error *err);
void f2l_horizon_layer_clear(f2l_horizon_layer *h);

/* Runs from the layer's rounded initial state to the end: sets letters, for_ever, capped, growth,
 * points. */
f2l_status f2l_horizon_layer_run(f2l_horizon_layer *h, const double *start, uint64_t cap,
                                 f2l_error *err);

/* Returns an upper bound of what the edge's step adds to growth times the error, for errors up to
 * e, at most the top. */
double f2l_horizon_edge(f2l_horizon_layer *h, size_t edge, double e);
/* Returns the same for the numbers that are decoded; 0 where they are the state's. */
double f2l_horizon_reading(f2l_horizon_layer *h, size_t edge, double e);

/* Returns F2L_OK unless the task stopped the work: the errors are then not bounds. */
f2l_status f2l_horizon_stopped(const f2l_horizon_layer *h, f2l_error *err);

/* Moves `error` one letter on; returns false and changes nothing when a code's margin is
 * reached. */
bool f2l_horizon_letter(f2l_horizon_layer *h);

void f2l_horizon_point_add(f2l_horizon_layer *h, uint64_t length, double bound);

/* Runs from `error` after `letters` to the end, many letters at a time (H8). */
f2l_status f2l_horizon_leap(f2l_horizon_layer *h, uint64_t cap, f2l_error *err);

#endif
