/* The parts of f2l_compile: the job, its rows, the order, and the bounds. */
#ifndef F2L_THEORY_COMPILE_IMPL_H
#define F2L_THEORY_COMPILE_IMPL_H

#include "theory/compile/compile.h"
#include "theory/construct/construction.h"

typedef enum f2l_compile_row_state {
    F2L_COMPILE_ROW_NEW,
    F2L_COMPILE_ROW_OPEN,    /* applies and may win; its tables and its network are not made yet */
    F2L_COMPILE_ROW_DONE,    /* its entry has the outcome */
    F2L_COMPILE_ROW_SHORT,   /* its share of the steps did not suffice, or was empty */
    F2L_COMPILE_ROW_GIVEN_UP /* all steps that were left did not suffice either */
} f2l_compile_row_state;

/* A row of the table: one variant of a construction. */
typedef struct f2l_compile_row {
    const f2l_construction *by;
    const f2l_variant *variant;
    f2l_compile_row_state state;
    uint64_t given; /* the largest share of steps that the row had */
} f2l_compile_row;

typedef struct f2l_compile_job {
    f2l_construct_job base;
    char fsa_sha256[65];          /* of the caller's automaton */
    f2l_compile_letters *letters; /* borrowed; NULL: the caller's letters */
    bool unasked; /* also build rows that need an option: in lists, and within bounds that nothing
                     else keeps */
    bool strict;  /* leave out rows beyond the bounds */
    bool retry;   /* give rows all steps that are left */
    bool nearest; /* nothing is within the bounds: networks are built only to be named as nearest */
    size_t minimised_states;  /* as in f2l_compile_result */
    f2l_compile_result *best; /* the caller's; theorem is NULL as long as there is no network */
    size_t rows;
    f2l_compile_row *row;     /* [rows] in the order of the table */
    f2l_compile_entry *entry; /* [rows] */
    f2l_compile_search search;
    double start;
} f2l_compile_job;

/* Sets *out to the automaton with its letters merged, which the caller frees; NULL: no letters act
 * alike, or it is a group form, whose permutations would be lost. */
f2l_status f2l_compile_merge_letters(f2l_compile_letters **out, const f2l_fsa *fsa,
                                     const f2l_task *task, f2l_error *err);

/* Considers all rows: fills job->entry, job->search and *job->best. */
f2l_status f2l_compile_choose(f2l_compile_job *job, f2l_error *err);

/* Sets the entry of a row that is not considered yet, or never: `why` becomes its reason. */
void f2l_compile_not_tried(f2l_compile_entry *entry, const char *why);
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

/* Returns whether no network of the row, whose entry has lower bounds, can be the fewest of a class
 * (theory/compile/fewest.h). */
bool f2l_compile_adds_nothing(const f2l_compile_entry *entry, const f2l_compile_job *job);

/* Returns the number of layers below which a network of the row, which is slow, is of use in a
 * search for figures; 0: any is. */
size_t f2l_compile_of_use(const f2l_compile_entry *entry, const f2l_compile_job *job);

/* Clears the network of a candidate that does not win, except for what it borrows from the job. */
void f2l_compile_drop(f2l_compile_result *c);

/* Sets *out to the closure of *c in a format; computes the closure unless *c has it. */
f2l_status f2l_compile_close(f2l_compile_format **out, f2l_compile_result *c,
                             const f2l_format *format, const f2l_schedule *schedule,
                             const f2l_compile_job *job, f2l_error *err);
const f2l_schedule *f2l_compile_schedule(const f2l_compile_options *options);

/* --- order --- */

/* The criteria in order: the first difference decides; smaller is better. */
enum {
    F2L_BY_EXACT,
    F2L_BY_ASKED,
    F2L_BY_BF16, /* 0 exact there, 1 verified with rounding, 2 not verified */
    F2L_BY_LAYERS,
    F2L_BY_FACTORS,
    F2L_BY_STATES,
    F2L_BY_ENTRIES,
    F2L_BY_PUBLISHED,
    F2L_COMPILE_CRITERIA
};
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

/* Returns whether all figures are within the bounds. If not, `text` (may be NULL) gets the reason:
 * "at least 3 layers". */
bool f2l_compile_figures_within(char *text, size_t size, const f2l_compile_figures *least,
                                const f2l_compile_bounds *bounds);
/* Returns whether the entry was built and is within the bounds. */
bool f2l_compile_entry_within(const f2l_compile_entry *entry, const f2l_compile_options *options);
/* Returns the error when no entry is within the bounds: F2L_EDOMAIN with the nearest ones, or
 * F2L_UNKNOWN where a limit left one open. */
f2l_status f2l_compile_unmet(const f2l_compile_job *job, f2l_error *err);

#endif
