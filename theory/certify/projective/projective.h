/* Closure modulo powers of two (theory/pages/engines.md, EN.10 - EN.12). A store whose scale is
 * tied to the largest number has no absolute unit, so that a state may recur at another size only.
 * Here joint states that differ by a power of two are one row. */
#ifndef F2L_PROJECTIVE_H
#define F2L_PROJECTIVE_H

#include "theory/certify/closure/closure.h"

typedef enum f2l_gain {
    F2L_GAIN_OPEN,    /* not decided within the limit on sweeps */
    F2L_GAIN_BOUNDED, /* the size stays within 2^least .. 2^most of the initial one */
    F2L_GAIN_GROWS,   /* a word that leads back to a state multiplies it by a power of two >= 2 */
    F2L_GAIN_SHRINKS  /* the same with a power of two <= 1/2, and none grows */
} f2l_gain;

typedef struct f2l_projective {
    /* F2L_OK: right on every word on which nothing under- or overflows. F2L_REFUTED: the label
     * after `word` is wrong, in the format too. F2L_UNKNOWN: see `reason`. The format's own verdict
     * needs a bound on sizes beside it. */
    f2l_status verdict;
    char reason[256];
    size_t rows;
    f2l_gain gain; /* with F2L_OK */
    int least, most;
    /* With a cycle, or F2L_REFUTED: letter indices. After the first `prefix` letters of the word
     * the rest of it multiplies the state by 2^power, number by number. Owned. */
    uint32_t *word;
    size_t prefix, letters;
    int power;
    bool replayed; /* the cycle was run in the format, from the initial state, with this result */
    /* How many letters of the prefix and then of the cycle, again and again, make the label in the
     * format wrong, or `letters` with F2L_REFUTED; 0: none was seen. Labels after these. */
    size_t wrong;
    char expected[128], got[128]; /* got: "no code" */
} f2l_projective;

void f2l_projective_init(f2l_projective *p);
void f2l_projective_clear(f2l_projective *p);

/* Sets *out, which is initialised. max_rows 0: 1,000,000. Returns F2L_OK also where the verdict is
 * F2L_UNKNOWN, since the network or the schedule has an absolute unit, or a limit was reached. */
f2l_status f2l_projective_close(f2l_projective *out, const f2l_net *net, const f2l_fsa *fsa,
                                const f2l_format *format, const f2l_schedule *schedule,
                                size_t max_rows, const f2l_task *task, f2l_error *err);

/* Sets *word to the wrong word's letters, [p->wrong], owned by the caller. */
f2l_status f2l_projective_word(uint32_t **word, const f2l_projective *p, f2l_error *err);

/* Writes the result as a sentence. */
void f2l_projective_text(char out[256], const f2l_projective *p);

#endif
