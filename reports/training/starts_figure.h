/* The figure of `starts`: accuracy and distance by step, one line for each run. */
#ifndef F2L_STARTS_FIGURE_H
#define F2L_STARTS_FIGURE_H

#include "reports/training/starts_report.h"

/* Returns whether gnuplot is on the PATH. */
bool f2l_starts_figure_possible(void);

/* Draws the figure as SVG into the file, by gnuplot; the file appears when it is complete. The
 * script stays beside it as PATH.gnuplot. F2L_EIO or F2L_EEXIST, with the reason, where a file
 * cannot be written; F2L_UNKNOWN or F2L_EDOMAIN where gnuplot fails (reports/page/child.h). */
f2l_status f2l_starts_figure(const char *path, const f2l_starts_report *report, f2l_error *err);

#endif
