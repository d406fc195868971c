/* The shortest word that a trained network answers wrongly, as far as a bounded search knows.
 *
 * Random words hide failures: nearly all words of a group are mixed well, and a network fails first
 * on words that repeat themselves. The search reads, letter by letter in float32, on the letters
 * that the data draw:
 *
 *   all words, shortest first. A word that leads the network and the automaton to states to which a
 *   word before led them is not followed;
 *   powers of all words of 1, 2 and 3 letters, or of as many of each, spread evenly;
 *   words of least margin: of the words of one length those are followed whose right label has the
 *   least lead over the other labels;
 *   a word that another search met, up to its first wrong answer;
 *   the shortest wrong word with letters left out, as long as it stays wrong.
 *
 * Each has a part of the letters that may be read. These are observations: they prove nothing. */
#ifndef F2L_LEARNED_FAILING_H
#define F2L_LEARNED_FAILING_H

#include "models/learn/data/data_evaluate.h"
#include "theory/beside/compare/reader.h"

/* The most letters of a word that the search reads. */
#define F2L_FAILING_LETTERS 256

typedef struct f2l_failing {
    const char *no_search;   /* why no word was read, a constant text; NULL: some were */
    size_t letters;          /* of the shortest wrong word that is known; 0: none is known */
    uint32_t *word;          /* [letters]; owned */
    uint32_t expected, got;  /* labels after it; got UINT32_MAX: not known here */
    size_t all_letters;      /* all words of at most this many letters were tried */
    size_t powers, followed; /* words of the second and third kind that were tried */
    bool met;                /* the word that another search met was read */
    uint64_t read;           /* letters that were read */
    bool limited;            /* the task's time or memory ended the search */
} f2l_failing;

void f2l_failing_clear(f2l_failing *failing);

/* As many letters as a second or so allows: 100,000, and fewer for large networks. */
#define F2L_FAILING_USUAL UINT64_MAX

/* Returns the letters that a search of the model may read where `read` are asked for. */
uint64_t f2l_failing_budget(const f2l_seq *model, uint64_t read);

/* What is known before the search; borrowed. */
typedef struct f2l_failing_known {
    const f2l_data_wrong *seen; /* the first wrong answer of an evaluation of the same data; NULL:
                                 * there is none */
    const uint32_t *met;        /* [met_letters] a word that may be wrong */
    size_t met_letters;         /* 0: there is none */
} f2l_failing_known;

/* Searches with at most about `read` letters, F2L_FAILING_USUAL perhaps (0: not at all), beside the
 * word that is met. `known` is NULL where nothing is. The word that was seen, unless it is of a
 * list of words, and the one that was met, where it is wrong here, are taken where nothing shorter
 * is found, and may be made shorter. *out is cleared by f2l_failing_clear, also after a failure.
 * The time or the memory of the task end the search, which is no failure; F2L_UNKNOWN: a signal
 * did. */
f2l_status f2l_failing_find(f2l_failing *out, const f2l_seq *model, const float *parameters,
                            const f2l_data *data, const f2l_failing_known *known, uint64_t read,
                            const f2l_task *task, f2l_error *err);

#endif
