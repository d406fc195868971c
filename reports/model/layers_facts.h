/* The facts of how many layers an automaton needs, and their lines of text. */
#ifndef F2L_LAYERS_FACTS_H
#define F2L_LAYERS_FACTS_H

#include "numeric/facts/facts.h"
#include "theory/obstruct/enough/enough.h"
#include "theory/obstruct/layers/layers.h"

/* The bounds for an automaton, and the fewest layers that are known to do. */
typedef struct f2l_layers_facts {
    const f2l_layers *layers;
    const f2l_fsa *fsa;       /* the automaton that the bounds were found for */
    size_t most;              /* layers of a network that is known to exist; 0: none is known */
    const char *most_by;      /* the statement, or what was built */
    bool is_built;            /* that network was built and is VERIFIED */
    const f2l_enough *enough; /* whether two layers are; NULL: not sought */
    const char *open;         /* constructions that may have fewer; empty: none */
} f2l_layers_facts;

/* Puts `layers_needed`; null where `facts` is NULL. */
void f2l_say_layers(f2l_fact in, const f2l_layers_facts *facts);

/* Appends the line `layers` alone, with its scope in few words, and the line `bands` where that is
 * the bound; nothing where `layers_needed` is null. */
void f2l_lay_layer_bounds(f2l_buf *out, f2l_fact from, int indent);

/* Appends, unless `layers_needed` is null, the lines `layers`, `bands` and `fork`, and `scope` with
 * a bound that holds with a margin; a line begins with its label in a column of `indent` characters
 * and is wrapped at `width`. */
void f2l_lay_layers(f2l_buf *out, f2l_fact from, size_t indent, size_t width);

#endif
