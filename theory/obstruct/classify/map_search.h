/* Breadth-first search over the different maps that words make of some states of an automaton, with
 * a test given by the caller: shorter words first, words of one length in the order of the letters
 * (theory/pages/ladder.md, L.15). Private to the searches for words that act as a cycle:
 * theory/obstruct/classify/cycle_word.c, theory/obstruct/obstruct_word.c. */
#ifndef F2L_MAP_SEARCH_IMPL_H
#define F2L_MAP_SEARCH_IMPL_H

#include "automata/fsa/fsa.h"
#include "numeric/base/index.h"
#include "numeric/base/task.h"

typedef struct f2l_map_search {
    const f2l_fsa *fsa;
    const uint32_t *domain; /* [points] the states that are mapped */
    size_t points;
    uint32_t *image; /* [points] the current map: the state to which the word leads domain[i] */
    size_t count;    /* maps that are held */
    uint32_t *parent, *last; /* [count] map i is map parent[i] followed by letter last[i]; map 0 is
                                the empty word's */
    bool full;               /* a map was found for which there was no room */
    bool closed;             /* all maps were followed by all letters: there are no others */

    /* the domain if it is all states; otherwise NULL: maps must be injective */
    uint32_t *all;
    uint32_t *column;      /* [letters][states] */
    uint32_t *seen, stamp; /* [states] the last map that hits a state */
    size_t most, width, bytes, capacity, parent_room, last_room;
    size_t tried; /* number of maps that were looked up */
    /* [capacity][bytes] images in 1, 2 or 4 bytes, padded to words */
    unsigned char *row;
    unsigned char *fresh; /* [bytes] the current row */
    f2l_index index;      /* hashed set of the rows */
} f2l_map_search;

typedef struct f2l_map_test {
    void *user;
    /* Is called for each new map, of index count - 1, which is in s->image. */
    f2l_status (*met)(void *user, const f2l_map_search *s, f2l_error *err);
    /* Is called before words of `length` letters, and among them: returns whether to stop. */
    bool (*enough)(const void *user, size_t length);
} f2l_map_test;

/* Returns the number of maps of that many states that fit into `bytes`, and into the task's
 * memory. */
size_t f2l_map_search_room(const f2l_fsa *fsa, size_t points, size_t bytes, const f2l_task *task);

/* Initialises *s for at most `most` maps, including the empty word's. Domain NULL: all states,
 * `points` is ignored. In another domain maps that are not injective are left out, with all that
 * would follow them. */
f2l_status f2l_map_search_init(f2l_map_search *s, const f2l_fsa *fsa, const uint32_t *domain,
                               size_t points, size_t most, f2l_error *err);
void f2l_map_search_clear(f2l_map_search *s);

/* Runs the search, once: until the test has enough, there is no room (s->full), or no map is new
 * (s->closed); all three are F2L_OK. */
f2l_status f2l_map_search_run(f2l_map_search *s, const f2l_map_test *test, const f2l_task *task,
                              f2l_error *err);

/* These give the letters of the first word found for map `index`: letter[length - 1] is
 * last[index], and so on for its parents. */
size_t f2l_map_search_length(const f2l_map_search *s, size_t index);

#endif
