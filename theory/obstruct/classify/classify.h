/* The classes of models that can track an automaton: the ladder (theory/pages/ladder.md).
 *
 * The simple groups that divide the transition monoid decide which classes of models can track the
 * automaton. They are found from the holonomy groups, or, for a permutation automaton, from the
 * group that its letters generate; the monoid is never listed for this. Where the family of image
 * sets exceeds its limit, undecided answers are UNKNOWN, unless a word found to act as a cycle, or
 * the group of the letters that permute all states, decides them. */
#ifndef F2L_CLASSIFY_H
#define F2L_CLASSIFY_H

#include "theory/construct/t4/t4.h"
#include "theory/obstruct/classify/cycle_word.h"
#include "theory/obstruct/classify/word_pair.h"
#include "theory/obstruct/least/least.h"

typedef enum f2l_ternary { F2L_TERNARY_NO, F2L_TERNARY_YES, F2L_TERNARY_UNKNOWN } f2l_ternary;

/* A group that is not trivial. Owns its texts. */
typedef struct f2l_ladder_group {
    char *name;        /* f2l_group_name, or "not computed" */
    char *order;       /* decimal; NULL: not computed */
    char *factors;     /* composition factors, "Z_2 (x3), Z_3"; NULL: not computed */
    size_t components; /* number of holonomy classes that have it; 1 for the group of the permuting
                          letters */
    size_t level; /* level of the first of them, from 1; 0 for the group of the permuting letters */
    f2l_ternary two_group, solvable;
    size_t derived; /* length of the derived series of a solvable group; otherwise, or if not
                       computed, 0 */
    size_t squares; /* of a 2-group: least length of a normal series with elementary abelian
                       quotients; otherwise 0 */
} f2l_ladder_group;

typedef enum f2l_ladder_class {
    F2L_LADDER_DIAGONAL_POSITIVE,
    F2L_LADDER_DIAGONAL_REAL,
    F2L_LADDER_DIAGONAL_COMPLEX,
    F2L_LADDER_DELTANET_POSITIVE,
    F2L_LADDER_DELTANET,
    F2L_LADDER_DELTAPRODUCT_POSITIVE,
    F2L_LADDER_DELTAPRODUCT,
    F2L_LADDER_GATED_POSITIVE,
    F2L_LADDER_GATED,
    F2L_LADDER_KDA_POSITIVE,
    F2L_LADDER_KDA,
    F2L_LADDER_GDN2,
    F2L_LADDER_GDN2_DOUBLE,
    F2L_LADDER_RWKV7,
    F2L_LADDER_RWKV7_DOUBLE,
    F2L_LADDER_PD_SSM,
    F2L_LADDER_PD_SSM_SOFT,
    F2L_LADDER_MOORE_SSM,
    F2L_LADDER_BLOCK_DIAGONAL,
    F2L_LADDER_COMPLEX_KDA_POSITIVE,
    F2L_LADDER_COMPLEX_KDA,
    F2L_LADDER_COMPLEX_KDA_BEYOND,
    F2L_LADDER_MAMBA3,
    F2L_LADDER_MOMENTUM,
    F2L_LADDER_MOMENTUM_PLAIN,
    F2L_LADDER_KACZMARZ,
    F2L_LADDER_FIXED_POINT,
    F2L_LADDER_M2RNN,
    F2L_LADDER_LOG_LINEAR_POSITIVE,
    F2L_LADDER_LOG_LINEAR,
    F2L_LADDER_PATH,
    F2L_LADDER_HYBRID_DIAGONAL,
    F2L_LADDER_HYBRID_POSITIVE,
    F2L_LADDER_HYBRID_LETTERS,
    F2L_LADDER_TRANSFORMER,
    F2L_LADDER_CLASSES
} f2l_ladder_class;

/* What is tracked in the open range that sigmoids and softplus reach (theory/pages/released.md). */
typedef enum f2l_ladder_reach {
    F2L_REACH_SAME,      /* there are no ends that only rounding reaches */
    F2L_REACH_DEFINITE,  /* exactly the definite automata: RL.1, RL.2 */
    F2L_REACH_APERIODIC, /* exactly the aperiodic automata: RL.3 */
    F2L_REACH_POWERS,    /* definite automata, and none with a letter that holds something: RL.4 */
    F2L_REACH_HOLDS,     /* none with a letter that holds something; others are not known: RL.4 */
    F2L_REACH_FIXED,     /* none that is not definite; others are not known: RL.1 */
    F2L_REACH_BESIDE,    /* definite automata, by the layers beside attention; others not known */
    F2L_REACH_OPEN       /* not known */
} f2l_ladder_reach;

/* A class of models, whatever the automaton is; all texts are constants. */
typedef struct f2l_ladder_model {
    const char *id;     /* "diagonal-positive" */
    const char *name;   /* "diagonal [0,1]" */
    const char *models; /* "Mamba, GLA, mLSTM"; may be empty */
    const char *paper;  /* "arXiv 2312.00752" */
    unsigned year;      /* of the paper */
    const char *range;  /* range of the parameters, closed */
    const char *claim;  /* what the rows of `classify` say of which automata, with statements */
    const char *scope;  /* in short; a row has the whole of it */
    f2l_ladder_reach reach;
    const char *reached; /* the range that is reached without rounding */
} f2l_ladder_model;

extern const f2l_ladder_model f2l_ladder_models[F2L_LADDER_CLASSES];

typedef enum f2l_ladder_verdict {
    F2L_LADDER_CAN,
    F2L_LADDER_PUBLISHED, /* can, by a published theorem that is not checked here */
    F2L_LADDER_CANNOT,
    F2L_LADDER_UNLESS, /* cannot unless TC0 = NC1 */
    F2L_LADDER_OPEN,   /* not known */
    F2L_LADDER_UNKNOWN /* a limit was exceeded for this automaton */
} f2l_ladder_verdict;

/* Returns "can", "can (published)", "cannot", "cannot unless TC0 = NC1", "not known" or
 * "UNKNOWN". */
const char *f2l_ladder_verdict_name(f2l_ladder_verdict verdict);

/* Returns what the open range tracks, in a sentence: "definite automata can (RL.2); .." */
const char *f2l_ladder_reach_claim(f2l_ladder_reach reach);

/* A row of the ladder; all texts are constants. */
typedef struct f2l_ladder_row {
    const char *id;     /* "diagonal-positive" */
    const char *name;   /* "diagonal [0,1]" */
    const char *models; /* "Mamba, GLA, mLSTM"; may be empty */
    f2l_ladder_verdict verdict;
    const char *statement;    /* "L.3, T1" */
    const char *scope;        /* range of the verdict, and its conditions */
    const char *remark;       /* further facts; may be empty */
    bool witness, odd, pair;  /* the witness is the word `any`, the word `odd`, or the two words
                                 `pair` */
    const char *construction; /* of "can": "T4" .. ; else empty */
    /* Upper bounds for the construction from its statement; 0: not known without building it. */
    size_t layers, householders, dimension;
    size_t unbuilt_layers;  /* fewer layers, which suffice by the statement, where `layers` are of a
                               network that was built; 0: none */
    size_t layers_at_least; /* lower bound for every network of the class with finitely many exact
                            states (L.6'); 0: none is known */
    f2l_ladder_verdict reached; /* in the range that is reached without rounding */
    const char *reached_by;     /* its statement; empty where none decides it */
} f2l_ladder_row;

typedef struct f2l_classify {
    const f2l_fsa *fsa;  /* automaton that is classified: the caller's (borrowed), or `own` */
    f2l_fsa own;         /* its quotient by the labels, or the reachable part of a group form */
    bool permutation;    /* every letter permutes the states */
    bool idempotent;     /* every letter acts twice as it acts once */
    size_t letter;       /* if not idempotent: a letter that does not, */
    size_t state;        /* and a state on which it does not */
    bool hold_or_reset;  /* every letter is the identity or a constant */
    bool letter_cycles;  /* some letter acts as a cycle */
    bool letters_hold;   /* no power of some letter takes all states to one */
    bool definite;       /* the automaton is k-definite */
    bool definite_known; /* that is decided: otherwise a limit was reached */
    size_t k;
    size_t levels;     /* of the holonomy cascade (1 for a permutation automaton); 0: not known */
    bool groups_known; /* all groups are listed; otherwise see `reason` */
    bool stopped; /* stopped by the task (see `reason`): whatever was not reached is left unknown */
    char reason[512];
    f2l_ladder_group *group;
    size_t groups;
    f2l_ternary aperiodic, two_groups, solvable;
    f2l_cycle_word any, odd; /* witnesses; length 0: there is none, or none was found */
    bool odd_sought;         /* a word for `odd` was searched for: it exists, or may exist */
    f2l_word_pair pair;      /* witness that T is not solvable; lengths 0: none was found */
    size_t householders, heads, dimension; /* R1, for permutation automata; 0: not computed */
    size_t points, reflections; /* T3, where R1 was not computed: for the smallest representation;
                                   0: not computed */
    size_t turn;                /* m if the letters generate Z_m or, `dihedral`, D_m; otherwise 0 */
    bool dihedral;
    f2l_t4_figures cascade, gated; /* T4 by holonomy, without and with gates; 0: not known */
    f2l_least least; /* lower bounds for one layer; without words where the task stopped first */
    f2l_ladder_row row[F2L_LADDER_CLASSES];
} f2l_classify;

typedef struct f2l_classify_options {
    f2l_label label;  /* for outputs and accept the quotient by these labels is classified */
    size_t max_sets;  /* limit on the holonomy family; 0: 70,000 */
    size_t max_order; /* largest order of a group whose representations are computed; 0: 720 */
    f2l_cycle_limits cycles; /* limits on the search for witnesses */
} f2l_classify_options;

void f2l_classify_init(f2l_classify *c);
void f2l_classify_clear(f2l_classify *c);

/* Classifies `fsa`, which must be trimmed, deterministic and total, carry the labels, and not
 * change while *out lives. Returns F2L_OK also when something is left unknown because of a limit,
 * the task's effort, or because the task was stopped; F2L_UNKNOWN only where this happened while
 * the quotient by the labels was made. The groups take at most half of the effort. On failure *out
 * is cleared. `options` may be NULL. */
f2l_status f2l_classify_build(f2l_classify *out, const f2l_fsa *fsa,
                              const f2l_classify_options *options, const f2l_task *task,
                              f2l_error *err);

/* Sets row->reached and its statement, for the range that is reached without rounding. */
void f2l_ladder_decide_reached(f2l_ladder_row *row, f2l_ladder_reach reach, const f2l_classify *c);

/* Returns whether some verdict, or one of the three answers, is unknown because of a limit. */
bool f2l_classify_open(const f2l_classify *c);

#endif
