/* What comes up in a stage; private to models/network/layered. */
#ifndef F2L_LAYERED_IMPL_H
#define F2L_LAYERED_IMPL_H

#include "models/network/exact/run_exact.h"
#include "models/network/layered/layered.h"
#include "numeric/base/index.h"

/* Different tuples of one length, numbered in the order of adding. */
typedef struct f2l_wire_tuples {
    size_t length, count, capacity;
    uint32_t *value; /* [count][length] */
    f2l_index index;
} f2l_wire_tuples;

/* Returns tuple number `at`. */
static inline const uint32_t *f2l_wire_tuples_at(const f2l_wire_tuples *tuples, size_t at)
{
    return tuples->value + at * tuples->length;
}
/* Sets *number to the number of the tuple, which is added if it is new. */
f2l_status f2l_wire_tuples_add(uint32_t *number, f2l_wire_tuples *tuples, const uint32_t *key,
                               f2l_error *err);
void f2l_wire_tuples_clear(f2l_wire_tuples *tuples);

/* What a stage does where it comes up: from a local state by a tuple of inputs to a local state,
 * with a tuple of outputs. */
typedef struct f2l_stage_step {
    uint32_t to, output;
} f2l_stage_step;

/* One layer: a stage with heads, and the circuits of stages without heads after it. */
typedef struct f2l_stage_walk {
    size_t stage;
    f2l_wire_tuples input, local, output; /* tuples of wires; local states by the codes of readouts,
                                       the initial one first */
    f2l_wire_tuples place;                /* pairs (input, local) */
    f2l_stage_step *step;                 /* [place.capacity] */
} f2l_stage_walk;

typedef struct f2l_walk {
    const f2l_net *net; /* borrowed */
    const f2l_task *task;
    f2l_exact *run;
    f2l_stage_walk *layer; /* [layers] */
    size_t layers;
    uint32_t *first; /* [letters] the input tuple of layer 1 that a letter of the network means */
    size_t letters;
} f2l_walk;

/* Walks through all stages. *walk is zero before, and cleared by the caller also on failure. */
f2l_status f2l_walk_stages(f2l_walk *walk, const f2l_net *net, const f2l_task *task,
                           f2l_error *err);
void f2l_walk_clear(f2l_walk *walk);

/* Symbols by letter and local state, F2L_NO_SYMBOL where the pair does not come up. */
typedef struct f2l_symbol_rows {
    size_t letters, states, symbols;
    uint32_t *symbol; /* [letters][states] */
} f2l_symbol_rows;

/* Which letters of a layer are one letter: of[letter] < count; first[class]. Owned. */
typedef struct f2l_letter_merge {
    uint32_t *of, *first;
    size_t count;
} f2l_letter_merge;

/* Makes the letters of one action one letter where no local state tells their symbols apart, and
 * gives rows of different actions that agree the same symbols. action[letters]; without `merge` all
 * letters stay. rows->letters is then the number of classes. */
f2l_status f2l_merge_rows(f2l_letter_merge *out, f2l_symbol_rows *rows, const uint32_t *action,
                          bool merge, const f2l_task *task, f2l_error *err);
void f2l_letter_merge_clear(f2l_letter_merge *merge);

/* The parts of a head: rows that no key joins step apart, so that each part is a head by itself. */
typedef struct f2l_parts {
    size_t count;
    uint32_t *of, *at; /* [rows] the row's part, and its number among the part's rows */
    uint32_t *size;    /* [count] rows of the part */
} f2l_parts;
f2l_status f2l_parts_find(f2l_parts *out, const f2l_head *head, size_t letters, f2l_error *err);
void f2l_parts_clear(f2l_parts *parts);
/* Appends the entries of a vector that are in the part's rows; the vector's row 0 is row `first` of
 * the head, and its entries have index row * d + column. */
f2l_status f2l_parts_copy(f2l_qvec *out, const f2l_qvec *from, const f2l_parts *parts, size_t part,
                          size_t first, size_t d, f2l_error *err);

#endif
