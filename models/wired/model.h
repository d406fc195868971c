/* The contents of a file network.lrnn: an ordinary network, whose layers read letters
 * (models/net/net.h), or a wired network (models/wired/wired.h). The first line of the file names
 * the kind. */
#ifndef F2L_MODEL_H
#define F2L_MODEL_H

#include "models/wired/wired.h"

typedef struct f2l_model {
    f2l_net net;     /* without layers when the model is wired */
    f2l_wired wired; /* without stages when the model is not wired */
} f2l_model;

/* The members that both kinds have; pointers are borrowed. */
typedef struct f2l_model_face {
    const f2l_names *letters, *labels;
    size_t start; /* label of the empty word */
    f2l_label label;
    const char *fsa_sha256;
    const f2l_letter_classes *classes;
} f2l_model_face;

void f2l_model_init(f2l_model *model);
void f2l_model_clear(f2l_model *model);

bool f2l_model_is_wired(const f2l_model *model);
f2l_model_face f2l_model_look(const f2l_model *model);

/* Returns F2L_EFORMAT unless this is the SHA-256 that the network names as the hash of its
 * automaton's text. */
f2l_status f2l_model_check_hash(const f2l_model_face *face, const char sha256[65], f2l_error *err);
/* Returns F2L_EFORMAT unless the automaton has the network's letters, and F2L_EDOMAIN unless it has
 * the kind of labels that the network gives. */
f2l_status f2l_model_check_names(const f2l_model_face *face, const f2l_fsa *fsa, f2l_error *err);

/* Merges the letters of each class into one (f2l_letter_classes_merge). */
f2l_status f2l_model_merge_letters(f2l_model *model, f2l_error *err);

/* Reads a file as f2l_net_read and f2l_wired_read do; *out is initialised by the caller and
 * empty. */
f2l_status f2l_model_read(f2l_model *out, const char *bytes, size_t size, f2l_error *err);

/* Writes the file as f2l_net_write and f2l_wired_write do. */
f2l_status f2l_model_write(f2l_buf *out, const f2l_model *model, f2l_error *err);

#endif
