/* Words that are drawn from a language (models/learn/data/word_sets.h) in the place of a file:
 * "mlregtest:LANGUAGE.att", with the sizes of MLRegTest's three sets and the names of its other
 * sets, as in "mlregtest-mid-dev:LANGUAGE.att". LANGUAGE.att is an automaton in any syntax; missing
 * transitions reject where the syntax says it. */
#ifndef F2L_WORD_LANGUAGE_H
#define F2L_WORD_LANGUAGE_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/word_sets.h"
#include "models/learn/words/word_file.h"

typedef struct f2l_word_language {
    const char *path; /* of the automaton; borrowed */
    size_t size;      /* 0: small, 1: mid, 2: large */
    f2l_word_set set;
} f2l_word_language;

/* Returns whether the source names a language; then sets *out. */
bool f2l_word_language_parse(f2l_word_language *out, const char *source);

/* Appends the source's text with this set, "mlregtest-mid-dev:PATH". */
void f2l_word_language_put(f2l_buf *out, const f2l_word_language *language, f2l_word_set set);

/* Reads the automaton, deterministic and total, into *out, which is initialised empty. */
f2l_status f2l_word_language_open(f2l_fsa *out, const f2l_word_language *language,
                                  const f2l_task *task, f2l_error *err);

/* Draws the words of the set, by seed 1, and checks them by the options like the words of a file
 * (f2l_word_file_read). */
f2l_status f2l_word_language_read(f2l_word_list *out, const f2l_word_language *language,
                                  const f2l_word_file_options *options, f2l_error *err);

#endif
