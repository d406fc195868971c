/* The fewest layers that the compiler's constructions give, in each class of networks. All figures
 * "at most" of `classify`, of lists and of the main job are these. */
#ifndef F2L_COMPILE_FEWEST_H
#define F2L_COMPILE_FEWEST_H

#include "theory/construct/result.h"

typedef enum f2l_network_class {
    F2L_NETWORKS_NONE,
    F2L_NETWORKS_POSITIVE,      /* diagonal with entries in [0, 1] */
    F2L_NETWORKS_POSITIVE_KEPT, /* and without gates */
    F2L_NETWORKS_REAL,          /* diagonal with entries in [-1, 1] */
    F2L_NETWORKS_COMPLEX,       /* diagonal over the complex numbers */
    F2L_NETWORKS_ONE,  /* finitely many states, no gates, one factor for a letter; no slow row is */
    F2L_NETWORKS_KEPT, /* finitely many states, no gates */
    F2L_NETWORKS_FINITE, /* finitely many states */
    F2L_NETWORK_CLASSES
} f2l_network_class;

/* Returns the entry of the class that is VERIFIED exactly and has the fewest layers; among those a
 * row that is not slow, then the fewest factors of a head, key dimensions, factors per token, state
 * numbers and table entries, then the first. Networks with naive keys do not count. NULL: the
 * result's list has none. */
const f2l_compile_entry *f2l_compile_fewest(const f2l_compile_result *list,
                                            f2l_network_class within);

/* Returns the entry that says most of why the list has no network of the class: a row that was
 * stopped, or else the last one that does not apply; NULL: the list is empty. */
const f2l_compile_entry *f2l_compile_missing(const f2l_compile_result *list,
                                             f2l_network_class within);

/* Sets *options to zero but for the label, and what makes f2l_compile build the entry: its target
 * and gates and, where it was built, its figures as bounds. */
void f2l_compile_ask_for(f2l_compile_options *options, const f2l_compile_entry *entry,
                         f2l_label label);

/* Sets text to the theorems of the rows that may have fewer than `layers` layers but were not
 * built, or are not VERIFIED: "R4, R4.8"; empty where there are none. No network has fewer than
 * `least` layers. */
void f2l_compile_say_open(char *text, size_t size, const f2l_compile_result *list, size_t layers,
                          size_t least);

#endif
