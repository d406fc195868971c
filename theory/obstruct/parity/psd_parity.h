/* Parity with positive eigenvalues, by rounding (theory/pages/parity.md).
 *
 * The networks of the search have one raw head of value dimension 1. Letter 0 does nothing. Letter
 * 1 has one factor without a value and a bias,
 *
 *  S <- S - beta u (u^T S) + b, 0 < beta, beta u^T u <= 1,
 *
 * so that I - beta u u^T has the eigenvalues 1 and 1 - beta u^T u >= 0, and exact arithmetic cannot
 * count modulo 2 with it (theory/pages/parity.md, P1). In a number format the orbit of H_0 under
 * letter 1 is eventually periodic, and the network computes parity of every word if and only if its
 * period is even (P2): the states of the orbit are then the codes. */
#ifndef F2L_PSD_PARITY_H
#define F2L_PSD_PARITY_H

#include "models/network/net/net.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/task.h"
#include "theory/certify/closure/closure.h"

#define F2L_PSD_KEY 3    /* largest key dimension */
#define F2L_PSD_ORBIT 32 /* most states of an orbit that is kept */

typedef struct f2l_psd_weights {
    size_t n; /* key dimension; 0: no weights */
    double beta, u[F2L_PSD_KEY], bias[F2L_PSD_KEY];
    /* The orbit of letter 1 from H_0 = state[0]; state[tail] follows the last state. */
    size_t states, tail;
    double state[F2L_PSD_ORBIT][F2L_PSD_KEY];
    unsigned bits;  /* significant bits of beta, u and the bias: lengths of their odd parts; 0 for
                       the number 0 */
    bool subnormal; /* a number that the step computes along the orbit is subnormal, or a product
                       vanishes */
} f2l_psd_weights;

typedef enum f2l_psd_verdict {
    F2L_PSD_FOUND,
    F2L_PSD_NONE_FOUND, /* not found; nothing is claimed about what was not searched */
    F2L_PSD_NONE_EXISTS /* `why` names the statement of theory/pages/parity.md that proves it, or
                           tells that all weights were tried */
} f2l_psd_verdict;

/* The result for one key dimension. */
typedef struct f2l_psd_result {
    size_t n;
    f2l_psd_verdict verdict;
    /* network with the fewest bits, then states; the first found */
    f2l_psd_weights fewest;
    f2l_psd_weights normal; /* the same among networks without subnormal numbers; n 0: none found */
    char why[96];           /* how it was found, or what excludes one */
    /* searched ranges in words; "" if a theorem made a search unnecessary */
    char searched[320];
    bool exhaustive;  /* all weights and states of the format, up to signs */
    uint64_t weights; /* number of choices of beta, u and b that were tried */
} f2l_psd_result;

typedef struct f2l_psd_options {
    unsigned bits;   /* n = 1 in formats of more than 8 bits: the most bits of the weights together;
                        0: 9 */
    uint64_t random; /* n > 1: number of random weights; 0: 1,000,000 */
    uint64_t seed;
    bool try_anyway; /* search even if a theorem excludes every network */
} f2l_psd_options;

/* Returns true for the formats that are searched completely (256 values or fewer). */
bool f2l_psd_is_small(const f2l_format *format);

/* Searches for the smallest network of key dimension n, 1 <= n <= F2L_PSD_KEY, in a format with a
 * precision of at most 24 that rounds to nearest, and any schedule of f2l_schedules except chunk64
 * (F2L_EDOMAIN otherwise). The steps are computed here; networks found are verified by closure with
 * the library's own step, and F2L_EDOMAIN is also returned if the two disagree. Returns F2L_UNKNOWN
 * when the task stops the search: *out is then the result so far, as NONE_FOUND or FOUND. */
f2l_status f2l_psd_search(f2l_psd_result *out, const f2l_format *format,
                          const f2l_schedule *schedule, size_t n, const f2l_psd_options *options,
                          const f2l_task *task, f2l_error *err);

/* Does one step of letter 1 in the search's own arithmetic; returns false when a number is not
 * finite. *subnormal (NULL allowed) is set, never cleared. */
bool f2l_psd_step(double *state, const f2l_psd_weights *weights, const f2l_format *format,
                  const f2l_schedule *schedule, bool *subnormal);

/* Sets weights->state to the orbit of letter 1 from `start`; returns whether it has at most
 * F2L_PSD_ORBIT states and an even period. */
bool f2l_psd_orbit(f2l_psd_weights *weights, const double *start, const f2l_format *format,
                   const f2l_schedule *schedule);

unsigned f2l_psd_bits(const f2l_psd_weights *weights);

/* Sets out (initialised) to the automaton of parity over the letters 0 and 1, with states even and
 * odd. */
f2l_status f2l_psd_automaton(f2l_fsa *out, f2l_error *err);
/* Sets out (initialised) to the network of weights with an orbit, for this automaton, with the
 * states as labels. */
f2l_status f2l_psd_network(f2l_net *out, const f2l_psd_weights *weights, f2l_error *err);

#endif
