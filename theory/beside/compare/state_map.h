/* Linear maps between the states of a trained network and of the constructed one, by least squares
 * over states that the same words lead to.
 *
 * A map has a constant term. Its error is relative: the root of the sum of squares of what it
 * misses, divided by the one of the states minus their mean, on words that it was not fitted to: 0
 * is a perfect map, 1 is no better than the mean. Directions in which the states from which it maps
 * vary by less than `threshold` of the largest singular value are not used. */
#ifndef F2L_LEARNED_STATE_MAP_H
#define F2L_LEARNED_STATE_MAP_H

#include "theory/beside/compare/constructed.h"
#include "theory/beside/compare/sample.h"

#define F2L_STATE_MAP_THRESHOLD 0.05
#define F2L_STATE_MAP_STATES ((size_t)480) /* the most states that maps are fitted to */

/* One map; NaN: the states to which it maps do not vary. */
typedef struct f2l_state_map {
    double fitted, held_out; /* relative errors on the words it was fitted to, and on others */
} f2l_state_map;

/* Heads and, last, all of them together: `learned` and `constructed` are numbers of parts + 1. */
typedef struct f2l_state_maps {
    size_t learned, constructed;
    size_t states, held_out;  /* states that maps are fitted to; others, after words that do not
                               * begin a word of these */
    size_t *learned_rank;     /* [learned] directions that are used */
    size_t *constructed_rank; /* [constructed] */
    f2l_state_map *to_constructed; /* [learned][constructed] */
    f2l_state_map *to_learned;     /* [constructed][learned] */
} f2l_state_maps;

/* Builds *out; cleared by f2l_state_maps_clear, also after a failure. c->no_states must be NULL.
 * F2L_EDOMAIN: a number is not finite, or a state of the constructed network has no code;
 * F2L_UNKNOWN: the task stopped it, or its memory is too small. */
f2l_status f2l_state_maps_build(f2l_state_maps *out, const f2l_learned_reader *reader,
                                const f2l_learned_sample *sample, f2l_constructed *c,
                                double threshold, const f2l_task *task, f2l_error *err);
void f2l_state_maps_clear(f2l_state_maps *maps);

#endif
