/* Words on which a network must fail, and from which length on: a word u w w w .. is run beside the
 * automaton until the pair (state of the network, state of the automaton) recurs after a w; then
 * the labels at all lengths are known (theory/pages/obstruct.md, OB.5). In a number format and
 * schedule states are finitely many, so that they always recur, late perhaps; exact states may
 * never do. */
#ifndef F2L_OBSTRUCT_H
#define F2L_OBSTRUCT_H

#include "automata/fsa/fsa.h"
#include "models/schedule/schedule.h"
#include "models/wired/model.h"
#include "numeric/base/task.h"

/* A word u w w w .. : u is letter[0 .. prefix), w is letter[prefix .. prefix + length). */
typedef struct f2l_witness {
    size_t *letter;
    size_t prefix, length; /* length 0: there is none */
    size_t words; /* w's that the cycle of the automaton's states takes; 1: w acts as no cycle there
                   */
    uint64_t period; /* least period, in letters, of the labels that are right, from length `from`
                        on */
    uint64_t from;   /* the automaton is on its cycle there, at the end of a w */
} f2l_witness;

void f2l_witness_init(f2l_witness *w);
void f2l_witness_clear(f2l_witness *w);

/* letters[prefix + length], length > 0. */
f2l_status f2l_witness_set(f2l_witness *out, const f2l_fsa *fsa, f2l_label label,
                           const size_t *letters, size_t prefix, size_t length, f2l_error *err);

/* A shortest w that acts as a cycle on some reachable states on which labels are not all the same;
 * among those of its length one with a label period that has an odd factor, if there is one; then
 * the shortest u. Breadth-first over the maps that words make of the states, `maps` of them at most
 * (0: 50,000), fewer for a large automaton or for the task's memory: F2L_UNKNOWN where there are
 * more and these have no such word. F2L_OK with length 0: there is no such word (the labels of the
 * automaton are aperiodic). */
f2l_status f2l_witness_find(f2l_witness *out, const f2l_fsa *fsa, f2l_label label, size_t maps,
                            const f2l_task *task, f2l_error *err);

#define F2L_FAILURE_RESIDUES 32

typedef struct f2l_failure {
    f2l_status verdict; /* F2L_OK: right at all lengths of this word, no other; REFUTED; UNKNOWN:
                           see `reason` */
    const f2l_format *format; /* the caller's; NULL: exact arithmetic */
    const f2l_schedule *schedule;
    bool codes;     /* exact, and every state was a code */
    uint64_t first; /* least wrong length; 0: none. Then the label there (F2L_NO_INDEX: none) and
                       the one that is right */
    size_t label, expected;
    uint64_t letters;           /* that were run */
    bool recurs;                /* then the rest, but `wrong_before` */
    uint64_t preperiod, period; /* in letters: the pair after N letters is that after N + period, N
                                   >= preperiod */
    uint64_t wrong_before;      /* wrong lengths <= preperiod, or among those that were run */
    uint64_t wrong;             /* wrong lengths in one period */
    uint64_t pattern;           /* least period of right and wrong; divides period */
    size_t residues; /* wrong ones modulo `pattern`, all of them or the first F2L_FAILURE_RESIDUES
                      */
    uint64_t residue[F2L_FAILURE_RESIDUES];
    bool constant; /* one label at all lengths of the cycle: constant_label, or none (F2L_NO_INDEX)
                    */
    size_t constant_label;
    char reason[256]; /* why it does not recur, or what ended the run */
} f2l_failure;

#define F2L_FAILURE_LETTERS ((uint64_t)10000000)

/* Runs at most `limit` letters (0: F2L_FAILURE_LETTERS) looking for the recurrence. Labels are
 * those of the nearest codes, exactly also where states are rational (ordinary networks over Q;
 * elsewhere an exact run ends where a state is not a code). Lengths count letters; the empty word
 * is not looked at. F2L_OK whenever there is a verdict. */
f2l_status f2l_failure_find(f2l_failure *out, const f2l_model *model, const f2l_fsa *fsa,
                            const f2l_witness *word, const f2l_format *format,
                            const f2l_schedule *schedule, uint64_t limit, const f2l_task *task,
                            f2l_error *err);

#endif
