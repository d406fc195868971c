/* A word over the letters of an automaton. */
#ifndef F2L_WORD_H
#define F2L_WORD_H

#include "automata/fsa/fsa.h"

typedef struct f2l_word {
    uint32_t *letter; /* [length] owned; may be NULL when the word is empty */
    size_t length;
} f2l_word;

void f2l_word_clear(f2l_word *word);

/* Returns the state to which the word leads from a state. */
static inline size_t f2l_word_lead(const f2l_fsa *fsa, size_t state, const f2l_word *word)
{
    for (size_t i = 0; i < word->length; i++)
        state = fsa->next[state * fsa->letters.count + word->letter[i]];
    return state;
}

/* Appends `before`, " l_1 .. l_n", numbers from 1, and the end of the line: a word as certificates
 * have it. */
void f2l_word_write(f2l_buf *out, const char *before, const f2l_word *word);

/* Appends the beginning of a certificate of a lower bound, whose kind its first line names: the
 * automaton's hash, the label, and the class of every state, which is -1 modulo 2^32 where the
 * start does not reach it. Fails when the automaton cannot be written. */
f2l_status f2l_bound_begin(f2l_buf *out, const char *kind, const f2l_fsa *fsa, f2l_label label,
                           const uint32_t *class_of, f2l_error *err);

/* --- searches in tuples of states --- */

#define F2L_MOST_TUPLE 8 /* states of a tuple */

/* A breadth-first search from a tuple of states, all of which read the same letters. */
typedef struct f2l_tuples {
    const f2l_fsa *fsa; /* borrowed */
    size_t size;        /* states of a tuple */
    size_t most;        /* tuples that may be met; 0: no limit */
    /* Returns whether the letter that leads from one tuple to the other ends the search. */
    bool (*ends)(const struct f2l_tuples *search, const uint32_t *from, size_t letter,
                 const uint32_t *to);
    /* Returns whether no word from the tuple ends the search; NULL: that is not known. */
    bool (*dead)(const struct f2l_tuples *search, const uint32_t *tuple);
    uint32_t target[F2L_MOST_TUPLE]; /* for `ends` */
    f2l_label label;                 /* for `ends` */
    void *context;                   /* for `ends` */
} f2l_tuples;

/* These may be `ends`: the tuple is `target`; the labels of a pair differ, after the letter, or
 * with labels of edges at it. */
bool f2l_tuples_at_target(const f2l_tuples *search, const uint32_t *from, size_t letter,
                          const uint32_t *to);
bool f2l_tuples_are_apart(const f2l_tuples *search, const uint32_t *from, size_t letter,
                          const uint32_t *to);

/* Finds a shortest non-empty word that ends the search, and sets *found and *out, which is to be
 * empty. Returns F2L_UNKNOWN where a limit leaves open whether there is one. */
f2l_status f2l_tuples_find(f2l_word *out, bool *found, const f2l_tuples *search,
                           const uint32_t *start, const f2l_task *task, f2l_error *err);

/* Finds a shortest word that is accepted, or rejected, and sets *found and *out, which is to be
 * empty. */
f2l_status f2l_word_judged(f2l_word *out, bool *found, const f2l_fsa *fsa, bool accepted,
                           const f2l_task *task, f2l_error *err);

/* Returns whether the labels of two states differ; not for F2L_LABEL_EDGES. */
bool f2l_labels_differ(const f2l_fsa *fsa, f2l_label label, size_t p, size_t q);

#endif
