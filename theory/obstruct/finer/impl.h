/* Private to theory/obstruct/finer. */
#ifndef F2L_THEORY_OBSTRUCT_FINER_IMPL_H
#define F2L_THEORY_OBSTRUCT_FINER_IMPL_H

#include "automata/graph/scc.h"
#include "theory/obstruct/finer/finer.h"

/* The states that lead to each state by words, the empty one included. */
typedef struct finer_ancestors {
    size_t words;  /* of a row */
    uint64_t *row; /* [states][words]: bit p of row q says that a word leads p to q */
} finer_ancestors;

/* Sets *out, owned by the caller, for the letters of `fsa`, whose components are `scc`. */
f2l_status f2l_finer_ancestors(finer_ancestors *out, const f2l_fsa *fsa, const f2l_scc *scc,
                               f2l_meter *meter, f2l_error *err);

static inline bool finer_leads(const finer_ancestors *a, size_t p, size_t q)
{
    return a->row[q * a->words + p / 64] >> p % 64 & 1;
}

/* The automaton with one letter of each class of letters that act alike, and its graphs. */
typedef struct finer_search {
    const f2l_fsa *fsa; /* the whole one, borrowed */
    f2l_fsa part;       /* only start, next and the numbers of states and letters are set */
    uint32_t *letter;   /* [part.letters.count] of the whole automaton */
    f2l_scc states;
    finer_ancestors ancestors;
    /* The graph of the pairs p < q, number p n + q; other numbers have no edges. An edge between
     * pairs is a letter that keeps the states different; it may exchange them. */
    f2l_scc pairs;
    uint8_t *cyclic; /* [pairs.count] whether a word that is not empty leads a pair of the component
                        back to it */
    f2l_meter meter;
} finer_search;

/* Builds the search for the letters that are not neutral, or for all. */
f2l_status f2l_finer_search_init(finer_search *out, const f2l_fsa *fsa, bool neutral,
                                 const f2l_task *task, f2l_error *err);
void f2l_finer_search_clear(finer_search *s);

static inline size_t finer_pair(const finer_search *s, size_t p, size_t q)
{
    return p < q ? p * s->part.states.count + q : q * s->part.states.count + p;
}

/* Returns whether some word that is not empty fixes p and q, which differ. */
static inline bool finer_fixed(const finer_search *s, size_t p, size_t q)
{
    return s->cyclic[s->pairs.of[finer_pair(s, p, q)]];
}

/* Returns the number of letters that keep every state. */
size_t f2l_finer_neutral(const f2l_fsa *fsa);

/* --- words of witnesses, over the letters of the whole automaton; *out is to be empty --- */

/* Sets *out to a shortest word that leads p to q, empty where they are one. */
f2l_status f2l_finer_way(f2l_word *out, const finer_search *s, size_t p, size_t q, f2l_error *err);

/* Sets *out to a shortest word, not empty, that leads each state of `from` to its state in `to`;
 * there is one. */
f2l_status f2l_finer_ways(f2l_word *out, const finer_search *s, const uint32_t *from,
                          const uint32_t *to, size_t count, f2l_error *err);

/* Sets *out to a shortest word, not empty, that fixes the states. */
f2l_status f2l_finer_loop(f2l_word *out, const finer_search *s, const uint32_t *state, size_t count,
                          f2l_error *err);

/* Takes w to a power such that the states of the witness are the same for each n >= 1, and sets
 * them; leaves out a witness whose words are too long. */
f2l_status f2l_finer_settle(f2l_finer_witness *witness, const f2l_fsa *fsa, f2l_error *err);

f2l_status f2l_finer_copy_word(f2l_word *out, const f2l_word *word, size_t times, f2l_error *err);
f2l_status f2l_finer_append(f2l_word *to, const f2l_word *word, f2l_error *err);

/* --- the classes --- */

/* Set a row by the patterns of FC.1 to FC.3, of FC.4, and of FC.6. */
f2l_status f2l_finer_definite(f2l_finer_row *row, finer_search *s, f2l_error *err);
f2l_status f2l_finer_reverse(f2l_finer_row *row, finer_search *s, f2l_error *err);
f2l_status f2l_finer_generalised(f2l_finer_row *row, finer_search *s, f2l_error *err);
f2l_status f2l_finer_local(f2l_finer_row *row, finer_search *s, f2l_error *err);
f2l_status f2l_finer_r(f2l_finer_row *row, finer_search *s, f2l_error *err);

/* Sets the row of locally threshold testable of an aperiodic automaton, by FC.14; F2L_UNKNOWN where
 * words make too many maps. */
f2l_status f2l_finer_threshold(f2l_finer_row *row, const finer_search *s, f2l_error *err);

/* Sets the row of dot-depth one, by FC.16. */
f2l_status f2l_finer_depth(f2l_finer_row *row, finer_search *s, f2l_error *err);

/* Sets the rows of L-trivial and DA by FC.7 and FC.8, where they are unknown. */
f2l_status f2l_finer_contents(f2l_finer_row *l, f2l_finer_row *da, finer_search *s, f2l_error *err);

#endif
