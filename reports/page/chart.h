/* Curves, drawn by gnuplot, with their numbers as a table. */
#ifndef F2L_CHART_H
#define F2L_CHART_H

#include "reports/page/page.h"

enum { F2L_CHART_CURVES = 12 };

typedef struct f2l_curve {
    char name[64];
    double *x, *y; /* [points], owned; y may be NAN */
    size_t points, capacity_x, capacity_y;
    bool dashed; /* proved or published, not measured */
    bool failed; /* memory was out for a point */
} f2l_curve;

typedef struct f2l_chart {
    const char *title, *x_name, *y_name;
    bool log_x, log_y;
    double low, high; /* of y; low = high: by the numbers */
    double mark;      /* a vertical line at this x; NAN: none */
    const char *mark_name;
    f2l_curve curve[F2L_CHART_CURVES];
    size_t curves;
} f2l_chart;

void f2l_chart_init(f2l_chart *chart, const char *title, const char *x_name, const char *y_name);
/* The same for the part of words that are right, by length: lengths in powers of 2, 0 to 1. */
void f2l_chart_init_accuracy(f2l_chart *chart, const char *title);
void f2l_chart_clear(f2l_chart *chart);
/* Adds an empty curve and returns it; NULL when there are too many. */
f2l_curve *f2l_chart_add(f2l_chart *chart, const char *name, bool dashed);
/* Appends a point; a curve that is NULL is left alone. F2L_ENOMEM is told by f2l_chart_draw. */
void f2l_curve_put(f2l_curve *curve, double x, double y);

/* Appends the figure and the table of the numbers, the first rows of it; without gnuplot a line
 * that says so and the table. Draws nothing when no curve has a point. */
f2l_status f2l_chart_draw(f2l_page *page, const f2l_chart *chart, f2l_error *err);

/* Appends the drawing alone, an <svg> element. */
f2l_status f2l_chart_svg(f2l_buf *svg, const f2l_chart *chart, size_t figure, f2l_error *err);

#endif
