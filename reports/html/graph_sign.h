/* The signs of a graph's legend. */
#ifndef F2L_GRAPH_SIGN_H
#define F2L_GRAPH_SIGN_H

#include "reports/page/page.h"

typedef enum f2l_graph_sign {
    F2L_SIGN_START,
    F2L_SIGN_ACCEPTING,
    F2L_SIGN_COLOURED,
    F2L_SIGN_FAINT,
    F2L_SIGN_PAIR,
    F2L_SIGN_OTHERS,
    F2L_SIGN_ANY,
    F2L_SIGN_MORE,
    F2L_SIGN_BOX,
    F2L_SIGN_COUNT
} f2l_graph_sign;

/* Appends an item of the open legend: the sign as the graph draws it, and what it says. */
void f2l_sign(f2l_page *page, f2l_graph_sign sign, const char *meaning);

#endif
