/* The report on what a trained network learned (models/learn/inspect/inspect.h), as text and JSON.
 * All pointers are borrowed. */
#ifndef F2L_INSPECT_REPORT_H
#define F2L_INSPECT_REPORT_H

#include "reports/model/shared_facts.h"
#include "reports/networks/inspect_characters.h"

typedef struct f2l_inspect_report {
    const char *weights;  /* path of the file; the report shows the base name */
    bool unfinished;      /* the weights are from a checkpoint: the run has not ended */
    size_t layer;         /* the layer that is looked at, from 1 on */
    size_t layers;        /* when it is looked at alone: of the whole model */
    const uint32_t *word; /* the words of the vocabulary that are its letters; NULL: it is the first
                           * layer of `model`, with all letters */
    const char *source;   /* "automaton.fsa"; NULL, like data, if no run is beside the weights */
    const f2l_data *data;
    const f2l_seq *model;
    const f2l_inspect *inspect;
    const f2l_inspect_relations *relations;
    const f2l_inspect_characters *characters;
    size_t rows; /* number of letters that the text shows for each head */
} f2l_inspect_report;

extern const f2l_report_kind f2l_inspect_report_kind;

#endif
