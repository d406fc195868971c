/* Automata as read from a file, before they are made deterministic and total: any number of start
 * states, several edges for one state and letter, epsilon edges, missing edges. */
#ifndef F2L_NFA_H
#define F2L_NFA_H

#include "automata/fsa/fsa.h"
#include "automata/fsa/notes.h"

#define F2L_EPSILON UINT32_MAX

typedef struct f2l_edge {
    uint32_t from, letter, to; /* letter may be F2L_EPSILON */
    uint32_t output;           /* index into edge_outputs; UINT32_MAX: no output */
} f2l_edge;

typedef struct f2l_nfa {
    f2l_names letters, states;
    f2l_edge *edge;
    size_t edges, edge_capacity;
    uint8_t *is_start; /* [states], 0/1 */
    bool has_accept;
    uint8_t *accept;   /* [states], 0/1 */
    f2l_names outputs; /* Moore outputs; outputs.count == 0: none given */
    uint32_t *output;  /* [states], UINT32_MAX where a state has none; NULL when outputs.count == 0
                        */
    f2l_names edge_outputs; /* outputs of transitions; count == 0: none given, else every edge has
                               an output */
    f2l_notes notes;        /* what the reader took in one of several ways */
    /* The added state and its source, as in f2l_fsa: of a .fsa file that names them, and the dead
     * state of a regular expression, whose source is "". */
    bool has_added;
    size_t added;
    char added_source[65];
    /* The definition of the syntax lets a missing transition reject. */
    bool partial;
    /* Set when the file was in group form: then `group` is a complete automaton and the fields
     * above are empty. */
    bool is_group;
    f2l_fsa group;
    char source[24]; /* the recognised syntax: "fsa", "AT&T", "JFLAP", "GAP", "DOT", "JSON", "HOA",
                         "aut", "KISS2", "mata", "Timbuk", "BA", "SCXML", "XState",
                         "rules", "regex" */
} f2l_nfa;

void f2l_nfa_init(f2l_nfa *nfa);
void f2l_nfa_clear(f2l_nfa *nfa);

/* Building blocks for the readers. `f2l_nfa_state` and `f2l_nfa_letter` add the name unless
 * present; states must be complete (f2l_nfa_close_states allocates is_start, accept for all of
 * them, and `output`, all UINT32_MAX, when there are outputs and it is still NULL) before starts
 * and accepts are set. */
f2l_status f2l_nfa_state(f2l_nfa *nfa, const char *text, size_t size, size_t *index,
                         f2l_error *err);
f2l_status f2l_nfa_letter(f2l_nfa *nfa, const char *text, size_t size, size_t *index,
                          f2l_error *err);
f2l_status f2l_nfa_add_edge(f2l_nfa *nfa, size_t from, size_t letter, size_t to, f2l_error *err);
f2l_status f2l_nfa_close_states(f2l_nfa *nfa, f2l_error *err);

/* Copies states, letters, labels and edges into *out (initialised empty), edges in the order of
 * states, then letters. A group form becomes an edge form. */
f2l_status f2l_nfa_from_fsa(f2l_nfa *out, const f2l_fsa *fsa, f2l_error *err);

typedef struct f2l_total_options {
    bool sink;         /* add a rejecting sink for missing transitions instead of refusing them */
    size_t max_states; /* subset construction and group elements; 0: 1,000,000 */
    /* SHA-256 of what was read, for an added state; NULL: the automaton does not name it. */
    const char *source;
} f2l_total_options;

/* The changes that made an automaton deterministic and total, for the summary and the report. */
typedef struct f2l_total_report {
    bool determinised;    /* the subset construction was needed */
    size_t states_before; /* states of the NFA */
    size_t sink_edges;    /* transitions that now lead to the added sink; 0: no sink was added */
    size_t dropped;       /* unreachable states dropped */
    f2l_notes notes;      /* as in f2l_nfa */
    size_t empty_edges;   /* transitions for the empty word */
    /* The name of the added sink: "" when there is none; "sink", or "sink2", ... when "sink" is
     * taken. When the automaton has outputs, the sink has a new output, named in the same way. */
    char sink_name[64];
} f2l_total_report;

/* Makes *out (initialised empty) deterministic, total and trimmed. Deterministic input keeps its
 * state names and order, and where nothing is missing its added state; subsets are named {p,q}.
 * Errors: F2L_EDOMAIN when transitions have outputs and the automaton is not deterministic, when
 * transitions are missing and `sink` is false (the text gives the first state and letter, and the
 * number of missing transitions), when there is no start state or no letter, or when the members of
 * a subset have different outputs; F2L_UNKNOWN when there are more than max_states states. */
f2l_status f2l_nfa_total(f2l_fsa *out, f2l_total_report *report, const f2l_nfa *nfa,
                         const f2l_total_options *options, const f2l_task *task, f2l_error *err);

/* Reads `.fsa` text (grammar in docs/man/fsa.5) into *out (initialised empty).
 * Errors carry line and column. Group forms are expanded with at most max_states elements (0:
 * 1,000,000). */
f2l_status f2l_fsa_read(f2l_nfa *out, const char *bytes, size_t size, size_t max_states,
                        const f2l_task *task, f2l_error *err);

#endif
