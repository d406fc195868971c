/* What the files of automata/fsa share; private to this folder. */
#ifndef F2L_AUTOMATA_FSA_IMPL_H
#define F2L_AUTOMATA_FSA_IMPL_H

#include "automata/fsa/letter.h"
#include "automata/fsa/nfa.h"
#include "automata/fsa/perm.h"
#include "numeric/base/lex.h"

/* Sets *number, owned, to the number of each state among the *count reachable ones, in order, and
 * to UINT32_MAX for the others; NULL on failure. There is a state. */
f2l_status f2l_fsa_number_reachable(uint32_t **number, size_t *count, const f2l_fsa *fsa,
                                    f2l_error *err);

/* The edges of an automaton in the order in which making it deterministic and total walks them. */

/* The edges of reachable states, sorted by (from, letter, to), each once, epsilon after the
 * letters. */
typedef struct f2l_edge_index {
    f2l_edge *edge;
    size_t edges;
    size_t *first;    /* [states + 1] first edge of every state */
    uint32_t *number; /* [states] number among the reachable states, in order; UINT32_MAX when
                         unreachable */
    size_t reachable;
} f2l_edge_index;

/* Builds *index (zeroed); the automaton must have passed f2l_nfa_close_states. */
f2l_status f2l_edge_index_build(f2l_edge_index *index, const f2l_nfa *nfa, f2l_error *err);
void f2l_edge_index_clear(f2l_edge_index *index);

/* Makes the subset construction from all start states. out->next has UINT32_MAX where the successor
 * is the empty set. Sets letters, states ({p,q}), next, accept, outputs and output of *out; the
 * start is state 0. */
f2l_status f2l_nfa_subsets(f2l_fsa *out, const f2l_nfa *nfa, const f2l_edge_index *index,
                           size_t max_states, const f2l_task *task, f2l_error *err);

/* Cycle by cycle reading of permutations, for readers whose tokens are single cycles. */

/* Marks every point as not yet met. */
void f2l_perm_begin(uint32_t *image, size_t n);

/* Reads the cycle at the start of `text` into an image that f2l_perm_begin prepared; *used is the
 * length of the cycle in bytes, `column` the column of text[0]. */
f2l_status f2l_perm_cycle(uint32_t *image, size_t n, const char *text, size_t size, size_t *used,
                          size_t line, size_t column, f2l_error *err);

/* Lets points that no cycle mentioned be fixed. */
void f2l_perm_finish(uint32_t *image, size_t n);

/* The state of reading one `.fsa` file, shared by its two forms. */

typedef enum f2l_directive {
    F2L_LETTERS,
    F2L_STATES,
    F2L_START,
    F2L_ACCEPT,
    F2L_OUTPUT,
    F2L_POINTS,
    F2L_TRACK,
    F2L_ADDED,
    F2L_DIRECTIVES
} f2l_directive;

typedef struct f2l_position {
    size_t line, column; /* line 0: nowhere */
} f2l_position;

/* A property of a state, given by a directive. The state is looked up when all states are known. */
typedef struct f2l_mark {
    f2l_directive directive; /* F2L_START, F2L_ACCEPT, F2L_OUTPUT or F2L_ADDED */
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
    f2l_set_edges set_edges;
    uint8_t *in_edge; /* [mentioned] the state occurs in an edge */
    size_t points, start_point;
    f2l_position start_point_at;
    f2l_track track;
    size_t perm_capacity; /* rows of nfa->group.perm */
    size_t max_states;
    const f2l_task *task;
    f2l_error *err;
} f2l_reader;

/* Returns F2L_OK when the token is a name, which a cycle is not; `what` names the token in the
 * error text. */
f2l_status f2l_reader_name(f2l_reader *r, const f2l_token *token, const char *what);

/* Applies the marks to the states; `hint` ends the error text for an unknown state. */
f2l_status f2l_reader_apply(f2l_reader *r, const f2l_names *states, uint8_t *is_start,
                            uint8_t *accept, uint32_t *output, const char *hint);

/* Returns whether the token is a SHA-256, 64 hexadecimal digits in lower case. */
bool f2l_added_is_hash(const f2l_token *token);
/* Refuses an added state that is more than a state from which nothing is accepted and nothing
 * leads away, with outputs of its own: the file would say something untrue of its source. */
f2l_status f2l_added_check(f2l_reader *r);

/* Read the group form (automata/fsa/fsa_read_group.c): called before the first `permute` line, on
 * each `permute` line, and after the last. */
f2l_status f2l_group_begin(f2l_reader *r);
f2l_status f2l_group_line(f2l_reader *r);
f2l_status f2l_group_finish(f2l_reader *r);

#endif
