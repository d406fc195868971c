/* The steps of a local closure, each done once: a layer has few states and few letters that differ in what they do, though
 * its level has many pairs and contexts. */
#ifndef F2L_LOCAL_STEPS_IMPL_H
#define F2L_LOCAL_STEPS_IMPL_H

#include "f2l_net.h"
#include "f2l_pairs_impl.h"

typedef struct f2l_local_steps {
    size_t at, width;   /* the layer's bytes among those of its level's state */
    f2l_pairs states;   /* that were met */
    size_t *code;       /* of them */
    uint32_t *class_of; /* letters that are alike (f2l_alike.h) */
    size_t classes;
    uint32_t **next; /* for every state NULL or [classes] the state after a letter, + 1; 0: not known yet */
    size_t capacity; /* of code and next */
    size_t bytes;    /* that all this takes */
} f2l_local_steps;

/* `width` bytes at `at`. */
f2l_status f2l_local_steps_init(f2l_local_steps *steps, const f2l_layer *layer, size_t at, size_t width,
                                f2l_error *err);
void f2l_local_steps_clear(f2l_local_steps *steps);

/* The number of the state whose level's bytes are `row`, added with its code when it is new. *id is F2L_NO_INDEX where there
 * are more states than it pays to remember. */
f2l_status f2l_local_steps_find(f2l_local_steps *steps, const unsigned char *row, size_t code, size_t *id,
                                f2l_error *err);

/* Where the state after the letter is remembered; NULL where there is no room for it. */
uint32_t *f2l_local_steps_next(f2l_local_steps *steps, size_t id, size_t letter);

#endif
