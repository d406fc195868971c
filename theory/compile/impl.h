/* The parts of f2l_compile: the job, the table of constructions, and the functions of each row. */
#ifndef F2L_THEORY_COMPILE_IMPL_H
#define F2L_THEORY_COMPILE_IMPL_H

#include "theory/compile/compile.h"

typedef struct f2l_compile_way f2l_compile_way;

/* A cascade that the rows with and without gates share. */
typedef struct f2l_compile_cover {
    bool tried, tables; /* tried: the family is known, with its number of levels; tables: the tables
                           are, too */
    f2l_status status;  /* of the attempt to make it */
    f2l_error why;
    f2l_cascade cascade;
    f2l_cascade_size size; /* without tables only the levels are set */
} f2l_compile_cover;

typedef enum f2l_compile_row_state {
    F2L_COMPILE_ROW_NEW,
    F2L_COMPILE_ROW_OPEN,    /* applies and may win; its tables and its network are not made yet */
    F2L_COMPILE_ROW_DONE,    /* its entry has the outcome */
    F2L_COMPILE_ROW_SHORT,   /* its share of the steps did not suffice, or was empty */
    F2L_COMPILE_ROW_GIVEN_UP /* all steps that were left did not suffice either */
} f2l_compile_row_state;

typedef struct f2l_compile_job {
    const f2l_fsa *fsa; /* the caller's automaton, which the network is certified for; borrowed */
    const f2l_compile_options *options;
    const f2l_task *task;
    const f2l_compile_way *way; /* the row under consideration; NULL: none */
    char fsa_sha256[65];
    /* Made if the labels or a cascade need it; owned by the job until the work is done, then by the
     * result. */
    f2l_compile_quotient *quotient;
    const f2l_fsa *subject; /* automaton that rows other than cascades build from: `fsa` or its
                               quotient by the labels */
    size_t states;          /* number of states of the subject that its start reaches */
    bool unasked; /* also build rows that need an option: in lists, and within bounds that nothing
                     else keeps */
    bool strict;  /* leave out rows beyond the bounds */
    bool retry;   /* give rows all steps that are left */
    bool nearest; /* nothing is within the bounds: networks are built only to be named as nearest */
    bool permutes, flat; /* permutes: every letter permutes the states; flat: every letter permutes
                            or resets them */
    size_t state_reflections; /* if flat: the largest n - #cycles over the letters that permute */
    char merges[256];         /* unless permutes: the letter that merges states, and the states */
    size_t minimised_states;  /* as in f2l_compile_result */
    bool has_set;
    f2l_gset set; /* the smallest representation; made when a row first needs it */
    size_t set_reflections;
    bool has_definite;
    f2l_definite definite;
    f2l_compile_cover cover[3];
    bool has_r1_least, r1_tried;
    f2l_compile_figures r1_least, r1_least_signed; /* lower bounds from the orders of the letters:
                                                      for any orthogonal matrices; for signed
                                                      permutations */
    f2l_status r1_status; /* of the attempt to analyse the transition group */
    f2l_error r1_why;
    f2l_r1 r1;
    char refusal[256]; /* why the first cascade that failed was not built; empty: none failed */
    f2l_compile_result *best;     /* the caller's; theorem is NULL as long as there is no network */
    f2l_compile_entry *entry;     /* [rows] */
    f2l_compile_row_state *state; /* [rows] */
    uint64_t *given;              /* [rows] the largest share of steps that the row had */
    f2l_compile_search search;
    double start;
} f2l_compile_job;

/* The functions that verify a network exactly and in a format. */
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
    size_t number; /* parameter of the row's functions: a key system, or a number of factors */
    f2l_compile_cascade cascade; /* T4: the kind of cascade */
    f2l_compile_target target;   /* G: built only for this target, and in lists */
    bool rule;         /* a cascade in rule form (Z), for any kind of cascade that has no table */
    bool gated, naive; /* built only with the options of these names, and in lists */
    bool rounds;       /* built only within bounds and in lists: a format is expected to round it
                        */
    bool published;    /* wins on equal figures */
    /* Returns F2L_EDOMAIN, with the reason, when the row does not apply to the automaton, and
     * F2L_UNKNOWN when a limit left that open. Takes little time. */
    f2l_status (*applies)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* Sets lower bounds in *out (all zero at first) that hold for every network of the row, figure
     * by figure, as far as known. */
    void (*least)(f2l_compile_figures *out, const f2l_compile_job *job, const f2l_compile_way *way);
    /* Does work that takes time; may raise `least` and may return the statuses of `applies`. NULL:
     * nothing to do. */
    f2l_status (*prepare)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* Does work that takes much more time; of the rows that have such work the most promising one
     * comes first. NULL: nothing to do. */
    f2l_status (*complete)(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
    /* Builds the network, its details and its proof into *out. */
    f2l_status (*build)(f2l_compile_result *out, f2l_compile_job *job, const f2l_compile_way *way,
                        f2l_error *err);
    const f2l_compile_proof *proof;
};

extern const f2l_compile_way f2l_compile_ways[];
extern const size_t f2l_compile_ways_count;

/* Considers all rows: fills job->entry, job->search and *job->best. */
f2l_status f2l_compile_choose(f2l_compile_job *job, f2l_error *err);

/* Sets the entry of a row that is not considered yet, or never: `why` becomes its reason. */
void f2l_compile_not_tried(f2l_compile_entry *entry, const char *why);
/* Sets out->one_layer for a network of one layer. */
void f2l_compile_explain(f2l_compile_result *out);
/* Returns whether the options allow row i; if they do not, the entry gets the reason. */
bool f2l_compile_is_asked(f2l_compile_job *job, size_t i);
/* Does the work of row i up to its tables. *open: the row is to be tried; otherwise its entry has
 * the reason. */
f2l_status f2l_compile_examine(bool *open, f2l_compile_job *job, size_t i, f2l_error *err);
/* Builds and verifies a row that is open; the network becomes the best if it is better. */
f2l_status f2l_compile_try(f2l_compile_job *job, size_t i, f2l_error *err);
/* Returns whether the options ask for a cascade. The rule form is then only for automata for which
 * that cascade cannot be built. */
static inline bool f2l_compile_asks_cascade(const f2l_compile_options *options)
{
    return options->cascade != F2L_COMPILE_AUTO || options->gated;
}
/* Returns whether there is a best network and it is VERIFIED exactly. */
bool f2l_compile_verified(const f2l_compile_job *job);

/* Sets *out to the automaton that a cascade is built from: the reachable part of a group form, or
 * the quotient by the labels, made when first needed. */
f2l_status f2l_compile_reachable(const f2l_fsa **out, f2l_compile_job *job, f2l_error *err);

/* Clears the network of a candidate that does not win, except for what it borrows from the job. */
void f2l_compile_drop(f2l_compile_result *c);

/* Sets *out to the closure of *c in a format; computes the closure unless *c has it. */
f2l_status f2l_compile_close(f2l_compile_format **out, f2l_compile_result *c,
                             const f2l_format *format, const f2l_schedule *schedule,
                             const f2l_compile_job *job, f2l_error *err);
/* Returns the limit on the rows of a format's closure: the limit of the options, or in a list a
 * smaller one for rounded keys, whose closures seldom end. */
size_t f2l_compile_float_rows(const f2l_compile_job *job);
const f2l_schedule *f2l_compile_schedule(const f2l_compile_options *options);

/* --- order --- */

/* The criteria in order: the first difference decides; smaller is better. */
#define F2L_COMPILE_CRITERIA 8
typedef struct f2l_compile_rank {
    size_t criterion[F2L_COMPILE_CRITERIA];
} f2l_compile_rank;

/* Returns the closure in bf16, schedule `every`, which every verified candidate has; NULL: none. */
const f2l_compile_format *f2l_compile_in_bf16(const f2l_compile_result *c);

/* Returns the value of f2l_compile_result.unrounded, once *c is closed exactly and in bf16. */
bool f2l_compile_unrounded(const f2l_compile_result *c);

/* f2l_compile_rank_least returns the rank of a network with these figures that is exact in bf16.
 * `ask` is the entry's: a network with it ranks after all networks without it, unless those are not
 * verified exactly. */
f2l_compile_rank f2l_compile_rank_of(const f2l_compile_result *c, const char *ask, bool published);
f2l_compile_rank f2l_compile_rank_least(const f2l_compile_figures *least, const char *ask,
                                        bool published);
bool f2l_compile_better(const f2l_compile_rank *a, const f2l_compile_rank *b);
/* Writes the criterion that decides against `least` to text: "at least 3 layers". */
void f2l_compile_say_beaten(char *text, size_t size, const f2l_compile_rank *least,
                            const f2l_compile_rank *best);

/* Returns whether figures, gates and formats are equal. */
bool f2l_compile_equal(const f2l_compile_entry *a, const f2l_compile_entry *b);

/* --- bounds --- */

bool f2l_compile_has_bounds(const f2l_compile_bounds *bounds);
/* Returns whether all figures are within the bounds. If not, `text` (may be NULL) gets the reason:
 * "at least 3 layers". */
bool f2l_compile_figures_within(char *text, size_t size, const f2l_compile_figures *least,
                                const f2l_compile_bounds *bounds);
/* Returns whether the entry was built and is within the bounds. */
bool f2l_compile_entry_within(const f2l_compile_entry *entry, const f2l_compile_options *options);
/* Returns the error when no entry is within the bounds: F2L_EDOMAIN with the nearest ones, or
 * F2L_UNKNOWN where a limit left one open. */
f2l_status f2l_compile_unmet(const f2l_compile_job *job, f2l_error *err);

/* --- rows (theory/compile/compile_t4.c, theory/compile/compile_zeiger.c,
 * theory/compile/compile_d1.c; T3 and K: theory/compile/compile_ways.c)  */

extern const f2l_compile_proof f2l_compile_proof_joint, f2l_compile_proof_t4,
    f2l_compile_proof_zeiger, f2l_compile_proof_d1;

/* These three are for wired networks. The first returns the classes of the quotient, or NULL. The
 * other two make a joint closure where no rule proved the network; if that proves nothing either,
 * the reason is the rule's. */
const uint32_t *f2l_compile_classes(const f2l_compile_result *c);
f2l_status f2l_compile_wired_exact(f2l_compile_result *c, const char *reason,
                                   const f2l_compile_job *job, f2l_error *err);
f2l_status f2l_compile_wired_format(f2l_compile_format *out, const f2l_compile_result *c,
                                    const char *reason, const f2l_compile_job *job, f2l_error *err);

/* Sets job->set to the smallest permutation representation. Returns F2L_EDOMAIN unless every letter
 * permutes. */
f2l_status f2l_compile_represent(f2l_compile_job *job, f2l_error *err);

/* Returns the kind of cascade that the row uses. */
f2l_cascade_kind f2l_compile_cover_kind(const f2l_compile_way *way);
/* Set *out to the job's cascade of that kind, which is made once for all rows that share it:
 * family_of makes its family, which gives the number of levels; the other function makes its
 * tables, too. */
f2l_status f2l_compile_family_of(f2l_compile_cover **out, f2l_compile_job *job,
                                 f2l_cascade_kind kind, f2l_error *err);
f2l_status f2l_compile_cover_of(f2l_compile_cover **out, f2l_compile_job *job,
                                f2l_cascade_kind kind, f2l_error *err);
/* Forgets a failed attempt at the row's cascade. */
void f2l_compile_cover_again(f2l_compile_job *job, const f2l_compile_way *way);
/* Allocates out->t4 and fills what it takes from the cover. */
f2l_status f2l_compile_t4_new(f2l_compile_result *out, f2l_compile_job *job,
                              const f2l_compile_cover *cover, f2l_error *err);
f2l_status f2l_compile_t4_prepare(f2l_compile_job *job, const f2l_compile_way *way, f2l_error *err);
f2l_status f2l_compile_t4_complete(f2l_compile_job *job, const f2l_compile_way *way,
                                   f2l_error *err);
void f2l_compile_t4_least(f2l_compile_figures *out, const f2l_compile_job *job,
                          const f2l_compile_way *way);
f2l_status f2l_compile_t4_build(f2l_compile_result *out, f2l_compile_job *job,
                                const f2l_compile_way *way, f2l_error *err);
/* Moves the cascade from the job to the winner and adds the groups. */
f2l_status f2l_compile_t4_keep(f2l_compile_result *c, f2l_compile_job *job, f2l_error *err);
void f2l_compile_covers_clear(f2l_compile_job *job);
/* Frees t4, which may be NULL. */
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
/* Sets what is known of the factors in *out. */
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
