/* Forks: automata that one layer cannot track (theory/pages/layers.md, FK.3).
 *
 * A fork is a state s, two states p and q that some word tells apart, and words u and v with s u =
 * p and s v = q that both fix p and q. It is sought in the minimal automaton for the labels. In
 * each strongly connected component of the graph of pairs (p, q) the triples (s, p, q) are searched
 * backwards from those with s = p, and from those with s = q. */
#ifndef F2L_FORK_H
#define F2L_FORK_H

#include "theory/obstruct/pairs/pairs.h"

typedef struct f2l_fork {
    bool found;
    /* Pairs {p, q} of which it is not known whether they are in a fork, because a limit ended the
     * search; 0 where a fork was found. Without any, no fork exists. */
    uint64_t unsearched;
    char reason[256]; /* what ended the search; empty: nothing did */
    size_t states;    /* of the minimal automaton */
    size_t s, p, q;   /* its states, if found */
    f2l_word reach;   /* leads from the start to s; a shortest one, as `apart` and `still` */
    f2l_word u, v;    /* s u = p, s v = q; shortest ones where these are soon found */
    f2l_word apart;   /* after it the labels of p and q differ */
    /* A non-empty word that fixes s, p and q: then the fork holds for layers with windows, too
     * (FK.5'). Length 0: there is none, unless `strong_open`. */
    f2l_word still;
    bool strong_open;   /* a limit ended the search for `still` */
    uint32_t *class_of; /* [states of the caller's automaton] owned; state of the minimal one,
                           UINT32_MAX where it cannot be reached */
} f2l_fork;

void f2l_fork_init(f2l_fork *fork);
void f2l_fork_clear(f2l_fork *fork);

/* Searches a fork of `fsa`, which must be deterministic and total and have the labels.
 * *out must be initialised. Returns F2L_OK also when a limit of the task ended the search. */
f2l_status f2l_fork_find(f2l_fork *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                         f2l_error *err);

/* Searches a fork in the graph: sets `found`, s, p, q, u and v, or `unsearched` and `reason`. */
f2l_status f2l_fork_find_in(f2l_fork *out, const f2l_pair_graph *graph, const f2l_task *task,
                            f2l_error *err);

/* Appends the certificate of the fork (man page fork-check(1)), which `fork-check` verifies. */
f2l_status f2l_fork_certificate(f2l_buf *out, const f2l_fork *fork, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err);

#endif
