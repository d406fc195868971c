/* Exact elimination that asks whether to go on. */
#ifndef F2L_ELIMINATION_H
#define F2L_ELIMINATION_H

#include "numeric/base/task.h"
#include "numeric/exact/flint_headers.h"
#include <flint/fmpq_mat.h>

/* Polls a task from work that returns no status, and remembers that the task said stop: whoever
 * passed the watch looks at the status in the end. Counts no effort. */
typedef struct f2l_watch {
    f2l_task task;
    f2l_meter meter;
    f2l_status status; /* F2L_UNKNOWN once the task said stop */
    f2l_error *err;
} f2l_watch;

/* Starts a watch of the task, which may be NULL; the watch must not be moved. */
void f2l_watch_start(f2l_watch *watch, const f2l_task *task, const char *phase, f2l_error *err);
/* Counts steps of work that is about to be done, and returns whether to do it: false for ever once
 * the task said stop. NULL: always true. */
bool f2l_watch_goes_on(f2l_watch *watch, uint64_t steps);

/* Brings m into reduced row echelon form and returns its rank; after a stop m and rank are
 * anything. */
slong f2l_reduce_rows(fmpq_mat_t m, f2l_watch *watch);

/* Replaces basis, which is initialised, by one whose rows are a basis of the x with m x = 0. After
 * a stop it has no rows. */
void f2l_null_space(fmpq_mat_t basis, const fmpq_mat_t m, f2l_watch *watch);

#endif
