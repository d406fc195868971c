/* The state of reading one `.fsa` file, shared by its two forms. */
#ifndef F2L_FSA_READ_IMPL_H
#define F2L_FSA_READ_IMPL_H

#include "numeric/base/lex.h"
#include "automata/fsa/nfa.h"

typedef enum f2l_directive {
    F2L_LETTERS,
    F2L_STATES,
    F2L_START,
    F2L_ACCEPT,
    F2L_OUTPUT,
    F2L_POINTS,
    F2L_TRACK,
    F2L_DIRECTIVES
} f2l_directive;

typedef struct f2l_position {
    size_t line, column; /* line 0: nowhere */
} f2l_position;

/* What a directive says of a state. The state is looked up when all states are known. */
typedef struct f2l_mark {
    f2l_directive directive; /* F2L_START, F2L_ACCEPT or F2L_OUTPUT */
    uint32_t name;           /* in `mentioned` */
    uint32_t label;          /* in `labels`, for F2L_OUTPUT */
    f2l_position at;
} f2l_mark;

typedef struct f2l_reader {
    f2l_lex lex;
    f2l_nfa *nfa;
    f2l_position given[F2L_DIRECTIVES]; /* the first line of each directive */
    f2l_names mentioned, labels;
    f2l_mark *mark;
    size_t marks, mark_capacity;
    f2l_position body; /* the first edge or permutation */
    uint8_t *in_edge;  /* [mentioned] the state occurs in an edge */
    size_t points, start_point;
    f2l_position start_point_at;
    f2l_track track;
    size_t perm_capacity; /* rows of nfa->group.perm */
    size_t max_states;
    const f2l_task *task;
    f2l_error *err;
} f2l_reader;

/* The token as a name; a cycle is not one. */
f2l_status f2l_reader_name(f2l_reader *r, const f2l_token *token, const char *what);

/* Applies the marks to states of that many names; `hint` closes the text for an unknown state. */
f2l_status f2l_reader_apply(f2l_reader *r, const f2l_names *states, uint8_t *is_start, uint8_t *accept,
                            uint32_t *output, const char *hint);

/* The group form (automata/fsa/fsa_read_group.c): before the first `permute` line, on each of them, and after the
 * last. */
f2l_status f2l_group_begin(f2l_reader *r);
f2l_status f2l_group_line(f2l_reader *r);
f2l_status f2l_group_finish(f2l_reader *r);

#endif
