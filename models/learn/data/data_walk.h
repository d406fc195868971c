/* Words that do not hide failures: random words of an automaton with a sink end there soon, and
 * random words seldom repeat themselves.
 *
 * A sink is a state after which the label never changes, whatever is read of the letters that are
 * drawn. A word is live if no beginning of it leads to a sink; its letters are drawn one after
 * the other, by their weights, among those after which the rest of the word can stay out of sinks.
 *
 * A periodic word is z u u u .., cut to its length, with at most F2L_DATA_BEFORE letters in z and 1
 * to F2L_DATA_AROUND in u, both numbers uniform. Where there are live words of any length, z and u
 * are drawn as these are, and drawn anew, F2L_WALK_TRIES times at most, until z u u u .. stays out
 * of sinks for ever. Where there are none, their letters are drawn as in random words. */
#ifndef F2L_DATA_WALK_H
#define F2L_DATA_WALK_H

#include "models/learn/data/data.h"

/* The kinds of words that a network is tested on; `live` and `periodic` of the options are their
 * shares in training. */
typedef enum f2l_walk { F2L_WALK_RANDOM, F2L_WALK_LIVE, F2L_WALK_PERIODIC, F2L_WALKS } f2l_walk;

enum { F2L_WALK_TRIES = 64, F2L_WALK_SEQUENCES = 128 };

/* Returns "random", "sink-free" or "periodic"; NULL past the last. */
const char *f2l_walk_name(size_t walk);

/* Returns whether words of this kind are another test than random ones: sink-free ones where the
 * automaton has a sink and words of any length that stay out of sinks, periodic ones of every
 * automaton; of other data only random ones. */
bool f2l_data_has_walk(const f2l_data *data, f2l_walk walk);

/* Returns the same data with all words of one kind. It borrows everything from *data: it ends with
 * it, and must not be cleared. */
f2l_data f2l_data_of_walk(const f2l_data *data, f2l_walk walk);

/* Returns the length up to which a network is tested on other words than random ones: 4 times the
 * longest that it was trained on, and at least 64. */
static inline size_t f2l_walk_longest(size_t trained)
{
    return trained > 16 ? 4 * trained : 64;
}

#endif
