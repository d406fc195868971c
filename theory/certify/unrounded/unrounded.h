/* An analysis that proves that nothing rounds: that a network, computed in a format by a schedule,
 * gives on every word exactly the numbers of exact arithmetic. Everything proved of the exact
 * network (closure, cascade, rule form, D1) then holds in that format and schedule too
 * (theory/pages/unrounded.md).
 *
 * For schedules with single steps: every weight and initial state is a value of the format, and for
 * every layer, every code and every letter of the layer, each intermediate result of the step from
 * that code, in the order of the schedule, is a value of the format that it is rounded into. In a
 * network that is exactly right, states that words lead to have codes, so this covers them (and
 * perhaps more: a step that fails here may still be exact on the states that are reached).
 *
 * For chunk64: bounds. Every intermediate, partial sums in any order included, is a multiple of
 * 2^-s and at most B in absolute value, with s and B from finite sets of vectors closed under the
 * letters (U7 to U10 in theory/pages/unrounded.md); it is exact if B 2^s <= 2^p and the format's
 * exponents suffice. */
#ifndef F2L_UNROUNDED_H
#define F2L_UNROUNDED_H

#include "models/network/schedule/schedule.h"
#include "models/network/wired/network_text.h"
#include "numeric/base/task.h"

/* A bound on one kind of intermediate: multiples of 2^-places (places may be negative), at most
 * `most` in absolute value. */
typedef struct f2l_unrounded_bound {
    const char *what; /* a WHAT of U9: "w", "inverse", .. */
    size_t layer, head;
    int places;
    mpq_t most;
    const char *format; /* name of the format that it is stored or summed in; borrowed */
} f2l_unrounded_bound;

/* Vectors of one head, closed under its letters, for the certificate (U7): columns of states by
 * value column, then images of keys, then back images. */
#define F2L_UNROUNDED_IMAGE (UINT32_MAX - 1)
#define F2L_UNROUNDED_BACK UINT32_MAX
typedef struct f2l_unrounded_set {
    size_t layer, head, count;
    f2l_qvec *vector; /* [count] */
    uint32_t *column; /* [count] the value column whose writes apply, or F2L_UNROUNDED_IMAGE,
                         F2L_UNROUNDED_BACK */
} f2l_unrounded_set;

typedef struct f2l_unrounded {
    f2l_status verdict; /* F2L_OK: nothing rounds. F2L_UNKNOWN: something rounds, or may: see
                           `reason` */
    char reason[256];   /* which weight or operation, and where: "layer 1, head 1, letter (1 2): key
                           coordinate .." */
    size_t bounds;      /* chunk64 only */
    f2l_unrounded_bound *bound;
    size_t sets; /* chunk64 only */
    f2l_unrounded_set *set;
} f2l_unrounded;

void f2l_unrounded_init(f2l_unrounded *u);
void f2l_unrounded_clear(f2l_unrounded *u);

/* Sets *steps to the number of factors that are stepped when an ordinary network is analysed: for
 * every code, the factors of the letters that differ (models/network/net/same_letters.h). For
 * chunk64 this is only a lower bound. */
f2l_status f2l_unrounded_steps(uint64_t *steps, const f2l_net *net, f2l_error *err);

/* Analyses ordinary and wired networks; of a wired network the sets and bounds of chunk64 are not
 * kept. With stochastic rounding a number that needs no rounding has one outcome, so the verdict
 * is the verdict of rounding to nearest. Returns F2L_OK when there is a verdict. */
f2l_status f2l_unrounded_find(f2l_unrounded *out, const f2l_net *model, const f2l_format *format,
                              const f2l_schedule *schedule, const f2l_task *task, f2l_error *err);

/* What the analyses of one network in several schedules share. The network stays as it is until
 * this is cleared. */
typedef struct f2l_unrounded_shared f2l_unrounded_shared;
/* Returns NULL where memory is out: then nothing is shared. */
f2l_unrounded_shared *f2l_unrounded_share(const f2l_net *net);
void f2l_unrounded_shared_clear(f2l_unrounded_shared *shared); /* NULL, too */
/* The same as f2l_unrounded_find. `shared` may be NULL. */
f2l_status f2l_unrounded_find_shared(f2l_unrounded *out, const f2l_net *model,
                                     f2l_unrounded_shared *shared, const f2l_format *format,
                                     const f2l_schedule *schedule, const f2l_task *task,
                                     f2l_error *err);

/* Returns whether the network is analysed in the schedule; where it is not, nothing is proved. */
bool f2l_unrounded_treats(const f2l_net *net, const f2l_schedule *schedule);

/* Adds the lines of this claim to the text of an exact certificate (any of the claims exact,
 * cascade, zeiger, d1), and seals it again. `u` must be F2L_OK. A certificate that already claims
 * this format and schedule stays unchanged. Returns F2L_EFORMAT when `bytes` is not a certificate
 * with a right seal. */
f2l_status f2l_unrounded_write(f2l_buf *out, const char *bytes, size_t size, const f2l_unrounded *u,
                               const f2l_format *format, const f2l_schedule *schedule,
                               f2l_error *err);

#endif
