/* Deterministic total finite automata, the type of all work after reading.
 *
 * Right action everywhere: the word w1 w2 applies w1 first. Indices are 0-based; files are 1-based
 * where they number points. State i, letter a: next[i * letters.count + a]. */
#ifndef F2L_FSA_H
#define F2L_FSA_H

#include "numeric/base/names.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum f2l_track {
    F2L_TRACK_STATES,  /* given by edges */
    F2L_TRACK_POINTS,  /* group form: the states are the points 1..n, start is the tracked one */
    F2L_TRACK_ELEMENTS /* group form: the states are the group elements, breadth-first from the
                          identity, letters in order, named by their cycles; start is the identity
                        */
} f2l_track;

typedef struct f2l_fsa {
    f2l_names letters, states;
    size_t start;
    uint32_t *next;         /* [states][letters] */
    bool has_accept;        /* the file named the accepting states (perhaps none) */
    uint8_t *accept;        /* [states], 0/1; always allocated */
    f2l_names outputs;      /* Moore labels; outputs.count == 0: none given */
    uint32_t *output;       /* [states] index into outputs; NULL when outputs.count == 0 */
    f2l_names edge_outputs; /* Mealy labels (of transitions); count == 0: none given */
    uint32_t *edge_output; /* [states][letters] index into edge_outputs; NULL when there are none */
    /* The state that takes the transitions that the source lacks, if one was added, and the SHA-256
     * of the source, which is a file or a regular expression. Letters lead it to itself, it does
     * not accept and is not the start; its outputs are its own. */
    bool has_added;
    size_t added;
    char source[65];
    /* The group form of the file, when track != F2L_TRACK_STATES. */
    f2l_track track;
    size_t points;
    uint32_t *perm; /* [letters][points]: image of every point; NULL for F2L_TRACK_STATES */
} f2l_fsa;

void f2l_fsa_init(f2l_fsa *fsa);
void f2l_fsa_clear(f2l_fsa *fsa);

/* The kind of a state's label (option --label). */
typedef enum f2l_label {
    F2L_LABEL_STATES,
    F2L_LABEL_OUTPUTS,
    F2L_LABEL_ACCEPT,
    F2L_LABEL_EDGES
} f2l_label;

/* Returns "states", "outputs", "accept" or "edges". */
const char *f2l_label_name(f2l_label label);

/* Returns the text of a state's label: its name, its output, or "accept"/"reject"; borrowed from
 * the automaton. Not for F2L_LABEL_EDGES, where transitions have labels, and the empty word has
 * none. */
const char *f2l_fsa_label(const f2l_fsa *fsa, f2l_label label, size_t state);

/* Returns the label after a word that leads to the state and is followed by the letter: the output
 * of the transition, or the label of the next state. */
const char *f2l_fsa_edge_label(const f2l_fsa *fsa, f2l_label label, size_t state, size_t letter);

/* Adds the outputs of the transitions to *labels, by first transition, and sets
 * label_of[states][letters] to their numbers there. */
f2l_status f2l_fsa_edge_labels(f2l_names *labels, uint32_t *label_of, const f2l_fsa *fsa,
                               f2l_error *err);

/* Returns the first kind of accept, outputs and edges that the automaton has, F2L_LABEL_ACCEPT
 * where it has none. */
f2l_label f2l_fsa_usual_label(const f2l_fsa *fsa);

/* Returns F2L_EDOMAIN with a helpful text when the automaton has no such labels (outputs without
 * `output` lines, accept without an `accept` line, edges without outputs of transitions). */
f2l_status f2l_fsa_has_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err);

/* Checks like f2l_fsa_has_label for work that only reads labels of states: F2L_LABEL_EDGES is
 * F2L_EDOMAIN, too. */
f2l_status f2l_fsa_check_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err);

/* Writes canonical `.fsa` text: "fsa 1", letters, states (edge form only), start or track, the
 * added state, accept when has_accept, output lines, then edges in (state, letter) order, with
 * their outputs where there are any, or permute lines. Reading the text gives the same automaton
 * with the same numbering, and writing it again gives the same bytes. */
f2l_status f2l_fsa_write(f2l_buf *out, const f2l_fsa *fsa, f2l_error *err);

/* Drops states not reachable from the start (order kept); sets *dropped to their number. The group
 * form is kept unchanged, including unreachable points. */
f2l_status f2l_fsa_trim(f2l_fsa *fsa, size_t *dropped, f2l_error *err);

/* Builds the coarsest quotient that keeps `label` (Hopcroft); *classes, owned by the caller, is
 * [states], the class of every state, classes numbered by first state. *out (initialised empty) has
 * states named after the first member of each class and track F2L_TRACK_STATES; of accept,
 * outputs and outputs of transitions only the kept label is copied (the first two with
 * F2L_LABEL_STATES). Unreachable states must have been trimmed; group-form automata are treated as
 * edges. */
f2l_status f2l_fsa_minimise(f2l_fsa *out, uint32_t **classes, const f2l_fsa *fsa, f2l_label label,
                            const f2l_task *task, f2l_error *err);

/* Builds the minimal automaton for the label: the quotient of f2l_fsa_minimise without the states
 * that cannot be reached, which a group form keeps. The class of a state that cannot be reached is
 * UINT32_MAX. */
f2l_status f2l_fsa_minimal(f2l_fsa *out, uint32_t **classes, const f2l_fsa *fsa, f2l_label label,
                           const f2l_task *task, f2l_error *err);

/* Builds the quotient by a congruence: class_of[states] < classes, numbered by first states, such
 * that every letter leads the states of a class into one class. *out (initialised empty) has states
 * named after the first member of each class and track F2L_TRACK_STATES; `accept` and `outputs` say
 * whether it keeps these labels, which the states of a class then have in common. */
f2l_status f2l_fsa_quotient(f2l_fsa *out, const f2l_fsa *fsa, const uint32_t *class_of,
                            size_t classes, bool accept, bool outputs, const f2l_task *task,
                            f2l_error *err);

/* Finds the letters that lead every state to the same state, with the same output where transitions
 * have outputs: sets *class_of to an owned array [letters] of classes, numbered by their first
 * letters, and *classes to their number. */
f2l_status f2l_fsa_letter_classes(uint32_t **class_of, size_t *classes, const f2l_fsa *fsa,
                                  const f2l_task *task, f2l_error *err);

/* Merges the letters of each class into one letter with the name of the first: class_of[letters] <
 * classes, classes numbered by their first letters. A group form becomes an edge form. F2L_EDOMAIN
 * unless the letters of a class lead every state to the same state, with the same output where
 * transitions have outputs. */
f2l_status f2l_fsa_merge_letters(f2l_fsa *fsa, const uint32_t *class_of, size_t classes,
                                 f2l_error *err);

/* Puts the letters into the order of `letters`, which has the same names; F2L_EDOMAIN with the name
 * of one that only one of the two has. A group form in another order becomes an edge form
 * without the points that cannot be reached. */
f2l_status f2l_fsa_order_letters(f2l_fsa *fsa, const f2l_names *letters, f2l_error *err);

/* Computes states, start, next and accept (none) of a group form from points, perm, letters and
 * track; start_point, 0-based, is used when points are tracked. F2L_UNKNOWN for more than
 * max_states states (0: 1,000,000); F2L_EDOMAIN when perm does not hold permutations. On failure
 * the computed fields are left empty. */
f2l_status f2l_fsa_from_permutations(f2l_fsa *fsa, size_t start_point, size_t max_states,
                                     const f2l_task *task, f2l_error *err);

/* Writes the SHA-256 of the canonical text. */
f2l_status f2l_fsa_sha256(const f2l_fsa *fsa, char hex[65], f2l_error *err);

#endif
