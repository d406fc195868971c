/* What the graph of an automaton shows: which letters and edges, and how. */
#ifndef F2L_FSA_DRAWING_H
#define F2L_FSA_DRAWING_H

#include "automata/fsa/fsa.h"
#include "reports/page/graph.h"
#include "reports/page/page.h"

/* Limits of drawings: states, and edges after parallel ones were merged. */
#define F2L_DRAWN_STATES ((size_t)60)
#define F2L_DRAWN_EDGES ((size_t)400)

typedef struct f2l_fsa_drawing {
    const f2l_fsa *fsa; /* borrowed */
    size_t *letter;     /* [letters] those whose edges are drawn, in order */
    size_t letters;
    size_t *between;  /* [states][states] drawn letters from one to the other; NULL: too many */
    size_t edges;     /* pairs of states with such letters */
    bool *sink;       /* [states] every letter leads the state to itself, and it does not accept */
    bool generators;  /* the drawn letters generate the group of all letters */
    bool paired;      /* edges to and fro with the same letters are drawn as one */
    bool start_faint; /* edges back to the start are dimmed: several states have one */
} f2l_fsa_drawing;

/* Chooses what is drawn. The caller clears the drawing, whatever the status. */
f2l_status f2l_fsa_drawing_init(f2l_fsa_drawing *d, const f2l_fsa *fsa, f2l_error *err);
void f2l_fsa_drawing_clear(f2l_fsa_drawing *d);

/* Returns whether the drawing is within the limits. */
bool f2l_fsa_drawing_fits(const f2l_fsa_drawing *d);

/* Returns the class that gives a letter its colour, with a blank before it; "" when it is not
 * drawn, or when more letters are drawn than there are colours. */
const char *f2l_letter_colour(const f2l_fsa_drawing *d, size_t letter);

/* Appends the graph in the DOT language. */
void f2l_fsa_drawing_dot(f2l_buf *dot, const f2l_fsa_drawing *d, size_t part, size_t figure);

/* Returns what is said where a state or an edge is pointed at: whole names. */
f2l_graph_titles f2l_fsa_drawing_titles(const f2l_fsa_drawing *d);

/* Appends the legend of the signs that the graph has. */
void f2l_fsa_drawing_legend(f2l_page *page, const f2l_fsa_drawing *d);

#endif
