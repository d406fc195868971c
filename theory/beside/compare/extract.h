/* The automaton that the states of a trained network form.
 *
 * States after random words (sample.h) fall into clusters where there is a gap between them
 * (gaps.h): between the states themselves, or else between what the network says after some letters
 * more (view.h). Beginning with the state before the first letter, every cluster is left by every
 * letter from the network's state after the shortest word that leads to it; the new state is of the
 * cluster of the nearest state that is known, or begins a cluster if that is not nearer than the
 * gap. The network's own answers are the labels of the transitions, since its read-out depends on
 * the last letter. This automaton is minimised, and compared with the given one.
 *
 * Gaps of many clusters are tried first. The automaton of a gap fits when it gives the states and
 * answers of the sample, letter by letter.
 *
 * All of this is an observation: other words may lead out of the clusters, and no word of another
 * length was looked at. */
#ifndef F2L_LEARNED_EXTRACT_H
#define F2L_LEARNED_EXTRACT_H

#include "automata/algebra/algebra.h"
#include "theory/beside/compare/gaps.h"

/* The part of the transitions of the sample that may differ from an automaton that fits. */
#define F2L_EXTRACT_FITS 0.01

/* Words that are read to find one that is answered wrongly, and their length. */
#define F2L_EXTRACT_WORDS ((size_t)128)
#define F2L_EXTRACT_LENGTH ((size_t)64)

typedef struct f2l_extract {
    f2l_view_kind view;
    f2l_gap gap;      /* clusters: of the sample */
    size_t clusters;  /* of the automaton; 0: no automaton was found */
    char reason[256]; /* why none was found; empty: one was */
    bool fits;        /* the sample differs in at most F2L_EXTRACT_FITS of its transitions */
    size_t steps;     /* transitions of the sample */
    size_t other_state, other_answer; /* number of these that lead to another cluster, or give
                                       * another answer, than the automaton's */
    f2l_fsa machine;                  /* states are clusters; labels of transitions are answers */
    f2l_fsa given;       /* the automaton of the data with the letters of the sample, likewise */
    f2l_fsa given_moore; /* minimal, with outputs of states */
    /* Pairs of a cluster and a state of given_moore that words lead to, whatever the answers are.
     * As many as clusters: every cluster belongs to one state. As many as states of given_moore:
     * the clusters are a quotient of the automaton. */
    size_t pairs;
    uint32_t *with_start; /* [with_starts] states of given_moore that lie in the start's cluster */
    size_t with_starts;
    size_t wrong;         /* answers of the sample that are not the automaton's */
    uint32_t *wrong_word; /* [wrong_letters] letters of the sample: a shortest word that is answered
                           * wrongly, of the beginnings of the words that were looked at: the
                           * sample's, and without a machine that fits F2L_EXTRACT_WORDS others.
                           * NULL: none was found */
    size_t wrong_letters;
    /* The rest is for a machine that fits. */
    f2l_fsa moore;             /* minimal, with outputs of states */
    f2l_difference difference; /* letters are the sample's */
    uint32_t answer;           /* of the network after that word */
    bool confirmed; /* this answer is the machine's, so that the network errs on that word */
} f2l_extract;

void f2l_extract_init(f2l_extract *out);
void f2l_extract_clear(f2l_extract *out);

/* Builds *out, initialised; cleared also after a failure. That there is no automaton is no failure.
 * F2L_UNKNOWN: the task stopped it. */
f2l_status f2l_extract_build(f2l_extract *out, f2l_learned_reader *reader,
                             const f2l_learned_sample *sample, const f2l_task *task,
                             f2l_error *err);

/* Builds the machine whose transitions have the answers of the data as labels, with the letters of
 * the sample, into *out (initialised empty). */
f2l_status f2l_extract_given(f2l_fsa *out, const f2l_learned_sample *sample, const f2l_data *data,
                             f2l_error *err);

#endif
