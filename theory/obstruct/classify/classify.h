/* What an automaton needs: the ladder (theory/pages/ladder.md).
 *
 * The simple groups that divide the transition monoid decide which classes of models can track the
 * automaton. They are read off the holonomy groups, or, for a permutation automaton, off the group
 * that its letters generate; the monoid is never listed for that. Where the family of image sets
 * passes its limit, what is left undecided is UNKNOWN, but that a word found to act as a cycle, or
 * the group of the letters that permute all states, may decide it. */
#ifndef F2L_CLASSIFY_H
#define F2L_CLASSIFY_H

#include "theory/construct/t4/t4.h"
#include "theory/obstruct/classify/cycle_word.h"
#include "theory/obstruct/classify/word_pair.h"

typedef enum f2l_ternary { F2L_TERNARY_NO, F2L_TERNARY_YES, F2L_TERNARY_UNKNOWN } f2l_ternary;

/* "no", "yes", "unknown". */
const char *f2l_ternary_name(f2l_ternary value);

/* Groups that are not trivial. */
typedef struct f2l_ladder_group {
    char *name;        /* f2l_group_name, or "not computed" */
    char *order;       /* decimal; NULL: not computed */
    char *factors;     /* composition factors, "Z_2 (x3), Z_3"; NULL: not computed */
    size_t components; /* holonomy classes that have it; 1 for the group of the permuting letters */
    size_t level;      /* the first of them, from 1; 0 for the group of the permuting letters */
    f2l_ternary two_group, solvable;
    size_t derived; /* length of the derived series of a solvable group; else, or not computed, 0 */
    size_t squares; /* of a 2-group: least length of a normal series with elementary abelian
                       quotients; else 0 */
} f2l_ladder_group;

typedef enum f2l_ladder_class {
    F2L_LADDER_DIAGONAL_POSITIVE,
    F2L_LADDER_DIAGONAL_REAL,
    F2L_LADDER_DIAGONAL_COMPLEX,
    F2L_LADDER_DELTANET_POSITIVE,
    F2L_LADDER_DELTANET,
    F2L_LADDER_DELTAPRODUCT,
    F2L_LADDER_GATED,
    F2L_LADDER_RWKV7,
    F2L_LADDER_RWKV7_DOUBLE,
    F2L_LADDER_PD_SSM,
    F2L_LADDER_TRANSFORMER,
    F2L_LADDER_CLASSES
} f2l_ladder_class;

typedef enum f2l_ladder_verdict {
    F2L_LADDER_CAN,
    F2L_LADDER_PUBLISHED, /* can, by a published theorem that was not checked here */
    F2L_LADDER_CANNOT,
    F2L_LADDER_UNLESS, /* cannot unless TC0 = NC1 */
    F2L_LADDER_OPEN,   /* not known */
    F2L_LADDER_UNKNOWN /* this automaton passed a limit */
} f2l_ladder_verdict;

/* "can", "can (published)", "cannot", "cannot unless TC0 = NC1", "not known", "UNKNOWN". */
const char *f2l_ladder_verdict_name(f2l_ladder_verdict verdict);

/* All texts are constants. */
typedef struct f2l_ladder_row {
    const char *id;     /* "diagonal-positive" */
    const char *name;   /* "diagonal [0,1]" */
    const char *models; /* "Mamba, GLA, mLSTM"; may be empty */
    f2l_ladder_verdict verdict;
    const char *statement;    /* "L.3, T1" */
    const char *scope;        /* what the verdict covers, and its conditions */
    const char *remark;       /* what else is worth knowing; may be empty */
    bool witness, odd, pair;  /* the word `any`, the word `odd`, or the two words `pair` are the
                                 witness */
    const char *construction; /* of "can": "T4" .. ; else empty */
    /* Of the construction, as its statement says: at most so many; 0: not known without building
     * it. */
    size_t layers, householders, dimension;
    size_t least_layers; /* with finitely many exact states, of every network of the class (L.6');
                            0: none is known */
} f2l_ladder_row;

typedef struct f2l_classify {
    const f2l_fsa *fsa; /* what is classified: the caller's, or `own` */
    f2l_fsa own;        /* its quotient by the labels, or the reachable part of a group form */
    bool permutation;   /* every letter permutes the states */
    bool idempotent;    /* every letter does twice what it does once; else .. */
    size_t letter;      /* .. this one does not, .. */
    size_t state;       /* .. from this state */
    bool hold_or_reset; /* every letter is the identity or a constant */
    bool letter_cycles; /* some letter acts as a cycle */
    bool definite;      /* k-definite, */
    size_t k;
    size_t levels;     /* of the holonomy cascade (1 for a permutation automaton); 0: not known */
    bool groups_known; /* all groups are listed; else `reason` */
    bool stopped;      /* by the task, which `reason` says: what was not reached is left unknown */
    char reason[512];
    f2l_ladder_group *group;
    size_t groups;
    f2l_ternary aperiodic, two_groups, solvable;
    f2l_cycle_word any, odd; /* witnesses; length 0: there is none, or none was met */
    bool odd_sought;         /* whether a word for `odd` was looked for: it exists, or may */
    f2l_word_pair pair;      /* witness that T is not solvable; lengths 0: none was met */
    size_t householders, heads, dimension; /* R1, for permutation automata; 0: not computed */
    size_t points, reflections; /* T3, where R1 was not computed: of the smallest representation; 0:
                                   not computed */
    size_t turn;                /* m where the letters generate Z_m or, `dihedral`, D_m; else 0 */
    bool dihedral;
    f2l_t4_figures cascade, gated; /* T4 by holonomy, without gates and with; 0: not known */
    f2l_ladder_row row[F2L_LADDER_CLASSES];
} f2l_classify;

typedef struct f2l_classify_options {
    f2l_label label;         /* outputs and accept: the quotient by these labels is classified */
    size_t max_sets;         /* of the holonomy family; 0: 70,000 */
    size_t max_order;        /* of a group whose representations are computed; 0: 720 */
    f2l_cycle_limits cycles; /* of the search for witnesses */
} f2l_classify_options;

void f2l_classify_init(f2l_classify *c);
void f2l_classify_clear(f2l_classify *c);

/* `fsa` is trimmed, deterministic and total, carries the labels, and stays as it is while *out
 * lives. F2L_OK also when something is left unknown because of a limit, the task's effort, or
 * because the task was stopped; F2L_UNKNOWN only where that was while the quotient by the labels
 * was made. The groups take at most half of the effort. On failure *out is cleared. `options` may
 * be NULL. */
f2l_status f2l_classify_build(f2l_classify *out, const f2l_fsa *fsa,
                              const f2l_classify_options *options, const f2l_task *task,
                              f2l_error *err);

/* Some verdict, or one of the three answers, is unknown because of a limit. */
bool f2l_classify_open(const f2l_classify *c);

#endif
