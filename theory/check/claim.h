/* The parts that claims share: a triple of files as data, the table of pairs that a certificate
 * lists, and the program around it. claim.c has these and claim exact; cascade.c has claim
 * cascade. */
#ifndef CHECK_CLAIM_H
#define CHECK_CLAIM_H

#include "theory/check/reader.h"

/* Both come from the Makefile. */
#ifndef LRNN_CHECK_VERSION
#define LRNN_CHECK_VERSION "unknown"
#endif
#ifndef LRNN_CHECK_SOURCES
#define LRNN_CHECK_SOURCES "unknown"
#endif

/* A set of states, increasing, and the sets that cover it. */
typedef struct subset {
    uint32_t *member, *cover;
    size_t level, members, covers;
} subset;

typedef struct context {
    uint32_t letter, from, to; /* the key of level.known: 12 bytes without gaps */
    /* following: the next context from the same set, or UNSET; reads: the letter that the level's
     * first layer reads */
    uint32_t following, reads;
    bool inside; /* the check found that the letter leads from `from` into `to` */
} context;

/* The content of the certificate on the stages y[stages]. A pair is a set and the codes; `next`
 * has, pair after pair, one entry for each context from the pair's set; line is the line of pair 1.
 * claim exact: all stages, and the first part of a pair is a state of the automaton, from which
 * there is a context for every letter. */
typedef struct level {
    const stage *y;
    context *context;
    size_t contexts;
    set known; /* the contexts, where they name the letters that they read */
    uint32_t *pair, *next, start;
    uint32_t *child;                         /* [pairs] as listed; or NULL */
    size_t stages, width, pairs, room, line; /* room: for next */
} level;

struct program;

/* The three files as data. first[set]: the first context from the set in the level being read or
 * checked, or UNSET. */
typedef struct problem {
    automaton a;
    network net;
    text lrnn;
    const struct program *program;
    size_t sets, levels;
    subset *subset;
    level *level;
    uint32_t *first;
    mpq_t *state;       /* scratch, [entries] */
    struct fact *known; /* steps that were found to be right, by a hash */
    char counts[160];   /* of the verdict: the numbers that the claim counts */
    char tail[1024];    /* of the verdict: format and schedule, with a blank before */
    char fsa_hex[65], network_hex[65];
    void *own;         /* data of the claim's own file */
    struct form *form; /* of a wired network: the content of claims zeiger and d1 (form.h) */
    void *more;        /* data of read_more */
} problem;

typedef struct claim {
    const char *word;
    bool layers, wired;                    /* kinds of network it may be claimed of */
    void (*read_terms)(problem *, text *); /* lines between the claim and the size, or NULL */
    void (*read)(problem *, text *);
    void (*check)(problem *, text *); /* checks the lines that were read, from the first one on */
} claim;

/* One of the checkers. */
typedef struct program {
    const char *name, *version, *sources; /* sources: their SHA-256 */
    size_t growth;                        /* growth of the budget (begin_budget); 0: 4,000 */
    const grammar *grammar;
    const claim *claims;
    size_t claim_kinds;
    /* Returns the symbol of the level's last stage for the letter of its first one, or UNSET, if
     * all stages go from these codes to those; rejects if they do not. */
    size_t (*pass)(problem *x, const text *t, const char *what, const level *y, size_t letter,
                   const uint32_t *from, const uint32_t *to);
    /* These return whether the letter leads the layer from the one code to the other, and whether
     * the state x->state has the codes. */
    bool (*leads)(problem *x, const block *b, size_t letter, const uint32_t *from,
                  const uint32_t *to);
    bool (*holds)(const problem *x, const block *b, const uint32_t *code);
    /* For lines `unrounded`; NULL: they belong to another program. print_more prints verdicts after
     * the claim's own. */
    void (*read_more)(problem *, text *);
    void (*check_more)(problem *);
    void (*print_more)(const problem *, const char *word);
    /* Replaces the process by the companion program for this triple of files, which it gets with
     * the arguments argv[1], .. on its standard input; or returns if the triple is the program's
     * own; only in lrnn-check. */
    void (*hand_over)(const text *file, int argc, char **argv);
} program;

/* Does the whole check of files in memory; prints the verdict and returns only when everything is
 * right. */
void judge(const program *p, text *fsa, text *lrnn, text *cert);
/* Prints `s VERIFIED <before><word> ..`, with `tail` and then the inputs' hashes. */
void print_verdict(const problem *x, const char *before, const char *word, const char *tail);
/* Is the main function of every checker. */
int run_checker(int argc, char **argv, const program *p);

/* Reads "letters K states Q", then the word and the number of its items, each of `bytes` bytes or
 * more. */
size_t read_counts(const problem *x, text *t, const char *word, size_t bytes);
/* Reads "pair 1 set Z codes c .. [child J] next p .." or "row 1 state q codes c .. next r .." */
void read_pairs(problem *x, text *t, level *b, const char *word, const char *first, size_t most);
/* Returns a level of all stages, with a context for every letter from every state. */
level *all_stages(problem *x, size_t width);
/* Checks all pairs and their steps. By these words may lead to the pairs and to nothing else; each
 * pair is there once. */
typedef void step_check(problem *, const text *, const level *, const uint32_t *pair,
                        size_t context, const uint32_t *next);
void check_pairs(problem *x, text *t, const level *b, step_check *check_it);
/* Checks the base of the induction: the level starts in the set or state. */
void check_start(problem *x, const text *t, const level *b, size_t first);
/* Returns whether the symbol, a label, is the automaton's label after x from the state. */
bool is_label(const problem *x, size_t symbol, size_t state, size_t letter);

/* claim exact, claim cascade */
void read_rows(problem *x, text *t);
void check_rows(problem *x, text *t);
void read_cascade(problem *x, text *t);
void check_cascade(problem *x, text *t);
/* claim swaps (swaps.c): checks the lines that read_rows has read. */
void check_swaps(problem *x, text *t);
/* The defaults of a program's hooks. */
size_t pass_layers(problem *x, const text *t, const char *what, const level *y, size_t letter,
                   const uint32_t *from, const uint32_t *to);
bool leads_exactly(problem *x, const block *b, size_t letter, const uint32_t *from,
                   const uint32_t *to);
bool is_code(const problem *x, const block *b, const uint32_t *code);

#endif
