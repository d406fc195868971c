/* The search behind both closures: breadth-first over pairs (joint state, state of the automaton).
 * See theory/pages/closure.md, C1 and C4. The machine defines the joint states and how a letter
 * changes them.
 *
 * Edges are numbered row by row and letter by letter. They are stepped in blocks, by several
 * threads where the machine has several contexts, and one thread enters them into the table in
 * their order; so rows, their numbers and the word found are the same as in a search that steps one
 * edge after the other (theory/pages/closure.md, C8). */
#ifndef F2L_SEARCH_IMPL_H
#define F2L_SEARCH_IMPL_H

#include "theory/certify/closure/closure.h"
#include "theory/certify/closure/pairs.h"

typedef struct f2l_machine {
    size_t width; /* bytes of a joint state; equal states have equal bytes */
    size_t jobs;
    void *const *context; /* [jobs] borrowed; one for each thread that steps; 1 with `restart` */
    void (*load)(void *context, const unsigned char *joint);
    /* Computes the state after `letter` from the loaded state, which stays loaded. *label is
     * F2L_NO_SYMBOL when the new state has no code. */
    f2l_status (*step)(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                       f2l_error *err);
    /* For letters with several outcomes (NULL otherwise): `restart` is called before the first step
     * by a letter, and `more` after each step; `more` returns whether there is another outcome,
     * which the next step by this letter gives. F2L_UNKNOWN when there are too many outcomes. */
    void (*restart)(void *context);
    f2l_status (*more)(void *context, bool *more, f2l_error *err);
    /* Appends the bits that the last step took to a strategy; NULL: there are none. */
    void (*taken)(const void *context, f2l_buf *out);
    uint64_t steps; /* steps (numeric/base/task.h) of an edge, without the table */
    /* With one job: returns the steps of all edges so far, where they differ much. NULL: not
     * used. */
    uint64_t (*work)(const void *context);
} f2l_machine;

/* The properties of a network that a closure needs beside its steps; borrows the names. */
typedef struct f2l_face {
    const f2l_names *letters, *labels;
    f2l_label label;                   /* kind of the labels */
    size_t start;                      /* label of the empty word */
    const f2l_letter_classes *classes; /* borrowed; none for letters of networks, which are merged
                                          before the search */
} f2l_face;

static inline f2l_face f2l_face_of_net(const f2l_net *net)
{
    return (f2l_face){&net->letters, &net->labels, net->label, net->start, &net->classes};
}

/* The file that a search is saved to, and when (theory/certify/closure/search_save.c). */
typedef struct f2l_saving {
    const char *path;
    char identity[65]; /* SHA-256 of everything that the table depends on */
    size_t rows;       /* least number of rows of a table that is saved */
    double seconds;    /* seconds between two saves */
    double next;       /* f2l_now() of the next save; 0 at first */
    bool ready;        /* the file of an earlier search has been read */
    bool saved;        /* the file was written by this search */
    char failure[200]; /* why the last attempt failed; empty: it succeeded */
} f2l_saving;

#define F2L_SAVED_ROWS 10000000
#define F2L_SAVED_SECONDS 180

typedef struct f2l_search {
    f2l_face face;
    const f2l_fsa *fsa;
    const f2l_machine *machine;
    const f2l_task *task; /* counts the steps of edges, in their order */
    f2l_task polled; /* the same task without counting: how often threads poll depends on them */
    uint64_t work;   /* steps of the machine that were counted */
    const char *phase;
    size_t total;       /* number of rows if nothing refutes, for progress; 0: unknown */
    f2l_pairs pairs;    /* rows: the joint state's bytes, then the automaton's state */
    uint32_t *expected; /* index of the label that the network must give, F2L_NO_SYMBOL where it
                           lacks that label: [states], or with F2L_LABEL_EDGES [states][letters] */
    size_t expanding, letter; /* the next edge */
    size_t first_child;       /* number of rows when this row's first edge was entered */
    bool keep_next;
    uint32_t *next; /* [rows][letters] when kept */
    size_t next_capacity;
    unsigned char *row; /* the row that is looked up */
    f2l_saving *saving; /* the caller's; borrowed; NULL: the search is not saved */
} f2l_search;

/* Returns the label index that the network must give after the letter, from the state. */
static inline uint32_t f2l_search_owed(const f2l_search *search, size_t state, size_t letter)
{
    const size_t edge = state * search->fsa->letters.count + letter;
    return search->expected[search->face.label == F2L_LABEL_EDGES ? edge : search->fsa->next[edge]];
}

/* Sets *expected to the label index that the network must give in every state (owned by the caller:
 * f2l_free); F2L_EDOMAIN unless the automaton has the network's letters and its kind of labels, and
 * these are not labels of edges. */
f2l_status f2l_face_expect(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa,
                           f2l_error *err);
/* The same, but with F2L_LABEL_EDGES for every transition: [states][letters]. */
f2l_status f2l_face_expect_any(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa,
                               f2l_error *err);

/* Initialises *search; F2L_EDOMAIN unless the automaton has the network's letters and its kind of
 * labels. */
f2l_status f2l_search_init(f2l_search *search, const f2l_face *face, const f2l_fsa *fsa,
                           const f2l_machine *machine, size_t max_rows, bool keep_next,
                           const f2l_task *task, const char *phase, f2l_error *err);
void f2l_search_clear(f2l_search *search);

/* Runs the search and sets the verdict with its data. `start`: the joint state before the first
 * letter. */
f2l_status f2l_search_run(f2l_search *search, f2l_closure *out, const unsigned char *start,
                          f2l_error *err);

/* Returns the automaton's state of a row. */
size_t f2l_search_state(const f2l_search *search, size_t row);

/* Sets *out to UNKNOWN with the error's text as the reason, so that reaching a limit is a
 * verdict. */
f2l_status f2l_search_unknown(f2l_closure *out, size_t rows, const f2l_error *why);

/* Does the same for a search, which is saved if a file is set: the reason then names the file. */
f2l_status f2l_search_give_up(f2l_search *search, f2l_closure *out, const f2l_error *why);

/* --- between the parts of the search --- */

/* Polls the task without counting. */
f2l_status f2l_search_poll(const f2l_search *search, size_t done, f2l_error *err);
/* Counts the machine's work since the last call, if the machine reports it. */
f2l_status f2l_search_count_work(f2l_search *search, f2l_error *err);

/* Enters an outcome of the next edge: a row with its hash, and the label after it. A wrong label
 * sets out->verdict to F2L_REFUTED; otherwise *found is the row's number. */
f2l_status f2l_search_arrive(f2l_search *search, f2l_closure *out, const unsigned char *row,
                             uint64_t hash, uint32_t label, size_t *found, f2l_error *err);
/* Makes room for the edges of `rows` rows in `next`. */
f2l_status f2l_search_grow_next(f2l_search *search, size_t rows, f2l_error *err);
/* Completes the next edge; `found` is the row to which it leads, for `next`. */
f2l_status f2l_search_advance(f2l_search *search, size_t found, f2l_error *err);

/* Steps all edges from the next one on, in blocks, until the table is closed or refuted. */
f2l_status f2l_search_blocks(f2l_search *search, f2l_closure *out, f2l_error *err);

/* Continues from the file if there is one: F2L_EFORMAT when it is damaged, F2L_EDOMAIN when it
 * belongs to another search. search->pairs must be empty. `row`: the first row. */
f2l_status f2l_search_load(f2l_search *search, const unsigned char *row, f2l_error *err);
/* Saves the search if a save is due (`now`: if the table is large enough); failures are written to
 * saving->failure. */
void f2l_search_save(f2l_search *search, bool now);
/* Removes the search's file. Called once there is a verdict and the table, if wanted, was kept. */
void f2l_search_forget(f2l_search *search);

#endif
