/* Private to the search for networks with positive eigenvalues that compute parity. */
#ifndef F2L_THEORY_OBSTRUCT_PARITY_IMPL_H
#define F2L_THEORY_OBSTRUCT_PARITY_IMPL_H

#include "theory/obstruct/parity/psd_parity.h"

/* A search that is running. Borrows what it points to. */
typedef struct f2l_psd_run {
    f2l_psd_result *out;
    const f2l_format *format;
    const f2l_schedule *schedule;
    const f2l_psd_options *options;
    const f2l_task *task;
    f2l_error *err;
} f2l_psd_run;

/* Returns the length of the odd part of |x|'s significand; 0 for 0. */
unsigned f2l_psd_odd_bits(double x);
/* Returns whether beta u^T u <= 1, exactly. */
bool f2l_psd_in_class(const f2l_psd_weights *weights);
/* Takes weights with an orbit if they are smaller than the present ones, and verifies what it
 * takes. */
f2l_status f2l_psd_take(f2l_psd_run *run, const f2l_psd_weights *weights);
/* Counts one more choice of weights, and polls the task now and then. */
f2l_status f2l_psd_count(f2l_psd_run *run);

/* Searches n = 1: all weights of a small format, or weights of few bits. */
f2l_status f2l_psd_search_scalar(f2l_psd_run *run);
/* Searches n > 1: random weights near values that a rounding could change. */
f2l_status f2l_psd_search_random(f2l_psd_run *run);
/* Tries for acc32 with n = 1 or 3 the construction of theory/pages/parity.md, P7, if it fits into
 * the format. */
f2l_status f2l_psd_try_staircase(f2l_psd_run *run);
/* Searches acc32 with n = 1: all beta u^2 so near to 1 that S - beta u^2 S is about half a unit of
 * S. */
f2l_status f2l_psd_search_edge(f2l_psd_run *run);

#endif
