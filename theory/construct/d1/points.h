/* The network of D1 whose circuits hold the product of a block point by point (theory/pages/d1.md,
 * D1.12); private to this folder. */
#ifndef F2L_THEORY_CONSTRUCT_D1_POINTS_H
#define F2L_THEORY_CONSTRUCT_D1_POINTS_H

#include "theory/construct/d1/impl.h"

/* The list of points whose images tell the state, and what the last circuit does with them. */
typedef struct f2l_d1_marks {
    size_t count;       /* m */
    uint32_t *first;    /* [m] the points for the empty word */
    f2l_gset coloured;  /* the representation, with another colour for each of these points */
    uint32_t *place;    /* [codes][m] the points of a code */
    f2l_rowset *prefix; /* [m] the lists of s + 1 points that words lead to */
    uint32_t *label;    /* [lists of m points] */
    uint32_t *scratch;  /* [m] */
} f2l_d1_marks;

typedef struct f2l_d1_points {
    f2l_d1 d;
    f2l_d1_marks marks;
    uint32_t letter_table; /* T, in both circuits */
} f2l_d1_points;

/* Lists the codes, d.rows.row, and what words do to the marks. */
f2l_status f2l_d1_marks_find(f2l_d1_points *p, f2l_error *err);
void f2l_d1_marks_clear(f2l_d1_points *p);

/* Returns the number of points that a product may move by a transposition of their own, n - 1, and
 * the point whose transposition comes at place `at` in a block. */
static inline size_t f2l_d1_moved(const f2l_d1 *d, size_t at)
{
    return d->points - 2 - at;
}

/* Add the blocks. */
f2l_status f2l_d1_put_point_ring(f2l_d1_points *p, f2l_error *err);
f2l_status f2l_d1_put_point_apply(f2l_d1_points *p, char keys[160], f2l_error *err);

/* Writes the head of the applying layer: d.householders slots, whose value 1 + i n + y exchanges
 * the points i and y (theory/construct/d1/d1_apply.c). */
f2l_status f2l_d1_put_point_head(f2l_d1 *d, char keys[160], f2l_error *err);

/* Makes letters, labels, tables and blocks, and adds the clock. */
f2l_status f2l_d1_begin(f2l_d1 *d, size_t tables, f2l_error *err);
/* Makes the stages, once all blocks are there. */
f2l_status f2l_d1_put_stages(f2l_d1 *d, f2l_error *err);
/* Checks what both networks ask, and sets the parts of *d that come from the arguments. */
f2l_status f2l_d1_open(f2l_d1 *d, f2l_d1_report *report, f2l_label label, f2l_error *err);

#endif
