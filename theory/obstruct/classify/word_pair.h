/* Two words that generate a group that is not solvable: the witness where a class of models is
 * limited to solvable groups (theory/pages/ladder.md, L.19). */
#ifndef F2L_WORD_PAIR_H
#define F2L_WORD_PAIR_H

#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"

/* Two words that permute a set of states, such that the two permutations generate a group that is
 * not solvable. Owns its arrays. */
typedef struct f2l_word_pair {
    uint32_t *letter[2];
    size_t length[2]; /* 0: there is no pair */
    uint32_t *state;  /* the set; NULL: all states */
    size_t states;
    char *group; /* name of the group */
} f2l_word_pair;

void f2l_word_pair_init(f2l_word_pair *pair);
void f2l_word_pair_clear(f2l_word_pair *pair);

/* Replays the words: returns F2L_EDOMAIN unless both permute the set. Does not check that the group
 * is not solvable. */
f2l_status f2l_word_pair_check(const f2l_fsa *fsa, const f2l_word_pair *pair, f2l_error *err);

/* Searches for a pair. Words that permute the `points` states of `domain` (NULL: all states) are
 * found shorter ones first, and each is paired with the earlier ones, until a pair is found or the
 * limit on the maps (`most`) or on the pairs is reached: out->length is then 0, which proves
 * nothing. A group form that tracks its elements is searched on its points. Returns F2L_UNKNOWN
 * only when the task says stop; *out is cleared on failure. */
f2l_status f2l_word_pair_find(f2l_word_pair *out, const f2l_fsa *fsa, const uint32_t *domain,
                              size_t points, size_t most, const f2l_task *task, f2l_error *err);

#endif
