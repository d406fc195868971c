/* The facts of one layer with one code for each state, and their line of text. */
#ifndef F2L_ONE_LAYER_FACTS_H
#define F2L_ONE_LAYER_FACTS_H

#include "numeric/facts/facts.h"
#include "theory/obstruct/separation/one_layer.h"

/* Puts `one_code_layer`; fsa is the automaton that was decided. */
void f2l_say_one_layer(f2l_fact in, const f2l_one_layer *one, const f2l_fsa *fsa);

/* Appends the line `one code`, as f2l_lay_layers does. */
void f2l_lay_one_layer(f2l_buf *out, f2l_fact from, size_t indent, size_t width);

#endif
