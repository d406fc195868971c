/* The main job as a function: automaton in, the best network that a construction gives, with its
 * verdicts, out; or, in a list, what every construction gives.
 *
 * The constructions and what each of them asks for are the table in theory/compile/compile_ways.c:
 * T3, R1, R2, K, D1, D2, T5, T4, Z, G, one row per variant. A row that applies is built, verified
 * exactly, and closed in bf16; the best is the least by (verified exactly; in bf16 at all lengths
 * exact, then verified though rounded; layers; factors per token summed over heads; total state
 * numbers; table entries), and a published construction on equal figures.
 *
 * The search (theory/compile/compile_search.c) takes first what takes least time, the rule form Z
 * among it, and cascades with tables last, the one of fewest levels first, whose families are made
 * before any table is. A row is not built
 *  - when it cannot be better than the best so far: every row knows figures that its networks do
 * not undercut;
 *  - without bounds, when its keys may have to be rounded (R1 but for dyadic keys, R2, D2, T5), or
 * it is a cascade of a permutation automaton for which something else is verified;
 *  - when its share of the counted steps (`effort`) does not suffice: three quarters of what is
 * left, and all that is left once every other row had its share. What has gates or naive keys and
 * was not asked for is considered only within bounds that nothing else VERIFIED keeps; the other
 * target classes stand for choice within bounds. Where a cascade was asked for, Z is built only if
 * that comes to nothing. Only the winner is closed in the other formats. A list (`all`) builds all
 * rows; its best is the same as without. A task that is cancelled, or whose time is over, ends the
 * search, and the best that is verified by then is the result. */
#ifndef F2L_COMPILE_H
#define F2L_COMPILE_H

#include "automata/cascade/cascade.h"
#include "automata/cascade/cascade_group.h"
#include "automata/fsa/fsa.h"
#include "models/net/net.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/d1_cert.h"
#include "theory/certify/forms/wired_cert.h"
#include "theory/certify/local/local.h"
#include "theory/construct/d1/d1.h"
#include "theory/construct/diagonal/diagonal.h"
#include "theory/construct/dihedral/dihedral.h"
#include "theory/construct/r1/r1.h"
#include "theory/construct/register/register.h"
#include "theory/construct/t3/t3.h"
#include "theory/construct/t4/t4.h"
#include "theory/construct/zeiger/zeiger.h"

#define F2L_MAX_FORMATS 16
/* Closures of one network: in the formats asked for, those of the bounds, and bf16. */
#define F2L_MAX_CLOSURES (2 * F2L_MAX_FORMATS + 1)

typedef enum f2l_compile_cascade {
    F2L_COMPILE_AUTO, /* a cascade only where T3 and K do not apply: by holonomy or the capped cover
                       */
    F2L_COMPILE_HOLONOMY,
    F2L_COMPILE_CAPPED,
    F2L_COMPILE_ZEIGER
} f2l_compile_cascade;

/* A class of models that the network must be in; another one is built only in lists and within
 * bounds. */
typedef enum f2l_compile_target {
    F2L_COMPILE_ANY,
    F2L_COMPILE_DIAGONAL, /* diagonal with entries in [-1, 1] */
    F2L_COMPILE_COMPLEX,  /* diagonal over the complex numbers */
    F2L_COMPILE_POSITIVE, /* diagonal with entries in [0, 1] */
    F2L_COMPILE_ONE       /* at most one factor for a letter in every head, and no gates */
} f2l_compile_target;

/* Upper bounds, 0: none. A network is within them when its figures are (of either kind:
 * f2l_compile_figures) and it is verified at all lengths in all those formats, in the schedule of
 * the options. */
typedef struct f2l_compile_bounds {
    size_t layers, householders, key_dim;
    const f2l_format *exact_in[F2L_MAX_FORMATS]; /* NULL-terminated unless full */
} f2l_compile_bounds;

typedef struct f2l_compile_result f2l_compile_result;
typedef struct f2l_compile_entry f2l_compile_entry;

/* Who hears of the search while it goes on. Both may be NULL, and are called by the thread that
 * searches. */
typedef struct f2l_compile_listener {
    /* *best is verified exactly, and the best so far: until the next call, or the end, it stays as
     * it is but for what the end adds (formats, others). */
    void (*found)(void *context, const f2l_compile_result *best);
    /* With `all`: a row was considered, and its entry is as in the list but for `undominated`,
     * `equal` and `best`. */
    void (*listed)(void *context, const f2l_compile_entry *entry);
    void *context;
} f2l_compile_listener;

typedef struct f2l_compile_options {
    f2l_label label;
    f2l_compile_cascade cascade;
    f2l_compile_target target;
    bool gated;      /* resets of a cascade by gate 0, delays where they take fewer factors
                        (theory/construct/t4/t4.h) */
    size_t max_sets; /* of a cascade's family; 0: the default of f2l_cascade_build */
    bool naive_keys; /* --keys naive: the textbook keys instead of the exact dyadic ones */
    const f2l_format *format[F2L_MAX_FORMATS]; /* closed in this order; NULL-terminated unless full
                                                */
    const f2l_schedule *schedule;
    bool other_schedules; /* look also whether anything rounds in the usual formats and schedules
                             (`other`) */
    size_t exact_rows, float_rows; /* limits; 0: the defaults of theory/certify/closure/closure.h */
    f2l_compile_bounds bounds;     /* the best within these */
    bool all; /* build, verify and close in all formats whatever applies, also what the best needs
                 not */
    double seconds_each; /* with `all`: a time limit for each construction; 0: none */
    /* Steps (numeric/base/task.h) of the search, and half as many for the formats of what it found;
     * with `all`: of each construction. 0: no limit. */
    uint64_t effort;
    bool renew; /* as long as nothing is VERIFIED that may be with more steps, four times as many */
    const f2l_compile_listener *listener; /* NULL: nobody */
} f2l_compile_options;

typedef struct f2l_compile_format {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_closure closure;
    size_t pairs; /* not 0: verified by a local closure of this many pairs, and the joint one was
                     not needed */
    bool by_rule; /* verified as the form of a theorem (f2l_compile_rule): nothing was closed */
    bool bounded; /* UNKNOWN, but every word of at most `horizon` letters is right
                     (theory/certify/horizon/horizon.h) */
    uint64_t horizon;
    double seconds;
} f2l_compile_format;

/* A format and schedule that no closure was made in: VERIFIED where nothing rounds and the network
 * is exactly right, else UNKNOWN (theory/pages/unrounded.md). */
typedef struct f2l_compile_other {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_status verdict;
    char reason[256]; /* UNKNOWN */
} f2l_compile_other;

#define F2L_MAX_OTHERS 16

/* The automaton that a network was built of where that is not the caller's: its quotient by the
 * labels, or the reachable part of a group form. */
typedef struct f2l_compile_quotient {
    f2l_fsa fsa;
    uint32_t *classes; /* [states of the caller's] states of `fsa`, UINT32_MAX where unreachable */
} f2l_compile_quotient;

/* What T4 and G add to a result. */
typedef struct f2l_compile_t4 {
    f2l_cascade_kind kind;
    f2l_cascade cascade; /* of the quotient, or of the caller's automaton */
    bool borrows;        /* the search may still need the cascade, which it owns */
    f2l_cascade_size size;
    bool contested; /* holonomy and the capped cover both stood for choice */
    f2l_cascade_kind other;
    f2l_cascade_size other_size; /* levels 0: there is none */
    char other_reason[256];      /* then why */
    f2l_t4_report report;
    f2l_diagonal diagonal;      /* G: how codes are read; else without levels */
    const char *diagonal_class; /* G, R8: "diagonal [-1,1]"; else NULL */
    f2l_components components;  /* empty when the time or the memory did not suffice */
    f2l_local local;            /* F2L_OK: what proves the network; else the joint closure may */
} f2l_compile_t4;

/* What Z adds to a result. */
typedef struct f2l_compile_zeiger {
    const f2l_fsa *fsa; /* whose states the network's bits are: the quotient, or the caller's
                           automaton */
    f2l_zeiger_verdict exact;
    char reason[256]; /* why there is no cascade with tables; empty when that is not known */
} f2l_compile_zeiger;

/* What D1 adds to a result. */
typedef struct f2l_compile_d1 {
    const f2l_fsa *fsa; /* whose states the network tracks: the quotient, or the caller's automaton
                         */
    f2l_d1_report report;
    f2l_d1_verdict exact;
} f2l_compile_d1;

/* A theorem that makes a network of its form right, so that nothing need be closed. */
typedef struct f2l_compile_rule {
    const char *page;           /* "theory/pages/zeiger.md" */
    const char *exact, *format; /* its statements: "Z.6", "Z.8" */
} f2l_compile_rule;

/* Figures of a network of either kind, as f2l_net_measure and f2l_wired_measure define them, but
 * the factors of Z are those of Z.7. Table entries: of all decoders, or of all tables of a wired
 * network. */
typedef struct f2l_compile_figures {
    size_t layers, heads, householders, key_dim, value_dim, states, factors_per_token,
        table_entries;
} f2l_compile_figures;

typedef enum f2l_compile_outcome {
    F2L_COMPILE_BUILT,
    F2L_COMPILE_BEATEN,       /* not built: it cannot be better than the best */
    F2L_COMPILE_OUTSIDE,      /* not built: it cannot be within the bounds */
    F2L_COMPILE_UNASKED,      /* not built: on request only, or something else was asked for */
    F2L_COMPILE_INAPPLICABLE, /* not of this automaton */
    F2L_COMPILE_STOPPED       /* not built: a limit was reached, so that it is unknown */
} f2l_compile_outcome;

typedef struct f2l_compile_entry_format {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_status verdict;
    size_t word_length; /* F2L_REFUTED: letters of a shortest failing word */
    char reason[256];   /* F2L_UNKNOWN */
    bool bounded;       /* as in f2l_compile_format */
    uint64_t horizon;
} f2l_compile_entry_format;

/* A construction that was considered. */
struct f2l_compile_entry {
    const char *theorem, *variant; /* "T3", "dyadic keys"; the variant may be empty */
    /* The option without which it is built in lists only, and within bounds that nothing else
     * keeps: "--gated"; NULL: it needs none, or has it. */
    const char *ask;
    bool gated; /* its network has gates other than 1 */
    f2l_compile_outcome outcome;
    char reason[256];            /* unless built: why not */
    f2l_compile_figures figures; /* if built; else figures that it would not undercut, where known
                                  */
    f2l_status exact;            /* if built */
    char exact_reason[256];      /* F2L_UNKNOWN */
    bool unrounded;              /* as in f2l_compile_result */
    size_t formats;
    f2l_compile_entry_format format[F2L_MAX_CLOSURES];
    bool best;        /* the result is its network */
    bool within;      /* built, and within the bounds */
    bool undominated; /* of a list: built, verified exactly, and nothing that is dominates it
                         (f2l_compile_dominates) */
    size_t equal; /* entry before it of equal figures and formats, + 1; then it is not undominated.
                     0: none */
    double seconds;
    uint64_t steps; /* of the effort */
};

/* What ended the search for something better. */
typedef enum f2l_compile_end {
    F2L_COMPILE_COMPLETE, /* nothing that could be better is left */
    F2L_COMPILE_EFFORT,   /* its steps were spent */
    F2L_COMPILE_TIME,
    F2L_COMPILE_MEMORY,
    F2L_COMPILE_INTERRUPTED
} f2l_compile_end;

typedef struct f2l_compile_search {
    f2l_compile_end end;
    uint64_t effort, steps; /* the limit, 0: none; spent on the search */
    /* The network that was verified first: its entry, when it was, and after how many steps.
     * SIZE_MAX: none was. */
    size_t first;
    double first_seconds;
    uint64_t first_steps;
} f2l_compile_search;

typedef struct f2l_compile_proof f2l_compile_proof;

struct f2l_compile_result {
    f2l_net net;         /* fsa_sha256 set; without layers when the network is wired */
    f2l_wired wired;     /* Z, D1; else without stages */
    const char *theorem; /* "T3", "K", "T4", "Z", "D1", "D2", "T5", "R1", "R2", "G"; NULL: no
                            network */
    const char *variant; /* of the entry */
    char one_layer[80];  /* why one layer suffices: "k-definite, k = 3"; empty where a cascade is
                            deeper */
    f2l_compile_quotient *quotient; /* NULL: the network was built of the caller's automaton */
    f2l_t3_report t3;               /* T3 only */
    f2l_register_report registers;  /* K only */
    f2l_compile_t4 *t4; /* T4, G only; it borrows the automaton unless there is a quotient */
    f2l_compile_zeiger *zeiger;   /* Z only; likewise */
    f2l_compile_d1 *d1;           /* D1 only; likewise */
    f2l_r1_report *r1;            /* R1, R2 only */
    f2l_dihedral_report dihedral; /* D2, T5 only; else m is 0 */
    size_t minimised_states;      /* states after minimising for outputs/accept; 0: not minimised */
    const f2l_compile_proof *proof; /* private: how it is verified */
    f2l_closure exact;              /* its table is empty when t4->local or a rule is the proof */
    bool unrounded; /* exact in bf16 at all lengths: verified there, and no weight or state is
                       rounded */
    const f2l_compile_rule *rule; /* proves it exactly; NULL: a closure does */
    size_t formats;
    f2l_compile_format format[F2L_MAX_CLOSURES];
    size_t others; /* with `other_schedules`: by schedule, then by format */
    f2l_compile_other other[F2L_MAX_OTHERS];
    double other_seconds;
    double construct_seconds, exact_seconds; /* construct: with all that was not taken in the end */
    bool all;                                /* as in the options: the entries are a list */
    size_t entries;
    f2l_compile_entry *entry; /* [entries] everything that was considered, in the order of the table
                               */
    f2l_error unmet; /* with `all`: why no network that is built here is within the bounds; F2L_OK:
                        one is */
    f2l_compile_search search;
};

void f2l_compile_result_init(f2l_compile_result *r);
void f2l_compile_result_clear(f2l_compile_result *r);

/* `fsa` is trimmed, deterministic, total, and stays as it is while the result lives. F2L_EDOMAIN
 * when no construction applies (naive keys for an automaton that is no permutation automaton), or
 * none is within the bounds: the text names the nearest; F2L_UNKNOWN when the time or the memory
 * stopped the construction, or it is not known whether one is within the bounds. The status is
 * F2L_OK when a network was built, whatever the verdicts say; with `all` also when none is within
 * the bounds and some were built: then there is no network, and `unmet` says why. */
f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa,
                       const f2l_compile_options *options, const f2l_task *task, f2l_error *err);

/* The certificate that belongs to an exact verdict F2L_OK: of what proved it. */
f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result,
                                   const f2l_fsa *fsa, const char network_sha256[65],
                                   f2l_error *err);

/* The result has a wired network. */
bool f2l_compile_is_wired(const f2l_compile_result *result);

void f2l_compile_measure(f2l_compile_figures *out, const f2l_compile_result *result);

/* Whether a, compared with b, has no more layers, Householder factors of a head, key dimension,
 * factors per token, state numbers and table entries, no gates unless b has, is verified at all
 * lengths in every format that b is, is exact in bf16 if b is, and is better in one of these. Both
 * must be built. */
bool f2l_compile_dominates(const f2l_compile_entry *a, const f2l_compile_entry *b);

#endif
