/* Chains of copies in one layer: M.2 of theory/pages/one-layer.md, with the boxes of R8.9 of
 * theory/pages/decay.md.
 *
 * A chain has slots that hold 0 or 1. A letter may write slot 0, and may copy slots to the slots
 * after them, all at once. A word is followed from its end backwards: the set of states that lead
 * into a state changes at few letters, each of which is marked by the last time that it was met
 * before the next one, and a chain brings such a mark to where it is asked for. */
#ifndef F2L_COPIES_H
#define F2L_COPIES_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"

#define F2L_COPIES_MAX_STATES 64
#define F2L_COPIES_MAX_SLOTS 64  /* of all chains */
#define F2L_COPIES_MAX_LEVELS 12 /* slots of a chain */
#define F2L_COPIES_MAX_CODES 4096
#define F2L_COPIES_KEPT 2

typedef struct f2l_copy_chain {
    size_t levels;
    uint64_t start; /* bit j: content of slot j */
    uint8_t *write; /* [letters] 0 or 1: written to slot 0; F2L_COPIES_KEPT */
    uint64_t *copy; /* [letters] bit j: slot j gets what slot j - 1 held */
    size_t factors; /* most of a letter */
} f2l_copy_chain;

typedef struct f2l_copies {
    size_t letters, chains, slots, codes;
    f2l_copy_chain *chain; /* [chains] */
    uint64_t *content; /* [codes] of all slots, chain by chain; the first is that at the start */
    uint32_t *state;   /* [codes] a state of the automaton that has the content */
    size_t factors;    /* most of a letter */
    size_t levels;     /* most of a chain */
    unsigned inverse;  /* 1/eps */
} f2l_copies;

void f2l_copies_clear(f2l_copies *copies);

/* Returns the content after the letter. */
static inline uint64_t f2l_copy_step(const f2l_copy_chain *chain, uint64_t content, size_t letter)
{
    const uint64_t copied = chain->copy[letter];
    content = (content & ~copied) | (content << 1 & copied);
    const uint8_t write = chain->write[letter];
    return write == F2L_COPIES_KEPT ? content : (content & ~(uint64_t)1) | write;
}

/* Searches for few chains that tell all labels of a trimmed automaton apart. F2L_EDOMAIN unless its
 * semigroup is L-trivial, F2L_UNKNOWN where a limit was met. On failure *out is cleared. */
f2l_status f2l_copies_find(f2l_copies *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err);

/* Builds the network for labels of kind `label` into *out (initialised; replaced), with a code and
 * its box for each content. fsa_sha256 is left empty. */
f2l_status f2l_copies_build(f2l_net *out, const f2l_copies *copies, const f2l_fsa *fsa,
                            f2l_label label, const f2l_task *task, f2l_error *err);

#endif
