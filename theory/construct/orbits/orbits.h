/* One layer of slots that permutations move (theory/pages/one-layer.md, OL.7, OL.8, OL.10).
 *
 * Below the layer is a finite device that reads the letters, with the states `vertices`; with one
 * vertex there is nothing below. The letter of the layer is an edge, a vertex with a letter. An
 * edge permutes the contents of the slots, and then writes 0 or 1 into some. The edge and the
 * contents after it tell what the layer has to tell, such as the state of the automaton. */
#ifndef F2L_ORBITS_H
#define F2L_ORBITS_H

#include "models/network/net/net.h"
#include "theory/construct/slots/slots.h"

/* What a layer is sought for. All is borrowed. Edge v * letters + a leads from vertex v to
 * below[v * letters + a]. For two words with the same last edge and the same contents after it, the
 * targets must be equal: target[q * letters + a] for letter a in state q, a number below `targets`.
 * For labels of states of a minimal automaton it is the next state; for the first of two layers,
 * the automaton is the device that this layer is to be, and the target the edge. */
typedef struct f2l_orbits_graph {
    size_t letters;
    size_t vertices, start; /* the vertex at the start */
    const uint32_t *below;  /* [vertices][letters] */
    size_t states, start_state;
    const uint32_t *next; /* [states][letters] */
    size_t targets;
    const uint32_t *target; /* [states][letters] */
    bool signs;             /* only groups of order 1 and 2 are tried, with several vertices */
} f2l_orbits_graph;

/* The maps of the states made by words: map 0 is made by the empty word, and other words may
 * make it, too. */
typedef struct f2l_orbits_maps {
    size_t states, letters, count;
    uint8_t *image;  /* [count][states] */
    uint32_t *times; /* [count][letters] the map followed by the letter */
} f2l_orbits_maps;

#define F2L_ORBITS_MAX_STATES 256 /* of the automaton */
#define F2L_ORBITS_MAX_MAPS ((size_t)1 << 16)
#define F2L_ORBITS_MAX_EDGES ((size_t)4096)
#define F2L_ORBITS_POINTS 6 /* most points of the permutations */
#define F2L_ORBITS_HALF 2   /* a content that no edge writes, 1/2; others are 0 and 1 */
#define F2L_ORBITS_NONE UINT32_MAX

typedef struct f2l_orbits {
    f2l_slots slots; /* letters: edges; states: contents that were met, of which the first is the
                        initial one; value: 0, 1 or F2L_ORBITS_HALF */
    uint32_t *tells; /* [edges][contents] target; F2L_ORBITS_NONE where that is not met */
    size_t rows;     /* triples of a vertex, contents and a state that are met */
    size_t degree;   /* points of the permutations of edges; 0: not known */
    size_t order;    /* elements of the group that they generate */
} f2l_orbits;

/* Lists the maps; F2L_EDOMAIN for more than F2L_ORBITS_MAX_MAPS, or F2L_ORBITS_MAX_STATES states.
 */
f2l_status f2l_orbits_maps_list(f2l_orbits_maps *out, const f2l_orbits_graph *graph,
                                const f2l_task *task, f2l_error *err);
void f2l_orbits_maps_clear(f2l_orbits_maps *maps);

/* Words that no layer above the device can follow: `to` leads to a vertex and a state q, u and w
 * lead from this vertex to it and act as idempotents e, f on the states possible there, and
 * q efe != q fe. All words are letters, owned. */
typedef struct f2l_orbits_witness {
    uint32_t *to, *u, *w;
    size_t to_letters, u_letters, w_letters;
    size_t vertex;
    uint32_t state;
} f2l_orbits_witness;
void f2l_orbits_witness_clear(f2l_orbits_witness *witness);

/* Sets *good to whether the loops at every vertex act on the states possible there with efe = fe
 * for idempotents (OL.10), and where they do not fills *witness, which may be NULL and is else zero
 * at first. */
f2l_status f2l_orbits_is_good(bool *good, f2l_orbits_witness *witness,
                              const f2l_orbits_graph *graph, const f2l_orbits_maps *maps,
                              const f2l_task *task, f2l_error *err);

/* Searches for a layer of slots with few factors, for a graph that is good. F2L_UNKNOWN where none
 * was found, as for other graphs. `steps` limits the work (numeric/base/task.h). On failure *out,
 * which is zero at first, is cleared. */
f2l_status f2l_orbits_find(f2l_orbits *out, const f2l_orbits_graph *graph,
                           const f2l_orbits_maps *maps, uint64_t steps, const f2l_task *task,
                           f2l_error *err);
void f2l_orbits_clear(f2l_orbits *orbits);

/* Permutations of edges with which every loop that they take to 1 acts as an idempotent: a proof,
 * by OL.7, that a layer above the device is enough. */
typedef struct f2l_orbits_cover {
    size_t degree, order; /* points; elements of the group that the permutations generate */
    uint8_t *image;       /* [edges][degree] */
} f2l_orbits_cover;

/* Searches for such permutations only, as f2l_orbits_find does. */
f2l_status f2l_orbits_cover_find(f2l_orbits_cover *out, const f2l_orbits_graph *graph,
                                 const f2l_orbits_maps *maps, uint64_t steps, const f2l_task *task,
                                 f2l_error *err);
void f2l_orbits_cover_clear(f2l_orbits_cover *cover);

/* Finds the contents that words lead to, and sets slots.states, slots.value, slots.row,
 * slots.factors, tells and rows of *out, whose slots.letters, .slots, .source and .flip are set, as
 * is `initial` [slots]. F2L_EDOMAIN where edge and contents do not determine the target;
 * F2L_UNKNOWN for more than `most` rows. */
f2l_status f2l_orbits_close(f2l_orbits *out, const f2l_orbits_graph *graph, const uint8_t *initial,
                            size_t most, const f2l_task *task, f2l_error *err);

/* Adds slots that keep what an edge overwrites, so that the contents tell of the contents before;
 * to be called before f2l_orbits_close. *initial, owned by the caller, is made longer. */
f2l_status f2l_orbits_add_registers(f2l_orbits *orbits, uint8_t **initial, f2l_error *err);

/* Builds the layer into *layer (empty): letter[edges] is the letter of the layer for each edge,
 * below `letters`, or F2L_ORBITS_NONE where no word passes it; symbol[targets], below `symbols`, is
 * what the layer gives. Keys are exact in binary formats (K.8) unless `naive`, where exchanges and
 * writes take one factor each (R3.2). */
f2l_status f2l_orbits_layer(f2l_layer *layer, const f2l_orbits *orbits, const uint32_t *letter,
                            size_t letters, const uint32_t *symbol, size_t symbols, bool naive,
                            const f2l_task *task, f2l_error *err);

#endif
