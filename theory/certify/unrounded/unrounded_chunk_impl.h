/* Runs of chunk64 (U7) in integers; private to unrounded_chunk*.c. */
#ifndef F2L_UNROUNDED_CHUNK_IMPL_H
#define F2L_UNROUNDED_CHUNK_IMPL_H

#include "theory/certify/unrounded/unrounded_integers_impl.h"

/* Runs of one kind: of columns, of images of keys, of back images. */
typedef struct f2l_chunk_kind {
    const char *phase;
    f2l_vectors *found; /* the set that is being closed */
    f2l_range *product; /* of every beta (k . x - v), or NULL */
    f2l_range *vectors; /* of all coordinates on the way, or NULL */
    bool writes;        /* v counts */
    bool back;          /* factors from last to first */
    bool zero;          /* a vector of zeros belongs to the set */
} f2l_chunk_kind;

/* Of numbers m: what f2l_range has to know. */
typedef struct f2l_chunk_seen {
    uint64_t bits, most; /* all |m| or-ed together; the largest */
} f2l_chunk_seen;

/* A vector of the set. */
typedef struct f2l_chunk_entry {
    uint64_t hash;
    size_t index; /* + 1; 0: empty */
} f2l_chunk_entry;

typedef struct f2l_chunk_integers {
    f2l_integer_steps weights;
    bool usable;
    int64_t *base, *s; /* [n] the vector that runs begin with, and the one that runs */
    f2l_chunk_seen product, vectors;
    f2l_chunk_entry *entry; /* [entries], a power of two or 0; `used` of them are not empty */
    size_t entries, used;
} f2l_chunk_integers;

/* Not usable when the weights, or vectors of the places of `start`, are not for integers; cleared in any case. */
void f2l_chunk_integers_init(f2l_chunk_integers *c, const f2l_steps *steps, const f2l_vectors *start);
void f2l_chunk_integers_clear(f2l_chunk_integers *c);

/* The set becomes the kind's. */
void f2l_chunk_integers_begin(f2l_chunk_integers *c, const f2l_chunk_kind *kind);
/* What the next runs begin with; false: not for integers. */
bool f2l_chunk_integers_load(f2l_chunk_integers *c, const f2l_qvec *vector);
/* A run of the letter's factors on what was loaded; its numbers go to the ranges of the kind, exactly those that the same
 * run in rationals has. False: integers do not suffice, and the run must be made in rationals. */
bool f2l_chunk_integers_run(f2l_chunk_integers *c, const f2l_chunk_kind *kind, size_t letter,
                            uint32_t column);
/* Whether the vector at the run's end is known to be in the set. */
bool f2l_chunk_integers_known(const f2l_chunk_integers *c, const f2l_chunk_kind *kind, uint32_t column);
/* room->s <- the vector at the run's end. */
void f2l_chunk_integers_store(f2l_step_room *room, const f2l_chunk_integers *c);
/* It has become the last one of the set. */
void f2l_chunk_integers_note(f2l_chunk_integers *c, const f2l_chunk_kind *kind, uint32_t column);

#endif
