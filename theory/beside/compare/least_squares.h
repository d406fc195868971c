/* Least squares with several right sides, by LAPACK; private to this folder. */
#ifndef F2L_LEARNED_LEAST_SQUARES_H
#define F2L_LEARNED_LEAST_SQUARES_H

#include "theory/beside/compare/state_map.h"

/* Rows of numbers, of which a range of columns is meant: entry i, k is at[i * stride + k]. */
typedef struct f2l_columns {
    const double *at;
    size_t stride, count;
} f2l_columns;

/* Fits y = W x + w to the first `fitted` rows of [rows], and sets map[parts] to its errors for each
 * range of columns of y that a part names. *rank is the number of directions of x that were used.
 */
f2l_status f2l_least_squares(f2l_state_map *map, size_t *rank, f2l_columns x, f2l_columns y,
                             const f2l_learned_part *part, size_t parts, size_t fitted, size_t rows,
                             double threshold, f2l_error *err);

#endif
