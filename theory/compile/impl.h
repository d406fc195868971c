/* The parts of f2l_compile: the job, the table of constructions, and what each of them does. */
#ifndef F2L_THEORY_COMPILE_IMPL_H
#define F2L_THEORY_COMPILE_IMPL_H

#include "theory/compile/compile.h"

typedef struct f2l_compile_way f2l_compile_way;

/* A cascade, which the rows that lower it with and without gates share. */
typedef struct f2l_compile_cover {
    bool tried, tables; /* there is a family, of which the levels are known; and the tables */
    f2l_status status;  /* of the attempt */
    f2l_error why;
    f2l_cascade cascade;
    f2l_cascade_size size; /* without tables the levels only */
} f2l_compile_cover;

typedef enum f2l_compile_row_state {
    F2L_COMPILE_ROW_NEW,
    F2L_COMPILE_ROW_OPEN,  /* all but its tables and its network is there, and it may be the best */
    F2L_COMPILE_ROW_DONE,  /* its entry says what came of it */
    F2L_COMPILE_ROW_SHORT, /* its share of the steps did not suffice, or there was none */
    F2L_COMPILE_ROW_GIVEN_UP /* nor did all that was left */
} f2l_compile_row_state;

typedef struct f2l_compile_job {
    const f2l_fsa *fsa; /* what is certified */
    const f2l_compile_options *options;
    const f2l_task *task;
    const f2l_compile_way *way; /* the row under consideration; NULL: none */
    char fsa_sha256[65];
    /* Where the labels or a cascade ask for it; the job's until the work is done, then the
     * result's. */
    f2l_compile_quotient *quotient;
    const f2l_fsa *subject; /* what is built, but for cascades: fsa or its quotient by the labels */
    size_t states;          /* of the subject, reached from its start */
    bool unasked; /* what has to be asked for is built, too: in lists, and within bounds where
                     nothing else is */
    bool strict;  /* rows beyond the bounds are left out */
    bool retry;   /* rows get all steps that are left */
    bool nearest; /* nothing is within the bounds: what is built is to be named only */
    bool permutes, flat;      /* every letter permutes them; or permutes or resets */
    size_t state_reflections; /* flat: most of n - #cycles over the letters that permute */
    char merges[256];         /* unless permutes: the letter and the states */
    size_t minimised_states;  /* as in f2l_compile_result */
    bool has_set;
    f2l_gset set; /* the smallest representation, once a row needed it */
    size_t set_reflections;
    bool has_definite;
    f2l_definite definite;
    f2l_compile_cover cover[3];
    bool has_r1_least, r1_tried;
    f2l_compile_figures r1_least, r1_least_signed; /* by the orders of the letters: any orthogonal
                                                      ones; signed ones */
    f2l_status r1_status; /* of the attempt to analyse the transition group */
    f2l_error r1_why;
    f2l_r1 r1;
    char refusal[256]; /* why the first cascade that was not built was not; empty: none failed */
    f2l_compile_result *best;     /* the caller's; without a theorem while there is none */
    f2l_compile_entry *entry;     /* one per row */
    f2l_compile_row_state *state; /* likewise */
    uint64_t *given;              /* likewise: the largest share that it had */
    f2l_compile_search search;
    double start;
} f2l_compile_job;

/* How a network is verified. */
struct f2l_compile_proof {
    f2l_status (*exact)(f2l_compile_result *c, const f2l_compile_job *job, f2l_error *err);
    f2l_status (*format)(f2l_compile_format *out, const f2l_compile_result *c,
                         const f2l_compile_job *job, f2l_error *err);
    f2l_status (*certificate)(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                              const char network_sha256[65], f2l_error *err);
};

/* A row of the table: one way to build a network. */
struct f2l_compile_way {
    const char *theorem, *variant;
    size_t number;               /* what the functions make of it: a key system, factors */
    f2l_compile_cascade cascade; /* T4: which one */
    f2l_compile_target target;   /* G: built for this target, and in lists */
    bool rule;                   /* cascades of all kinds end in it when there is no table */
    bool gated, naive;           /* with options of these names, and in lists */
    bool rounds;    /* only within bounds, in lists: a format is expected to round it */
    bool published; /* preferred on equal figures */
    /* F2L_EDOMAIN: it is not for this automaton, and the text says why; F2L_UNKNOWN: not known for
     * a limit. Takes little time. */
    f2l_status (*applies)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* Figures that its networks do not undercut, each for itself, as far as is known; *out is all
     * zero. */
    void (*least)(f2l_compile_figures *out, const f2l_compile_job *job, const f2l_compile_way *way);
    /* What takes time, and may raise `least` or give the statuses of `applies`. NULL: nothing. */
    f2l_status (*prepare)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* What takes so much more that of all rows which have it the one that promises most comes
     * first. NULL: nothing. */
    f2l_status (*complete)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* The network, its details and its proof into *out. */
    f2l_status (*build)(f2l_compile_result *out, f2l_compile_job *job, const f2l_compile_way *way,
                        f2l_error *err);
    const f2l_compile_proof *proof;
};

extern const f2l_compile_way f2l_compile_ways[];
extern const size_t f2l_compile_ways_count;

/* Considers all rows: fills job->entry, job->search and *job->best. */
f2l_status f2l_compile_choose(f2l_compile_job *job, f2l_error *err);

/* What the entry says of a row before it is considered, or where it never is. */
void f2l_compile_not_tried(f2l_compile_entry *entry, const char *why);
/* Says of a network of one layer why one suffices. */
void f2l_compile_explain(f2l_compile_result *out);
/* The options leave room for the row; its entry says why not. */
bool f2l_compile_is_asked(f2l_compile_job *job, size_t i);
/* A row up to its tables. *open: it is to be tried; otherwise its entry says why not. */
f2l_status f2l_compile_examine(bool *open, f2l_compile_job *job, size_t i, f2l_error *err);
/* Builds and verifies such a row, and makes it the best where it is. */
f2l_status f2l_compile_try(f2l_compile_job *job, size_t i, f2l_error *err);
/* The rule form is for automata for which the cascade that was asked for comes to nothing. */
static inline bool f2l_compile_asks_cascade(const f2l_compile_options *options)
{
    return options->cascade != F2L_COMPILE_AUTO || options->gated;
}
/* There is a best network, and it is VERIFIED exactly. */
bool f2l_compile_verified(const f2l_compile_job *job);

/* The quotient of a group form or by the labels, made when it is first needed. *out: what a cascade
 * is built of. */
f2l_status f2l_compile_reachable(const f2l_fsa **out, f2l_compile_job *job, f2l_error *err);

/* Clears the network of a candidate that does not win: what it borrows from the job stays. */
void f2l_compile_drop(f2l_compile_result *c);

/* The closure of *c in a format, computed unless it is there. */
f2l_status f2l_compile_close(f2l_compile_format **out, f2l_compile_result *c,
                             const f2l_format *format, const f2l_schedule *schedule,
                             const f2l_compile_job *job, f2l_error *err);
/* Rows of a format's closure: the limit of the options; in a list a smaller one for keys that are
 * rounded, since those seldom close. */
size_t f2l_compile_float_rows(const f2l_compile_job *job);
const f2l_schedule *f2l_compile_schedule(const f2l_compile_options *options);

/* --- order --- */

/* What is compared, the first difference deciding; smaller is better. */
#define F2L_COMPILE_CRITERIA 8
typedef struct f2l_compile_rank {
    size_t criterion[F2L_COMPILE_CRITERIA];
} f2l_compile_rank;

/* The closure in bf16, schedule every, which every verified candidate has; NULL: none. */
const f2l_compile_format *f2l_compile_in_bf16(const f2l_compile_result *c);

/* What f2l_compile_result.unrounded says, once exact and bf16 are closed. */
bool f2l_compile_unrounded(const f2l_compile_result *c);

/* f2l_compile_rank_least: of a network that is exact in bf16 and has these figures. `ask`: of the
 * entry; what has it comes after all that has not, unless those are not verified exactly. */
f2l_compile_rank f2l_compile_rank_of(const f2l_compile_result *c, const char *ask, bool published);
f2l_compile_rank f2l_compile_rank_least(const f2l_compile_figures *least, const char *ask,
                                        bool published);
bool f2l_compile_better(const f2l_compile_rank *a, const f2l_compile_rank *b);
/* "at least 3 layers": the criterion that decides against `least`. */
void f2l_compile_say_beaten(char *text, size_t size, const f2l_compile_rank *least,
                            const f2l_compile_rank *best);

/* The same figures, gates, and formats. */
bool f2l_compile_equal(const f2l_compile_entry *a, const f2l_compile_entry *b);

/* --- bounds --- */

bool f2l_compile_has_bounds(const f2l_compile_bounds *bounds);
/* False: some figure is beyond its bound; the text (may be NULL) then says so: "at least 3 layers".
 */
bool f2l_compile_figures_within(char *text, size_t size, const f2l_compile_figures *least,
                                const f2l_compile_bounds *bounds);
/* The entry was built and is within them. */
bool f2l_compile_entry_within(const f2l_compile_entry *entry, const f2l_compile_options *options);
/* No entry is within the bounds: F2L_EDOMAIN with the nearest ones, or F2L_UNKNOWN where a limit
 * left one open. */
f2l_status f2l_compile_unmet(const f2l_compile_job *job, f2l_error *err);

/* --- rows (theory/compile/compile_t4.c, theory/compile/compile_zeiger.c,
 * theory/compile/compile_d1.c; T3 and K: theory/compile/compile_ways.c)  */

extern const f2l_compile_proof f2l_compile_proof_joint, f2l_compile_proof_t4,
    f2l_compile_proof_zeiger, f2l_compile_proof_d1;

/* For wired networks: the classes of the quotient, or NULL; a joint closure where no rule proved
 * the network, with the rule's reason where that proves nothing either. */
const uint32_t *f2l_compile_classes(const f2l_compile_result *c);
f2l_status f2l_compile_wired_exact(f2l_compile_result *c, const char *reason,
                                   const f2l_compile_job *job, f2l_error *err);
f2l_status f2l_compile_wired_format(f2l_compile_format *out, const f2l_compile_result *c,
                                    const char *reason, const f2l_compile_job *job, f2l_error *err);

/* The smallest permutation representation. F2L_EDOMAIN unless every letter permutes. */
f2l_status f2l_compile_represent(f2l_compile_job *job, f2l_error *err);

/* The cascade that the row takes. */
f2l_cascade_kind f2l_compile_cover_kind(const f2l_compile_way *way);
/* The job's cascade of that kind, made once for all rows that share it: its family, which says how
 * many levels it has; and with its tables. */
f2l_status f2l_compile_family_of(f2l_compile_cover **out, f2l_compile_job *job,
                                 f2l_cascade_kind kind, f2l_error *err);
f2l_status f2l_compile_cover_of(f2l_compile_cover **out, f2l_compile_job *job,
                                f2l_cascade_kind kind, f2l_error *err);
/* Forgets an attempt at the row's cascade that failed. */
void f2l_compile_cover_again(f2l_compile_job *job, const f2l_compile_way *way);
/* out->t4, with what it takes from the cover. */
f2l_status f2l_compile_t4_new(f2l_compile_result *out, f2l_compile_job *job,
                              const f2l_compile_cover *cover, f2l_error *err);
f2l_status f2l_compile_t4_prepare(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
f2l_status f2l_compile_t4_complete(f2l_compile_job *job, const f2l_compile_way *way,
                                   f2l_error *err);
void f2l_compile_t4_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way);
f2l_status f2l_compile_t4_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err);
/* The winner takes its cascade over from the job, with the groups. */
f2l_status f2l_compile_t4_keep(f2l_compile_result *c, f2l_compile_job *job, f2l_error *err);
void f2l_compile_covers_clear(f2l_compile_job *job);
/* NULL allowed. */
void f2l_compile_t4_free(f2l_compile_t4 *t4);

void f2l_compile_diagonal_least(f2l_compile_figures *out, const f2l_compile_job *job,
                                const f2l_compile_way *way);
f2l_status f2l_compile_diagonal_build(f2l_compile_result *out, f2l_compile_job *job,
                                      const f2l_compile_way *way, f2l_error *err);

f2l_status f2l_compile_decay_build(f2l_compile_result *out, f2l_compile_job *job,
                                   const f2l_compile_way *way, f2l_error *err);

f2l_status f2l_compile_zeiger_applies(f2l_compile_job *job, const f2l_compile_way *way,
                                      f2l_error *err);
void f2l_compile_zeiger_least(f2l_compile_figures *out, const f2l_compile_job *job,
                              const f2l_compile_way *way);
/* Into *out, what is known of the factors. */
void f2l_compile_zeiger_measure(f2l_compile_figures *out, const f2l_compile_zeiger *zeiger);
f2l_status f2l_compile_zeiger_build(f2l_compile_result *out, f2l_compile_job *job,
                                    const f2l_compile_way *way, f2l_error *err);

f2l_status f2l_compile_d1_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
void f2l_compile_d1_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way);
f2l_status f2l_compile_d1_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err);

f2l_status f2l_compile_r1_applies(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
void f2l_compile_r1_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way);
f2l_status f2l_compile_r1_prepare(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
f2l_status f2l_compile_r1_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err);

f2l_status f2l_compile_dihedral_applies(f2l_compile_job *job, const f2l_compile_way *way,
                                        f2l_error *err);
void f2l_compile_dihedral_least(f2l_compile_figures *out, const f2l_compile_job *job,
                                const f2l_compile_way *way);
f2l_status f2l_compile_dihedral_build(f2l_compile_result *out, f2l_compile_job *job,
                                      const f2l_compile_way *way, f2l_error *err);

#endif
