/* The cells of the table of engines: decided by several threads, and kept in a file, so that the
 * same command goes on where it was ended. */
#ifndef F2L_ENGINES_CELLS_H
#define F2L_ENGINES_CELLS_H

#include "cli/engines/engines_net.h"

typedef struct f2l_engines_cells {
    f2l_engines_report *report;       /* its cells are decided; the caller's */
    const f2l_engines_source *source; /* [report->nets] */
    f2l_engines_cell *cell;           /* [report->nets * report->rows] */
    const char *path;                 /* of the file with the decided cells; NULL: there is none */
} f2l_engines_cells;

/* Reads the cells that the file has, if there is one. F2L_EFORMAT, with the line, where it is no
 * such file, or of another version or of other limits. */
f2l_status f2l_engines_cells_read(f2l_engines_cells *cells, f2l_error *err);

/* Decides the cells that are missing, each within the limits of the report, and adds each to the
 * file as soon as it is decided. Returns F2L_UNKNOWN where the task ended it. */
f2l_status f2l_engines_cells_decide(f2l_engines_cells *cells, const f2l_task *task, f2l_error *err);

#endif
