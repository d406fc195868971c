/* The lines that lrnn-check-field reads and checks besides networks over Q: fields and forms
 * (field.c), boxes (boxes.c). */
#ifndef CHECK_FIELD_H
#define CHECK_FIELD_H

#include "theory/check/claim.h"

/* Reads the lines `field` and `form` of a head, each of which may be absent; without both h->k
 * stays NULL. */
void read_geometry(head *h, text *t, network *net);
/* Ends with UNKNOWN unless the codes of the layer are different tuples of real matrices. */
void separate(const block *y, size_t codes);

/* Reads the lines `box` of a layer. */
void read_boxes(block *y, text *t);
/* The hooks leads and holds of a program, for layers with boxes and without: from everywhere in
 * the box of a code, into the box. */
bool leads_boxes(problem *x, const block *b, size_t letter, const uint32_t *from,
                 const uint32_t *to);
bool is_in_box(const problem *x, const block *b, const uint32_t *code);

#endif
