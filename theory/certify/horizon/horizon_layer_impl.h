/* The horizon of one layer. */
#ifndef F2L_HORIZON_LAYER_IMPL_H
#define F2L_HORIZON_LAYER_IMPL_H

#include "theory/certify/horizon/horizon_impl.h"

/* What a step adds is bounded for errors up to 0, and up to the top times 4^-k, k = F2L_HORIZON_LEVELS - 2 .. 0. */
#define F2L_HORIZON_LEVELS 14
#define F2L_HORIZON_POINTS 64
/* The error of a code that no word of the present length leads to. */
#define F2L_HORIZON_NEVER (-1.0)

typedef struct f2l_horizon_layer {
    const f2l_code_graph *graph;
    const f2l_task *task;
    f2l_meter meter;
    uint64_t edge_steps; /* of the bound of an edge */
    f2l_status stopped;  /* why errors are not followed any further; F2L_OK: they are */
    f2l_error why;
    f2l_step_bounds bounds;
    double *margin; /* [codes] */
    double top;     /* the largest */
    double ladder[F2L_HORIZON_LEVELS];
    double *bound;               /* [edges][levels] f2l_step_bound; < 0: not computed yet */
    double *error, *next, *most; /* [codes] now, after the letter, and the largest so far */
    unsigned *level;             /* [codes] */
    double *value;               /* [3][codes] scratch */
    double *weight;              /* [edges] scratch */
    uint64_t letters;            /* `error` bounds all words of this length, and shorter ones are right */
    bool for_ever, capped;
    double growth;
    f2l_horizon_point *point;
    size_t points;
} f2l_horizon_layer;

/* Cleared by f2l_horizon_layer_clear in any case. */
f2l_status f2l_horizon_layer_init(f2l_horizon_layer *h, const f2l_float_net *net, size_t layer,
                                  const f2l_code_graph *graph, const f2l_format *format,
                                  const f2l_schedule *schedule, const f2l_task *task, f2l_error *err);
void f2l_horizon_layer_clear(f2l_horizon_layer *h);

/* From the layer's rounded initial state to the end: letters, for_ever, capped, growth, points. */
f2l_status f2l_horizon_layer_run(f2l_horizon_layer *h, const double *start, uint64_t cap, f2l_error *err);

/* What the edge's step adds to growth times the error, for errors up to e, at most the top. */
double f2l_horizon_edge(f2l_horizon_layer *h, size_t edge, double e);

/* F2L_OK unless the task stopped the work: then errors are not bounds. */
f2l_status f2l_horizon_stopped(const f2l_horizon_layer *h, f2l_error *err);

/* `error` one letter on; false, and nothing changes, when a code's margin is reached. */
bool f2l_horizon_letter(f2l_horizon_layer *h);

void f2l_horizon_point_add(f2l_horizon_layer *h, uint64_t length, double bound);

/* From `error` after `letters` to the end, many letters at a time (H8). */
f2l_status f2l_horizon_leap(f2l_horizon_layer *h, uint64_t cap, f2l_error *err);

#endif
