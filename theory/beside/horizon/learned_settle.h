/* Words z u^t w at all t: where the states of a learned network of one layer settle, and whether
 * the answer there is wrong for ever (theory/pages/all-lengths.md).
 *
 * The search is in doubles, without bounds of its own roundings but for the length T of the one
 * claim that goes into the certificate, which horizon-check verifies. Scope: exact. */
#ifndef F2L_LEARNED_SETTLE_H
#define F2L_LEARNED_SETTLE_H

#include "numeric/base/task.h"
#include "theory/beside/horizon/learned_horizon.h"

/* Letters of a prefix, and of a period; the usual ones of the longest word that is run. */
enum { F2L_SETTLE_MOST = 12, F2L_SETTLE_RUN = 20000 };

typedef struct f2l_settle_ask {
    size_t length;  /* letters of prefixes and of periods, at most; 1..F2L_SETTLE_MOST */
    size_t words;   /* as many prefixes and periods at most, the shortest ones */
    size_t claims;  /* wrong limits that get a length, at most; four get it also after the time */
    size_t suffix;  /* letters of w, at most; 0..F2L_SETTLE_MOST */
    double seconds; /* about how long periods are looked at, and claims get lengths */
    size_t run;     /* letters of the longest word that is run to find a wrong answer */
} f2l_settle_ask;

typedef struct f2l_settle_word {
    size_t count;
    uint32_t letter[F2L_SETTLE_MOST];
} f2l_settle_word;

/* Sets *to to the next word, shortest first, letters being digits: behind the last one of a length
 * to the first one of the next, which may be one letter longer than there is room for. */
void f2l_settle_next_word(f2l_settle_word *to, size_t letters);

typedef enum f2l_settle_verdict {
    F2L_SETTLE_NONE, /* no wrong limit was found: nothing is known of other words */
    F2L_SETTLE_TIE, /* no limit is wrong, but some tie, or no length is proved for the wrong ones */
    F2L_SETTLE_FAILS /* the certificate's claim */
} f2l_settle_verdict;

typedef struct f2l_settle {
    f2l_settle_verdict verdict;
    size_t length, prefixes, periods; /* letters, and the words that were looked at */
    size_t suffixes;    /* words w, with the empty one; behind the shortest prefixes only */
    size_t dependent;   /* periods left out: their keys are nearly dependent */
    bool complete;      /* all words of at most `length` letters */
    f2l_stop ended;     /* the task's time or memory that ended the search early */
    bool group;         /* a period leads a state through a cycle of several */
    size_t wrong, ties; /* pairs z, u for which a limit is wrong, or ties, after some w */
    /* The claim: the answer to z u^t w is `answer` for t >= after, but the automaton is in a cycle
     * of `cycle` states before w, of which w leads `wrong_states` to another state. */
    f2l_settle_word prefix, period, suffix;
    size_t answer, cycle, wrong_states, after;
    double within; /* letters of a wrong word, at most */
    /* The shortest wrong word that was met by running words z u^t w; length 0: none. */
    size_t found, found_state, found_answer; /* found_state: the right answer */
    f2l_settle_word found_prefix, found_period, found_suffix;
} f2l_settle;

/* Returns "none", "tie" or "fails". */
const char *f2l_settle_name(f2l_settle_verdict verdict);

/* Looks for a claim; arguments and failures as of f2l_learned_horizon_build. Where the time or the
 * memory of the task end the search after the first period, what was found is the result, and
 * out->ended the reason; four fifths of the time are for periods. */
f2l_status f2l_settle_find(f2l_settle *out, const f2l_seq *model, const double *parameters,
                           const f2l_fsa *fsa, bool begin, const f2l_settle_ask *ask,
                           const f2l_task *task, f2l_error *err);

/* Writes the wrong word that was met, out->found letters, into word[F2L_SETTLE_RUN]. */
void f2l_settle_spell(uint32_t *word, const f2l_settle *settle);

/* Appends the certificate. F2L_EDOMAIN: the verdict is another one than F2L_SETTLE_FAILS. */
f2l_status f2l_settle_write(f2l_buf *out, const f2l_settle *settle, const f2l_learned_files *files,
                            f2l_error *err);

#endif
