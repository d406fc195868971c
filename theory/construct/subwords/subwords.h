/* Networks for automata whose label depends on which words of a finite set are subwords of what was
 * read (theory/pages/subwords.md, PT): a head for each of these words, in the layer of its length.
 * The languages are the piecewise testable ones, whose syntactic monoids are J-trivial. */
#ifndef F2L_SUBWORDS_H
#define F2L_SUBWORDS_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"
#include "models/network/net/wired.h"

#define F2L_SUBWORDS_MOST 64       /* words */
#define F2L_SUBWORDS_CONTENTS 8192 /* sets of words that are subwords of some input */
#define F2L_SUBWORDS_NONE UINT32_MAX

/* A word of the set, which is closed under prefixes; shorter words come first. */
typedef struct f2l_subword {
    uint32_t parent; /* the word without its last letter; F2L_SUBWORDS_NONE: the empty word */
    uint32_t letter; /* the last one */
    uint32_t length;
    bool read;  /* a longer word has it as its parent */
    bool twice; /* one of these repeats the last letter */
} f2l_subword;

typedef struct f2l_subwords {
    size_t words;
    f2l_subword word[F2L_SUBWORDS_MOST];
    size_t contents;
    uint64_t *held;     /* [contents] bit w: word w is a subword of what was read */
    uint32_t *label;    /* [contents] number of the label, numbered as `label_of` */
    uint32_t *label_of; /* [states] labels are numbered by their first states */
} f2l_subwords;

/* Finds the words for an automaton all of whose states are reachable. F2L_EDOMAIN, with the reason,
 * where it finds no set within the limits: letters that lead to a state again after another one
 * exclude every set. *out, zero at first, is cleared by the caller in every case. */
f2l_status f2l_subwords_find(f2l_subwords *out, const f2l_fsa *fsa, f2l_label label,
                             const f2l_task *task, f2l_error *err);
void f2l_subwords_clear(f2l_subwords *subwords); /* zero allowed; zero after */

/* Builds the wired network into *out (initialised; replaced). fsa_sha256 is left empty. */
f2l_status f2l_subwords_build(f2l_net *out, const f2l_subwords *subwords, const f2l_fsa *fsa,
                              f2l_label label, const f2l_task *task, f2l_error *err);

#endif
