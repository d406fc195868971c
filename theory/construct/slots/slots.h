/* One layer of slots that hold 0 or 1 (theory/pages/definite.md, K.6 to K.8).
 *
 * A slot holds a function of the state with values 0 and 1. After a letter it holds what some slot
 * held before, or the complement, or a constant, and no slot is read by two. States are told apart
 * by all slots together. */
#ifndef F2L_SLOTS_H
#define F2L_SLOTS_H

#include "automata/fsa/fsa.h"
#include "models/network/net/net.h"

#define F2L_SLOTS_MAX_STATES 256
#define F2L_SLOTS_MAX 256 /* slots */
#define F2L_SLOTS_MAX_LETTERS 256
#define F2L_SLOTS_MAX_CELLS ((size_t)1 << 20) /* letters times functions that a search may meet */
#define F2L_SLOTS_ALL_STATES 12 /* up to this number of states all functions are tried */
#define F2L_SLOTS_WRITTEN UINT32_MAX

typedef struct f2l_slots {
    size_t states, letters, slots;
    size_t functions; /* number of different functions that the slots hold */
    uint8_t *value;   /* [states][slots] contents */
    uint32_t *source; /* [letters][slots] slot that is read, or F2L_SLOTS_WRITTEN */
    uint8_t *flip;    /* [letters][slots] 1: the complement of what is read; the constant written */
    uint32_t *row;    /* [slots + 1] first row of every slot; it has one row, or two if letters
                       * exchange it */
    size_t factors;   /* most factors of a letter */
} f2l_slots;

void f2l_slots_clear(f2l_slots *slots);

/* Searches for slots of a trimmed automaton with few factors and rows. Returns F2L_EDOMAIN when
 * there are none (K.7), which only a search through all functions can show, and F2L_UNKNOWN when
 * there are too many states or letters, when a limit was met, or when there are none among the
 * functions that were tried. On failure *out is cleared. */
f2l_status f2l_slots_find(f2l_slots *out, const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);

/* Builds the network for labels of kind `label` into *out (initialised; replaced). There is one
 * code for each state. fsa_sha256 is left empty. */
f2l_status f2l_slots_build(f2l_net *out, const f2l_slots *slots, const f2l_fsa *fsa,
                           f2l_label label, const f2l_task *task, f2l_error *err);

/* --- slots that are known --- */

/* Sets the rows and the factors by the sources: two rows for a slot that a letter moves, one for
 * others. row[slots + 1] is allocated. */
void f2l_slots_count_rows(f2l_slots *slots);

/* Writes the factors of a letter (K.8) and returns their number, or SIZE_MAX without memory; only
 * counts them where `transition` is NULL. */
size_t f2l_slots_factors(f2l_transition *transition, const f2l_slots *slots, size_t letter,
                         f2l_error *err);

#endif
