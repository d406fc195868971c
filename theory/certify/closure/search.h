/* The search behind both closures: breadth-first over pairs (joint state, state of the automaton).
 * See theory/pages/closure.md, C1 and C4. What a joint state is and how a letter changes it is the
 * machine's business.
 *
 * Edges are numbered row by row and letter by letter. They are stepped in blocks, by several
 * threads where the machine has several contexts, and taken into the table in their order by one
 * thread; so rows, their numbers and the word found are those of a search that does one edge after
 * the other (theory/pages/closure.md, C8). */
#ifndef F2L_SEARCH_IMPL_H
#define F2L_SEARCH_IMPL_H

#include "theory/certify/closure/closure.h"
#include "theory/certify/closure/pairs.h"

typedef struct f2l_machine {
    size_t width; /* bytes of a joint state; equal states have equal bytes */
    size_t jobs;
    void *const *context; /* [jobs]: one for each thread that steps; 1 with `restart` */
    void (*load)(void *context, const unsigned char *joint);
    /* The state after `letter` from the one last loaded, which stays loaded. *label is
     * F2L_NO_SYMBOL when the new state decodes to nothing. */
    f2l_status (*step)(void *context, size_t letter, unsigned char *joint, uint32_t *label,
                       f2l_error *err);
    /* Where a letter has several outcomes (NULL otherwise): `restart` comes before the first step
     * by a letter, and `more` after each one: whether there is another outcome, which the next step
     * by this letter gives. F2L_UNKNOWN when they cannot all be given. */
    void (*restart)(void *context);
    f2l_status (*more)(void *context, bool *more, f2l_error *err);
    uint64_t steps; /* (numeric/base/task.h) of an edge, the table apart */
    /* With one job: those of all edges so far, where they differ much. NULL: none. */
    uint64_t (*work)(const void *context);
} f2l_machine;

/* What a closure asks of a network beside its steps; borrows the names. */
typedef struct f2l_face {
    const f2l_names *letters, *labels;
    f2l_label label;                   /* what the labels are */
    size_t start;                      /* label of the empty word */
    const f2l_letter_classes *classes; /* of letters: none, those of networks have to be merged
                                          before */
} f2l_face;

static inline f2l_face f2l_face_of_net(const f2l_net *net)
{
    return (f2l_face){&net->letters, &net->labels, net->label, net->start, &net->classes};
}

/* Where and when a search is saved (theory/certify/closure/search_save.c). */
typedef struct f2l_saving {
    const char *path;
    char identity[65]; /* SHA-256 of all that the table depends on */
    size_t rows;       /* a smaller table is not saved */
    double seconds;    /* between two times */
    double next;       /* f2l_now() of the next time; 0 at first */
    bool ready;        /* what was saved before has been read */
    bool saved;        /* the file is this search's */
    char failure[200]; /* why the last attempt failed; empty: it did not */
} f2l_saving;

#define F2L_SAVED_ROWS 10000000
#define F2L_SAVED_SECONDS 180

typedef struct f2l_search {
    f2l_face face;
    const f2l_fsa *fsa;
    const f2l_machine *machine;
    const f2l_task *task; /* counts what edges take, in their order */
    f2l_task polled;      /* the same, uncounted: how often threads poll depends on them */
    uint64_t work;        /* of the machine, that was counted */
    const char *phase;
    size_t total;       /* rows that there will be if none refutes, for progress; 0: not known */
    f2l_pairs pairs;    /* rows: the joint state's bytes, then the automaton's state */
    uint32_t *expected; /* label index that the network owes, F2L_NO_SYMBOL where it has no such
                           label: [states], or with F2L_LABEL_EDGES [states][letters] */
    size_t expanding, letter; /* the edge that comes next */
    size_t first_child;       /* rows there were when this row's first edge came */
    bool keep_next;
    uint32_t *next; /* [rows][letters] when kept */
    size_t next_capacity;
    unsigned char *row; /* the row being looked up */
    f2l_saving *saving; /* the caller's; NULL: not saved */
} f2l_search;

/* The label index that is owed after the letter, from the state. */
static inline uint32_t f2l_search_owed(const f2l_search *search, size_t state, size_t letter)
{
    const size_t edge = state * search->fsa->letters.count + letter;
    return search->expected[search->face.label == F2L_LABEL_EDGES ? edge : search->fsa->next[edge]];
}

/* The label index that the network owes in every state (f2l_free); F2L_EDOMAIN unless the automaton
 * has the network's letters and its kind of labels, and these are not those of edges. */
f2l_status f2l_face_expect(uint32_t **expected, const f2l_face *face, const f2l_fsa *fsa,
                           f2l_error *err);

static inline f2l_status f2l_search_expect(uint32_t **expected, const f2l_net *net,
                                           const f2l_fsa *fsa, f2l_error *err)
{
    const f2l_face face = f2l_face_of_net(net);
    return f2l_face_expect(expected, &face, fsa, err);
}

/* F2L_EDOMAIN unless the automaton has the network's letters and its kind of labels. */
f2l_status f2l_search_init(f2l_search *search, const f2l_face *face, const f2l_fsa *fsa,
                           const f2l_machine *machine, size_t max_rows, bool keep_next,
                           const f2l_task *task, const char *phase, f2l_error *err);
void f2l_search_clear(f2l_search *search);

/* Sets the verdict and what belongs to it. `start`: the joint state before the first letter. */
f2l_status f2l_search_run(f2l_search *search, f2l_closure *out, const unsigned char *start,
                          f2l_error *err);

/* The automaton's state of a row. */
size_t f2l_search_state(const f2l_search *search, size_t row);

/* Sets out to UNKNOWN with the error's text as the reason, so that running out of something is a
 * verdict. */
f2l_status f2l_search_unknown(f2l_closure *out, size_t rows, const f2l_error *why);

/* The same for a search, which is saved if it is to be: the reason says so. */
f2l_status f2l_search_give_up(f2l_search *search, f2l_closure *out, const f2l_error *why);

/* --- between the parts of the search --- */

/* Polls without counting. */
f2l_status f2l_search_poll(const f2l_search *search, size_t done, f2l_error *err);
/* Counts what the machine has done since the last time, if it says so. */
f2l_status f2l_search_count_work(f2l_search *search, f2l_error *err);

/* An outcome of the next edge: a row with its hash, and the label there. A wrong label sets
 * out->verdict to F2L_REFUTED; else *found is the row's number. */
f2l_status f2l_search_arrive(f2l_search *search, f2l_closure *out, const unsigned char *row,
                             uint64_t hash, uint32_t label, size_t *found, f2l_error *err);
/* Room for the edges of `rows` rows in `next`. */
f2l_status f2l_search_grow_next(f2l_search *search, size_t rows, f2l_error *err);
/* The next edge is done; `found` is where it leads, for `next`. */
f2l_status f2l_search_advance(f2l_search *search, size_t found, f2l_error *err);

/* All edges from the next one on, until the table is closed or refuted: in blocks. */
f2l_status f2l_search_blocks(f2l_search *search, f2l_closure *out, f2l_error *err);

/* Goes on from the file if there is one: F2L_EFORMAT when it is damaged, F2L_EDOMAIN when it is of
 * another search. search->pairs is empty before. `row`: the first row. */
f2l_status f2l_search_load(f2l_search *search, const unsigned char *row, f2l_error *err);
/* Saves the search if that is due (`now`: if the table is large enough); failures go to
 * saving->failure. */
void f2l_search_save(f2l_search *search, bool now);
/* The search has come to a verdict, and its table is kept if it was to be: its file is removed. */
void f2l_search_forget(f2l_search *search);

#endif
