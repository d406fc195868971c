/* Words of a language for training and tests, as MLRegTest draws them (van der Poel et al., JMLR
 * 25, 2024; README of its repository): in each set as many words of the language as others, as many
 * of each length, and among these all equally likely.
 *
 *   train               words of 20 to 29 letters, perhaps some of them twice
 *   dev, short-random   the same, each word once, and none that is in a set before it
 *   long-random         words of 31 to 50 letters, each once
 *   short-adversarial, long-adversarial
 *                       pairs of a word of the language and another word at edit distance 1, both
 * of these lengths (models/learn/data/edit_pairs.h); each pair once, and no word that is in train
 * or dev
 *
 * Nothing but the minimal automaton with the order of its letters, the number of words and the seed
 * says which words these are. */
#ifndef F2L_WORD_SETS_H
#define F2L_WORD_SETS_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/word_list.h"
#include "numeric/base/task.h"

typedef enum f2l_word_set {
    F2L_SET_TRAIN,
    F2L_SET_DEV,
    F2L_SET_SHORT_RANDOM,
    F2L_SET_SHORT_ADVERSARIAL,
    F2L_SET_LONG_RANDOM,
    F2L_SET_LONG_ADVERSARIAL,
    F2L_SETS
} f2l_word_set;

/* Returns "train", "dev", "short-random", ..; NULL past the last. */
const char *f2l_word_set_name(size_t set);

/* Numbers of words are multiples of this: a word of each label and length. */
#define F2L_WORD_SET_STEP 40

/* Draws all sets, of `words` words each, into set[F2L_SETS] (initialised empty). Letters are the
 * automaton's, in its order; the label after the last letter is reject or accept. The automaton is
 * deterministic and total. F2L_EDOMAIN: a number of words that is 0 or no multiple of
 * F2L_WORD_SET_STEP, or a language that has too few words of some length. */
f2l_status f2l_word_sets_draw(f2l_word_list set[F2L_SETS], const f2l_fsa *fsa, size_t words,
                              uint64_t seed, const f2l_task *task, f2l_error *err);

/* Appends the words as JSON lines, {"word":["a","b"],"label":"accept"}. */
f2l_status f2l_word_set_write(f2l_buf *out, const f2l_word_list *set, f2l_error *err);

#endif
