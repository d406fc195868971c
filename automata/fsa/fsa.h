/* Deterministic total finite automata, the type that everything after reading works with.
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
    bool has_accept;        /* the file said which states accept (perhaps none) */
    uint8_t *accept;        /* [states], 0/1; always allocated */
    f2l_names outputs;      /* Moore labels; outputs.count == 0: none given */
    uint32_t *output;       /* [states] index into outputs; NULL when outputs.count == 0 */
    f2l_names edge_outputs; /* Mealy labels, those of transitions; count == 0: none given */
    uint32_t *edge_output; /* [states][letters] index into edge_outputs; NULL when there are none */
    /* The group form it came from, when track != F2L_TRACK_STATES. */
    f2l_track track;
    size_t points;
    uint32_t *perm; /* [letters][points]: image of every point; NULL for F2L_TRACK_STATES */
} f2l_fsa;

void f2l_fsa_init(f2l_fsa *fsa);
void f2l_fsa_clear(f2l_fsa *fsa);

/* What a state's label is (option --label). */
typedef enum f2l_label {
    F2L_LABEL_STATES,
    F2L_LABEL_OUTPUTS,
    F2L_LABEL_ACCEPT,
    F2L_LABEL_EDGES
} f2l_label;

/* "states", "outputs", "accept", "edges". */
const char *f2l_label_name(f2l_label label);

/* The text of a state's label: its name, its output, or "accept"/"reject". Valid as long as the
 * automaton. Not for F2L_LABEL_EDGES: there transitions have labels, and the empty word has none.
 */
const char *f2l_fsa_label(const f2l_fsa *fsa, f2l_label label, size_t state);

/* The label after a word that leads to the state, then the letter: the output of that transition,
 * or the label of the state that it leads to. */
const char *f2l_fsa_edge_label(const f2l_fsa *fsa, f2l_label label, size_t state, size_t letter);

/* F2L_EDOMAIN with a helpful text when the automaton carries no such labels (outputs without
 * `output` lines, accept without an `accept` line, edges without outputs of transitions). */
f2l_status f2l_fsa_has_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err);

/* The same, of labels of states: nothing is built for F2L_LABEL_EDGES yet, which is F2L_EDOMAIN
 * too. */
f2l_status f2l_fsa_check_label(const f2l_fsa *fsa, f2l_label label, f2l_error *err);

/* Writes canonical `.fsa` text: "fsa 1", letters, states (edge form only), start or track, accept
 * when has_accept, output lines, then edges in (state, letter) order, with their outputs where
 * there are any, or permute lines. Reading it gives the same automaton with the same numbering, and
 * writing that gives the same bytes. */
f2l_status f2l_fsa_write(f2l_buf *out, const f2l_fsa *fsa, f2l_error *err);

/* Drops states not reachable from the start (order kept); *dropped is how many there were. The
 * group form is kept as it is (points nobody reaches stay states there). */
f2l_status f2l_fsa_trim(f2l_fsa *fsa, size_t *dropped, f2l_error *err);

/* The coarsest quotient that keeps `label` (Hopcroft); *classes is [states], the class of every
 * state, classes numbered by first state. *out (initialised empty) has states named after the first
 * member of each class and track F2L_TRACK_STATES; of accept and outputs only the kept label is
 * carried over, both with F2L_LABEL_STATES; outputs of transitions are dropped. Unreachable states
 * must have been trimmed; group-form automata are treated as edges. */
f2l_status f2l_fsa_minimise(f2l_fsa *out, uint32_t **classes, const f2l_fsa *fsa, f2l_label label,
                            const f2l_task *task, f2l_error *err);

/* Letters of one class become one, which has the name of the first: class_of[letters] < classes,
 * numbered by their first letters. The group form becomes that of edges. F2L_EDOMAIN unless letters
 * of a class lead every state to the same state, with the same output where transitions have any.
 */
f2l_status f2l_fsa_merge_letters(f2l_fsa *fsa, const uint32_t *class_of, size_t classes,
                                 f2l_error *err);

/* Computes states, start, next and accept (none) of a group form from points, perm, letters and
 * track; start_point, 0-based, is for points. At most max_states states (0: 1,000,000): beyond it
 * F2L_UNKNOWN; F2L_EDOMAIN when perm does not hold permutations. On failure the computed fields are
 * left empty. */
f2l_status f2l_fsa_from_permutations(f2l_fsa *fsa, size_t start_point, size_t max_states,
                                     const f2l_task *task, f2l_error *err);

/* SHA-256 of the canonical text. */
f2l_status f2l_fsa_sha256(const f2l_fsa *fsa, char hex[65], f2l_error *err);

#endif
