/* Words on which a network must fail, and from which length on: a word u w w w .. is run beside the
 * automaton until the pair (state of the network, state of the automaton) recurs after a w; then
 * the labels at all lengths are known (theory/pages/obstruct.md, OB.5). In a number format and
 * schedule there are finitely many states, so the pair always recurs, though perhaps late; exact
 * states may never recur. */
#ifndef F2L_OBSTRUCT_H
#define F2L_OBSTRUCT_H

#include "automata/fsa/fsa.h"
#include "models/network/schedule/schedule.h"
#include "models/network/wired/network_text.h"
#include "numeric/base/task.h"

/* A word u w w w .. : u is letter[0 .. prefix), w is letter[prefix .. prefix + length). Owns the
 * letters. */
typedef struct f2l_witness {
    size_t *letter;
    size_t prefix, length; /* length 0: there is no word */
    size_t words;    /* number of w's in the cycle of the automaton's states; 1: w acts as no cycle
                        there */
    uint64_t period; /* least period, in letters, of the right labels, from length `from` on */
    uint64_t from;   /* length at which the automaton is on its cycle, at the end of a w */
} f2l_witness;

void f2l_witness_init(f2l_witness *w);
void f2l_witness_clear(f2l_witness *w);

/* Copies letters[prefix + length], length > 0, to *out. */
f2l_status f2l_witness_set(f2l_witness *out, const f2l_fsa *fsa, f2l_label label,
                           const size_t *letters, size_t prefix, size_t length, f2l_error *err);

/* Finds a shortest w that acts as a cycle on some reachable states on which labels are not all the
 * same; among the words of its length one with a label period that has an odd factor, if there is
 * one; then the shortest u. The search is breadth-first over the maps that words make of the
 * states, `maps` of them at most (0: 50,000), fewer for a large automaton or for the task's memory:
 * F2L_UNKNOWN where there are more and these have no such word. F2L_OK with length 0: there is no
 * such word (the labels of the automaton are aperiodic). */
f2l_status f2l_witness_find(f2l_witness *out, const f2l_fsa *fsa, f2l_label label, size_t maps,
                            const f2l_task *task, f2l_error *err);

#define F2L_FAILURE_RESIDUES 32

typedef struct f2l_failure {
    f2l_status verdict; /* F2L_OK: right at all lengths of this word (of no other word); REFUTED;
                           UNKNOWN: see `reason` */
    const f2l_format *format; /* the caller's; borrowed; NULL: exact arithmetic */
    const f2l_schedule *schedule;
    bool codes;     /* exact, and every state was a code */
    uint64_t first; /* least wrong length; 0: none. After it the label there (F2L_NO_INDEX: none)
                       and the right label */
    size_t label, expected;
    uint64_t letters; /* letters that were run */
    bool recurs; /* the pair recurs; the members below, except `wrong_before`, are set only then */
    uint64_t preperiod, period; /* in letters: the pair after N letters equals the pair after N +
                                   period, for N >= preperiod */
    uint64_t wrong_before; /* number of wrong lengths <= preperiod, or among the lengths that were
                              run */
    uint64_t wrong;        /* number of wrong lengths in one period */
    uint64_t pattern;      /* least period of right and wrong; divides period */
    size_t residues;       /* wrong lengths modulo `pattern`, all of them or the first
                              F2L_FAILURE_RESIDUES */
    uint64_t residue[F2L_FAILURE_RESIDUES];
    bool constant; /* the same label at all lengths of the cycle: constant_label, or none
                      (F2L_NO_INDEX) */
    size_t constant_label;
    char reason[256]; /* why the pair does not recur, or what ended the run */
} f2l_failure;

#define F2L_FAILURE_LETTERS ((uint64_t)10000000)

/* Runs at most `limit` letters (0: F2L_FAILURE_LETTERS) until the pair recurs. Labels are the
 * labels of the nearest codes, computed exactly also where states are rational (ordinary networks
 * over Q; in other networks an exact run ends where a state is not a code). Lengths count letters;
 * the empty word is not examined. Returns F2L_OK whenever there is a verdict. */
f2l_status f2l_failure_find(f2l_failure *out, const f2l_net *model, const f2l_fsa *fsa,
                            const f2l_witness *word, const f2l_format *format,
                            const f2l_schedule *schedule, uint64_t limit, const f2l_task *task,
                            f2l_error *err);

#endif
