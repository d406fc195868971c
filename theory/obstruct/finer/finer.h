/* Finer classes of an automaton than aperiodic: definite, locally testable, piecewise testable and
 * others (theory/pages/finer.md). Membership is decided by patterns of states and words, without a
 * list of the transition semigroup but for locally threshold testable, and each automaton outside a
 * class has two families of words as a witness. */
#ifndef F2L_FINER_H
#define F2L_FINER_H

#include "automata/fsa/word.h"
#include "theory/obstruct/classify/classify.h"

typedef enum f2l_finer_class {
    F2L_FINER_DEFINITE,
    F2L_FINER_REVERSE,
    F2L_FINER_GENERALISED,
    F2L_FINER_LOCAL,
    F2L_FINER_THRESHOLD,
    F2L_FINER_DEPTH,
    F2L_FINER_TIER_DEFINITE, /* these six: without the letters that keep every state */
    F2L_FINER_TIER_REVERSE,
    F2L_FINER_TIER_GENERALISED,
    F2L_FINER_TIER_LOCAL,
    F2L_FINER_TIER_THRESHOLD,
    F2L_FINER_TIER_DEPTH,
    F2L_FINER_J,
    F2L_FINER_R,
    F2L_FINER_L,
    F2L_FINER_DA,
    F2L_FINER_STAR_FREE,
    F2L_FINER_CLASSES
} f2l_finer_class;

/* A class, whatever the automaton is; all texts are constants. */
typedef struct f2l_finer_kind {
    const char *id, *name;
    const char *statement; /* by which membership is decided */
    const char *buys;      /* what an automaton of the class has, with statements */
} f2l_finer_kind;

extern const f2l_finer_kind f2l_finer_kinds[F2L_FINER_CLASSES];

/* The words of a witness. */
typedef enum f2l_finer_word {
    F2L_FINER_U,
    F2L_FINER_W,
    F2L_FINER_X,
    F2L_FINER_Y,
    F2L_FINER_V,
    F2L_FINER_Z,
    F2L_FINER_T
} f2l_finer_word;
#define F2L_FINER_WORDS 7

/* Two words for each n >= 1 that lead to the states p and q, which differ, though no automaton of
 * the class tells them apart for large n. `first` is a text as "u w^n x w^n" or "u (w^n x)^n". */
typedef struct f2l_finer_witness {
    const char *first, *second;     /* constants; NULL: there is none, or its words are too long */
    f2l_word word[F2L_FINER_WORDS]; /* u, w, x, y, v, z, t; w is not empty */
    size_t p, q;
} f2l_finer_witness;

/* The most letters of a word of a witness. */
#define F2L_FINER_MOST_LETTERS 4000

typedef struct f2l_finer_row {
    f2l_ternary member;
    f2l_finer_witness witness; /* of an automaton outside the class */
    size_t order; /* of a definite or reverse definite automaton the least k; of an R-trivial one
                     the most changes of state; 0: none, or not known */
} f2l_finer_row;

typedef struct f2l_finer {
    f2l_finer_row row[F2L_FINER_CLASSES];
    size_t neutral;   /* letters that keep every state */
    char reason[256]; /* why a row is unknown; empty: none is, or classify says it */
} f2l_finer;

void f2l_finer_init(f2l_finer *finer);
void f2l_finer_clear(f2l_finer *finer);

/* Finds the classes of c->fsa; star-free is what *c says. Returns F2L_OK also when the task's
 * effort, or a stop, leaves rows unknown. On failure *out is cleared. */
f2l_status f2l_finer_find(f2l_finer *out, const f2l_classify *c, const f2l_task *task,
                          f2l_error *err);

/* Returns the state to which a text as "u w^n x", with this n, leads from the start. */
size_t f2l_finer_lead(const f2l_fsa *fsa, const f2l_finer_witness *witness, const char *text,
                      size_t n);

#endif
