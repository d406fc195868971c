/* The verdict of a network in one number format and one operation schedule, and how it was found.
 *
 * In this order: (1) where nothing rounds (theory/certify/unrounded/unrounded.h) a network that is
 * exactly right is right, for all lengths; (2) for a schedule with single steps, the outline of a
 * certificate (theory/certify/round/outline.h) where there is one, and then closure of joint states
 * (theory/certify/closure/closure.h); (3) otherwise a bound on the horizon
 * (theory/certify/horizon/horizon.h) and runs on long words (theory/certify/round/observe.h): a
 * wrong label there refutes; without one the verdict is UNKNOWN. */
#ifndef F2L_ROUND_H
#define F2L_ROUND_H

#include "theory/certify/boxes/boxes.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/horizon/horizon.h"
#include "theory/certify/round/observe.h"
#include "theory/certify/round/outline.h"
#include "theory/certify/unrounded/unrounded.h"

typedef enum f2l_round_how {
    F2L_ROUND_BY_NOTHING,   /* UNKNOWN, or the schedule is not for this format: see `reason` */
    F2L_ROUND_BY_EXACT,     /* VERIFIED: exactly, and nothing rounds */
    F2L_ROUND_BY_CLOSURE,   /* a search breadth-first: a refuting word is a shortest one */
    F2L_ROUND_BY_LEVELS,    /* VERIFIED: closed level by level, with a certificate's outline */
    F2L_ROUND_BY_FORM,      /* VERIFIED: the form of a theorem, with a certificate's outline */
    F2L_ROUND_BY_OBSERVING, /* REFUTED by a long word: observed[kind].failed letters */
    F2L_ROUND_BY_POWERS     /* REFUTED by a word that was found modulo powers of two, of
                               closure.word_length letters, which need not be a shortest one */
} f2l_round_how;

/* The result in exact arithmetic, which comes first and serves all formats. */
typedef struct f2l_round_exact {
    f2l_closure closure; /* the verdict, however it was found; with a table only where it closed */
    f2l_round_how how;   /* F2L_ROUND_BY_CLOSURE if a closure was made, _LEVELS or _FORM where
                            `outline` proved it */
    const f2l_outline *outline; /* the caller's; borrowed; NULL: none */
    bool unequal;    /* words lead to states that equal no codes: no proof holds that needs codes */
    f2l_boxes boxes; /* with layers where the closure is one over boxes, which the model lacks */
    bool psd; /* every transition has at most one factor and no eigenvalue below 0: no such network
                 computes parity exactly (theory/pages/obstruct.md, T1); where one does in a format,
                 its rounding does it (P10) */
    double least; /* if psd: the least eigenvalue of a factor, as a double */
} f2l_round_exact;

void f2l_round_exact_init(f2l_round_exact *e);
void f2l_round_exact_clear(f2l_round_exact *e);
/* Sets *out. Returns F2L_OK also where a limit or the task stopped the proof: the verdict is then
 * F2L_UNKNOWN. `outline`, of the same network and automaton, may be NULL; it is not proved again
 * where it was. max_rows of joint states;
 * 0: 1,000,000, or the outline's number if that is larger. */
f2l_status f2l_round_exactly(f2l_round_exact *out, const f2l_net *model, const f2l_fsa *fsa,
                             f2l_outline *outline, size_t max_rows, const f2l_task *task,
                             f2l_error *err);

/* Writes the certificate of an exact verdict F2L_OK, of the kind that fits how it was found. */
f2l_status f2l_round_certificate(f2l_buf *out, const f2l_round_exact *exact, const f2l_net *model,
                                 const char network_sha256[65], f2l_error *err);

typedef struct f2l_rounded {
    const f2l_format *format; /* the caller's; borrowed */
    const f2l_schedule *schedule;
    f2l_status verdict;
    f2l_round_how how;
    char reason[256]; /* UNKNOWN: which limit was reached or what is missing */
    f2l_unrounded unrounded;
    f2l_closure closure;
    f2l_outlined outlined; /* F2L_ROUND_BY_LEVELS, F2L_ROUND_BY_FORM */
    f2l_closure listed;    /* of these, with closure.keep: joint states for a certificate, at most
                              100,000, or why there are none */
    bool bounded;          /* there is a horizon; only if one was asked for */
    f2l_horizon horizon;
    size_t bounds;
    f2l_horizon_point *bound; /* [bounds] */
    bool watched;             /* long words were run */
    f2l_observed observed[F2L_WORDS_KINDS];
    size_t errors[F2L_WORDS_KINDS];
    f2l_observed_point *error[F2L_WORDS_KINDS]; /* [errors] */
    double seconds;
} f2l_rounded;

typedef struct f2l_round_options {
    f2l_closure_float_options closure;
    uint64_t horizon;            /* cap in letters; 0: 10^12 */
    bool no_horizon;             /* do not search for a horizon */
    f2l_observe_options observe; /* without a chosen kind nothing is run */
} f2l_round_options;

void f2l_rounded_init(f2l_rounded *r);
void f2l_rounded_clear(f2l_rounded *r);

/* Sets *out. `exact` must be of the same network and automaton. Returns F2L_OK whenever there is a
 * verdict, also where a limit or the task left it open. */
f2l_status f2l_round(f2l_rounded *out, const f2l_net *model, const f2l_fsa *fsa,
                     const f2l_round_exact *exact, const f2l_format *format,
                     const f2l_schedule *schedule, const f2l_round_options *options,
                     const f2l_task *task, f2l_error *err);

/* Appends the certificate of a VERIFIED verdict, where `exactly` is the certificate of the exact
 * one (f2l_round_certificate), needed where nothing rounds; a closure has one if its table was
 * kept, and a proof by levels or a form if its joint states were. F2L_EDOMAIN where lrnn-check has
 * no claim for this proof. */
f2l_status f2l_rounded_certificate(f2l_buf *out, const f2l_rounded *r, const f2l_net *model,
                                   const f2l_buf *exactly, const char network_sha256[65],
                                   f2l_error *err);

/* Frees the tables that only the certificate needs. */
void f2l_rounded_forget(f2l_rounded *r);

/* Returns true if every word is right; otherwise every word of at most *letters letters is right:
 * from a bound, or because the search found a shortest wrong word, which is longer. */
bool f2l_rounded_right_up_to(uint64_t *letters, const f2l_rounded *r);

#endif
