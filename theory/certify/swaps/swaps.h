/* Networks whose factors exchange points (theory/pages/swaps.md). A letter then moves the numbers
 * of a state as a permutation of its rows, which is found in linear time, so that a network of T3
 * of 100,000 states is closed by moving its codes, where applying all factors to each code takes
 * the product of their numbers. Nothing is taken from the construction. */
#ifndef F2L_SWAPS_H
#define F2L_SWAPS_H

#include "theory/certify/closure/closure.h"

/* The statements on exact arithmetic and on formats. */
#define F2L_SWAPS_EXACT "theory/pages/swaps.md, SW.3"
#define F2L_SWAPS_FORMAT "theory/pages/swaps.md, SW.4"

/* Returns whether the network has one layer with one head, and the number of its codes times the
 * number of its factors is above a bound: smaller networks are closed by applying all factors, and
 * have a certificate of claim exact. */
bool f2l_swaps_pays(const f2l_net *net);

/* Closes a network of the form SW.1 in exact arithmetic. Arguments, statuses and the table are as
 * in f2l_closure_exact; out->swaps is set where the verdict is F2L_OK. The verdict is UNKNOWN, with
 * the reason, where the network has another form. */
f2l_status f2l_swaps_close(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                           size_t max_rows, const f2l_task *task, f2l_error *err);

/* Closes as f2l_swaps_close does where that pays and gives a verdict, else as f2l_closure_exact
 * does. */
f2l_status f2l_swaps_exact(f2l_closure *out, const f2l_net *net, const f2l_fsa *fsa,
                           size_t max_rows, const f2l_task *task, f2l_error *err);

typedef struct f2l_swaps_verdict {
    f2l_status verdict; /* F2L_OK: in the format and schedule the run on every word is, number for
                           number, the exact run, if that is on codes; F2L_UNKNOWN */
    char reason[256];   /* why F2L_UNKNOWN */
} f2l_swaps_verdict;

/* Decides SW.4 for a valid network, a format and a schedule. Returns F2L_OK whenever there is a
 * verdict, also where the schedule is not for the format. */
f2l_status f2l_swaps_float(f2l_swaps_verdict *out, const f2l_net *net, const f2l_format *format,
                           const f2l_schedule *schedule, const f2l_task *task, f2l_error *err);

#endif
