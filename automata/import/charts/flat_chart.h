/* A chart without hierarchy, before its events are resolved; private to this folder. */
#ifndef F2L_FLAT_CHART_H
#define F2L_FLAT_CHART_H

#include "automata/fsa/nfa.h"

/* The event of a move that any event makes. */
#define F2L_FLAT_ANY UINT32_MAX

/* A transition; moves of a state are in the order in which the first that matches is made. */
typedef struct f2l_flat_move {
    uint32_t from, event, to; /* event: index into nfa->letters, or F2L_FLAT_ANY */
} f2l_flat_move;

typedef struct f2l_flat_chart {
    f2l_nfa *nfa;   /* states and letters are added to it by the readers */
    bool by_prefix; /* an event `a` is also one `a.b` (SCXML) */
    uint8_t *final; /* [states] */
    size_t start;
    f2l_flat_move *move;
    size_t moves, capacity;
} f2l_flat_chart;

void f2l_flat_clear(f2l_flat_chart *chart);

f2l_status f2l_flat_add(f2l_flat_chart *chart, size_t from, size_t event, size_t to,
                        f2l_error *err);

/* Adds the edges to chart->nfa, once all states, events and moves are there. F2L_EFORMAT when there
 * is no event. */
f2l_status f2l_flat_finish(f2l_flat_chart *chart, f2l_error *err);

#endif
