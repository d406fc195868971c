/* What the compiler is asked for and what it returns: options, networks with their verdicts, and
 * the list of constructions that were considered. */
#ifndef F2L_CONSTRUCT_RESULT_H
#define F2L_CONSTRUCT_RESULT_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/form.h"

#define F2L_MAX_FORMATS 16
/* The most closures of one network: in the formats asked for, in the formats of the bounds, and in
 * bf16. */
#define F2L_MAX_CLOSURES (2 * F2L_MAX_FORMATS + 1)

typedef enum f2l_compile_cascade {
    F2L_COMPILE_AUTO, /* every row competes but Zeiger's cover */
    F2L_COMPILE_HOLONOMY,
    F2L_COMPILE_CAPPED,
    F2L_COMPILE_ZEIGER
} f2l_compile_cascade;

/* A class of models that the network must be in. Networks of other classes are built only in lists
 * and within bounds. */
typedef enum f2l_compile_target {
    F2L_COMPILE_ANY,
    F2L_COMPILE_DIAGONAL, /* diagonal with entries in [-1, 1] */
    F2L_COMPILE_COMPLEX,  /* diagonal over the complex numbers */
    F2L_COMPILE_POSITIVE, /* diagonal with entries in [0, 1] */
    F2L_COMPILE_ONE       /* at most one factor for a letter in every head, and no gates */
} f2l_compile_target;

/* Upper bounds; 0: none. A network is within them when its figures are (as f2l_compile_figures
 * counts them) and it is verified at all lengths in all formats of exact_in, in the schedule of the
 * options. */
typedef struct f2l_compile_bounds {
    size_t layers, householders, key_dim;
    const f2l_format *exact_in[F2L_MAX_FORMATS]; /* NULL-terminated unless full */
} f2l_compile_bounds;

typedef struct f2l_construction f2l_construction;
typedef struct f2l_variant f2l_variant;
typedef struct f2l_compile_result f2l_compile_result;
typedef struct f2l_compile_entry f2l_compile_entry;

/* Functions that are called while the search runs, by the thread that searches. Both may be
 * NULL. */
typedef struct f2l_compile_listener {
    /* Reports that *best is verified exactly and is the best so far. *best stays unchanged until
     * the next call or the end; the end adds `formats` and `others`. */
    void (*found)(void *context, const f2l_compile_result *best);
    /* With `all`: reports that a row was considered. Its entry is final except for `undominated`,
     * `equal` and `best`. */
    void (*listed)(void *context, const f2l_compile_entry *entry);
    void *context;
} f2l_compile_listener;

typedef struct f2l_compile_options {
    f2l_label label;
    f2l_compile_cascade cascade;
    f2l_compile_target target;
    bool gated;      /* resets of a cascade by gate 0, and delays if they take fewer factors
                        (theory/construct/t4/t4.h) */
    size_t max_sets; /* limit on a cascade's family; 0: the default of f2l_cascade_build */
    bool naive_keys; /* --keys naive: the textbook keys instead of the exact dyadic ones */
    const f2l_format *format[F2L_MAX_FORMATS]; /* formats to close in, in this order;
                                                  NULL-terminated unless full */
    const f2l_schedule *schedule;
    bool other_schedules; /* also decide whether anything rounds in the usual formats and schedules
                             (`other`) */
    size_t exact_rows, float_rows; /* limits; 0: the defaults of theory/certify/closure/closure.h */
    f2l_compile_bounds bounds;     /* the network must be within these */
    bool no_slow; /* leave out rows whose search takes much time and serves to find fewer layers */
    bool merge_letters; /* the network reads letters that act alike as one; not in group forms */
    bool all; /* build, verify and close in all formats every row that applies, even if it cannot
                 win */
    bool figures; /* with `all`: only build rows that may have the fewest layers of some class
                     (theory/compile/fewest.h), and verify in no format */
    /* Keeps the small first layers of LL.2, which do not depend on the automaton, for other calls,
     * one after the other (theory/construct/stack/devices.h). NULL: nothing is kept. */
    struct f2l_stack_lists *first_layers;
    size_t least_layers;  /* no network with finitely many states has fewer; 0: not known */
    size_t margin_layers; /* no network has fewer; 0: not known */
    size_t enough_layers; /* fewer layers than these are of no use; 0: they are */
    double seconds_each;  /* with `all`: a time limit for each construction; 0: none */
    /* Limit on the steps (numeric/base/task.h) of the search; the formats of its result get half as
     * many. With `all`: the limit for each construction. 0: no limit. */
    uint64_t effort;
    bool renew; /* four times as many steps again while nothing is VERIFIED that more steps may
                   verify */
    const f2l_compile_listener *listener; /* borrowed; NULL: none */
} f2l_compile_options;

typedef struct f2l_compile_format {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_closure closure;
    size_t pairs; /* pairs of the local closure that verified it, so that no joint closure was
                     needed; 0: none */
    bool by_rule; /* verified by the form of a theorem (f2l_compile_statement), without a closure */
    bool bounded; /* UNKNOWN, but right for every word of at most `horizon` letters
                     (theory/certify/horizon/horizon.h) */
    uint64_t horizon;
    double seconds;
} f2l_compile_format;

/* The verdict in a format and schedule without a closure: VERIFIED if nothing rounds and the
 * network is exactly right, else UNKNOWN (theory/pages/unrounded.md). */
typedef struct f2l_compile_other {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_status verdict;
    const char *statement; /* the form that shows it, as f2l_compile_statement names it; NULL: an
                              analysis of all steps does (theory/pages/unrounded.md) */
    char reason[256];      /* why UNKNOWN */
} f2l_compile_other;

#define F2L_MAX_OTHERS 16
#define F2L_COMPILE_ENGINES 1024

/* The automaton that a network was built from, if it is not the caller's: the caller's quotient by
 * the labels, or the reachable part of a group form. Owns its members. */
typedef struct f2l_compile_quotient {
    f2l_fsa fsa;
    uint32_t *classes; /* [states of the caller's automaton] state of `fsa`; UINT32_MAX where
                          unreachable */
    f2l_fsa moore; /* with F2L_LABEL_EDGES the Moore machine of `fsa` (automata/algebra/moore.h),
                      else empty */
    char no_moore[256]; /* why a limit left it empty there; else empty */
} f2l_compile_quotient;

/* The caller's automaton with every class of letters that act alike merged into its first letter.
 */
typedef struct f2l_compile_letters {
    f2l_fsa fsa;
    f2l_letter_classes classes; /* of the caller's letters */
} f2l_compile_letters;

/* Figures of a network, as f2l_net_measure defines them; the factors of Z are counted as in Z.7;
 * `parameters` is 0 where a lower bound has none. */
typedef struct f2l_compile_figures {
    size_t layers, heads, householders, key_dim, value_dim, states, factors_per_token,
        table_entries, codes, parameters;
} f2l_compile_figures;

typedef enum f2l_compile_outcome {
    F2L_COMPILE_BUILT,
    F2L_COMPILE_BEATEN,  /* not built: it cannot be better than the best */
    F2L_COMPILE_OUTSIDE, /* not built: it cannot be within the bounds */
    F2L_COMPILE_UNASKED, /* not built: only on request, or the options ask for something else */
    F2L_COMPILE_INAPPLICABLE, /* does not apply to this automaton */
    F2L_COMPILE_STOPPED       /* not built: a limit was reached, so the outcome is unknown */
} f2l_compile_outcome;

typedef struct f2l_compile_entry_format {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_status verdict;
    size_t word_length; /* F2L_REFUTED: number of letters of a shortest failing word */
    char reason[256];   /* F2L_UNKNOWN: why */
    bool bounded;       /* as in f2l_compile_format */
    uint64_t horizon;
} f2l_compile_entry_format;

/* Whether words lead a network to finitely many exact states. */
typedef enum f2l_compile_states {
    F2L_COMPILE_STATES_UNKNOWN,
    F2L_COMPILE_STATES_FINITE,
    F2L_COMPILE_STATES_INFINITE
} f2l_compile_states;

/* A construction that was considered. All pointers are borrowed. */
struct f2l_compile_entry {
    const char *theorem, *variant; /* "T3", "dyadic keys"; the variant may be empty */
    const f2l_variant *row;
    /* The option without which the row is built only in lists and within bounds that nothing else
     * keeps: "--gated". NULL: the row needs no option, or its option is set. */
    const char *ask;
    bool gated; /* its network has gates other than 1 */
    f2l_compile_outcome outcome;
    char reason[256];            /* unless built: why not */
    f2l_compile_figures figures; /* if built; otherwise lower bounds where known */
    f2l_status exact;            /* if built */
    char exact_reason[256];      /* F2L_UNKNOWN: why */
    f2l_compile_states states; /* if built: words lead to finitely many exact states; by R8 and M.2
                           not where codes are for wide boxes of states */
    bool unrounded;            /* as in f2l_compile_result */
    size_t formats;
    f2l_compile_entry_format format[F2L_MAX_CLOSURES];
    bool best;        /* the result holds this network */
    bool within;      /* built, and within the bounds */
    bool undominated; /* of a list: built, verified exactly, and not dominated by such an entry
                         (f2l_compile_dominates) */
    size_t equal; /* 1 + number of an earlier entry with equal figures and formats (this one is then
                     not `undominated`); 0: none */
    double seconds;
    uint64_t steps; /* steps of the effort that the row took */
};

/* Why the search ended. */
typedef enum f2l_compile_end {
    F2L_COMPILE_COMPLETE, /* no row is left that could be better */
    F2L_COMPILE_EFFORT,   /* its steps were used up */
    F2L_COMPILE_TIME,
    F2L_COMPILE_MEMORY,
    F2L_COMPILE_INTERRUPTED
} f2l_compile_end;

typedef struct f2l_compile_search {
    f2l_compile_end end;
    uint64_t effort, steps; /* limit on the steps, 0: none; steps that the search took */
    /* The network that was verified first: its entry (SIZE_MAX: none was), when that was, and after
     * how many steps. */
    size_t first;
    double first_seconds;
    uint64_t first_steps;
} f2l_compile_search;

struct f2l_compile_result {
    f2l_net net;         /* with fsa_sha256 */
    const char *theorem; /* of the entry: "T3"; NULL: no network */
    const char *variant; /* of the entry */
    char one_layer[80];  /* why one layer suffices: "k-definite, k = 3"; empty where a cascade is
                            deeper */
    f2l_compile_quotient *quotient; /* owned; NULL: the network was built from the caller's
                                       automaton */
    /* Owned; the network, its proofs and witnesses have the letters of letters->fsa, and
     * f2l_compile_model gives it the caller's. NULL: they have the caller's letters. */
    f2l_compile_letters *letters;
    const f2l_fsa *subject;     /* automaton whose states the network tracks, where the proof needs
                                   it: the quotient or the caller's; borrowed */
    const f2l_construction *by; /* NULL: no network */
    void *detail;               /* what `by` keeps of it; owned: by->clear clears what it owns */
    size_t minimised_states;    /* states after minimising for outputs/accept; 0: not minimised */
    f2l_closure exact;          /* without a table when a local closure or a form is the proof */
    size_t pairs;   /* pairs of the local closure that proves it exactly; 0: none does */
    bool unrounded; /* exact in bf16 at all lengths: verified there without rounding a weight or a
                       state */
    const f2l_form *rule;    /* proves the network exactly; borrowed; NULL: a closure does */
    f2l_form_verdict formed; /* exact verdict on the form, where `by` has one */
    size_t formats;
    f2l_compile_format format[F2L_MAX_CLOSURES];
    size_t others; /* with `other_schedules`: by schedule, then by format */
    f2l_compile_other other[F2L_MAX_OTHERS];
    char engines[F2L_COMPILE_ENGINES]; /* with `other_schedules`: presets of serving engines in
                                          which nothing rounds (theory/compile/engines_held.h) */
    double other_seconds;
    double construct_seconds, exact_seconds; /* construct: including rows that did not win */
    bool all;                                /* as in the options: `entry` is a list */
    size_t entries;
    f2l_compile_entry *entry; /* [entries] owned; every row considered, in table order */
    /* with `all`: why no network is within the bounds; F2L_OK: one is */
    f2l_error unmet;
    f2l_compile_search search;
};

void f2l_compile_result_init(f2l_compile_result *r);
void f2l_compile_result_clear(f2l_compile_result *r);
/* Free their argument, which may be NULL. */
void f2l_compile_quotient_free(f2l_compile_quotient *quotient);
void f2l_compile_letters_free(f2l_compile_letters *letters);

/* Returns the classes of the quotient that the network was built from; NULL: there is none. */
const uint32_t *f2l_compile_classes(const f2l_compile_result *result);

/* Returns the statement on the form by which the network is proved, exactly or in formats; NULL: it
 * is proved without a form. */
const char *f2l_compile_statement(const f2l_compile_result *result, bool in_formats);

/* Returns the detail if the construction `by` made the network, else NULL. */
void *f2l_compile_detail(const f2l_compile_result *result, const f2l_construction *by);

void f2l_compile_measure(f2l_compile_figures *out, const f2l_compile_result *result);

/* Returns the most factors that a head of layer `layer` (from 1) takes for a token, by the
 * construction, which must know them (f2l_construction.factors). */
size_t f2l_compile_householders(const f2l_compile_result *result, size_t layer);

/* Returns whether there is a bound. */
bool f2l_compile_has_bounds(const f2l_compile_bounds *bounds);

#endif
