/* Words that act as a cycle on some states: witnesses that an automaton is not aperiodic, or that
 * its groups are not all 2-groups (theory/pages/ladder.md, L.1 and L.2). */
#ifndef F2L_CYCLE_WORD_H
#define F2L_CYCLE_WORD_H

#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"

/* A cycle word: w takes state[0] to state[1], .., state[period - 1] to state[0]. Owns both
 * arrays. */
typedef struct f2l_cycle_word {
    uint32_t *letter;
    size_t length; /* 0: there is no word */
    uint32_t *state;
    size_t period;
    bool shortest; /* no shorter word does this, and no earlier word of this length in the order of
                      the letters */
} f2l_cycle_word;

void f2l_cycle_word_init(f2l_cycle_word *word);
void f2l_cycle_word_clear(f2l_cycle_word *word);

/* Copies the word to *out (initialised empty). */
f2l_status f2l_cycle_word_copy(f2l_cycle_word *out, const f2l_cycle_word *word, f2l_error *err);

/* Replays the word, and returns whether it acts as claimed. */
bool f2l_cycle_word_holds(const f2l_fsa *fsa, const f2l_cycle_word *word);

typedef struct f2l_cycle_words {
    f2l_cycle_word any; /* a cycle of more than one state */
    f2l_cycle_word odd; /* a cycle whose length is no power of two */
    bool complete;      /* all maps were examined: a word that was not found does not exist */
    size_t maps;        /* number of different maps that were found */
} f2l_cycle_words;

void f2l_cycle_words_init(f2l_cycle_words *words);
void f2l_cycle_words_clear(f2l_cycle_words *words);

typedef struct f2l_cycle_limits {
    size_t maps;    /* limit on the different maps that are held; 0: 2^21 */
    size_t bytes;   /* limit on their bytes; 0: 256 MiB. The task's memory is a limit as well */
    uint64_t steps; /* limit on the steps of f2l_cycle_word_tuples; 0: 100,000,000 */
} f2l_cycle_limits;

/* Searches breadth-first over the different maps that words make of `points` states (domain NULL:
 * all), until both words, or with want_odd false the first, are found, or the limits are reached;
 * the words found by then are still the shortest. For a domain that is not all states the words are
 * short, not shortest, cycles lie inside it, and maps that are not injective on it are left out.
 * Returns F2L_UNKNOWN only when the task says stop; *out is cleared on failure. `limits` may be
 * NULL. */
f2l_status f2l_cycle_words_find(f2l_cycle_words *out, const f2l_fsa *fsa, const uint32_t *domain,
                                size_t points, bool want_odd, const f2l_cycle_limits *limits,
                                const f2l_task *task, f2l_error *err);

/* Finds the shortest word that rotates `period` states (2 or 3) among the words met in a
 * breadth-first search over tuples of states, while the steps last; out->length is 0 when none was
 * found. Needs no subsets and no maps; does not search beyond 2^22 tuples. */
f2l_status f2l_cycle_word_tuples(f2l_cycle_word *out, const f2l_fsa *fsa, size_t period,
                                 const f2l_cycle_limits *limits, const f2l_task *task,
                                 f2l_error *err);

#endif
