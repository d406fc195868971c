/* Two words that generate a group that is not solvable: the witness where a class of models is
 * limited to solvable groups (theory/pages/ladder.md, L.19). */
#ifndef F2L_WORD_PAIR_H
#define F2L_WORD_PAIR_H

#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"

/* Both words permute a set of states; the group that the two permutations generate is not solvable.
 */
typedef struct f2l_word_pair {
    uint32_t *letter[2];
    size_t length[2]; /* 0: there is no pair here */
    uint32_t *state;  /* the set; NULL: all states */
    size_t states;
    char *group; /* its name */
} f2l_word_pair;

void f2l_word_pair_init(f2l_word_pair *pair);
void f2l_word_pair_clear(f2l_word_pair *pair);

/* Replays the words: F2L_EDOMAIN unless both permute the set. That the group is not solvable is not
 * looked at. */
f2l_status f2l_word_pair_check(const f2l_fsa *fsa, const f2l_word_pair *pair, f2l_error *err);

/* Words that permute the `points` states of `domain` (NULL: all states) are met shorter ones first,
 * and each is paired with those before it, until a pair is found or `most` maps or the pairs that
 * are tried at most have been looked at: then out->length is 0, which says nothing. A group form
 * that tracks its elements is searched on its points. F2L_UNKNOWN only when the task says stop;
 * *out is cleared on failure. */
f2l_status f2l_word_pair_find(f2l_word_pair *out, const f2l_fsa *fsa, const uint32_t *domain,
                              size_t points, size_t most, const f2l_task *task, f2l_error *err);

#endif
