/* Idempotents that one layer with finitely many states cannot have (theory/pages/one-layer.md,
 * OL.3; the search: layers.md, FK.17).
 *
 * In one layer efe = fe for all idempotents e and f. So no finite exact network of one layer tracks
 * an automaton with states s, p, r, t, q, t', where t and t' are told apart, and words u and v with
 *     u:  s -> p, p -> p, r -> t, t -> t, q -> t', t' -> t'
 *     v:  p -> r, r -> r, s -> q, q -> q.
 * The minimal automaton has such a pattern where some idempotents of its semigroup violate the
 * equation, and none otherwise. */
#ifndef F2L_BANDS_H
#define F2L_BANDS_H

#include "theory/obstruct/fork/fork.h"

#define F2L_BAND_STATES 6

/* The places of the states in a pattern. */
enum { F2L_BAND_S, F2L_BAND_P, F2L_BAND_R, F2L_BAND_T, F2L_BAND_Q, F2L_BAND_OTHER };

typedef struct f2l_band {
    bool found;
    bool decided;                  /* found, or efe = fe for all idempotents */
    char reason[256];              /* what ended the search; empty: it was decided */
    size_t states;                 /* of the minimal automaton, or of the table */
    size_t state[F2L_BAND_STATES]; /* its s, p, r, t, q, t', if found; some may be equal */
    f2l_word u, v;
    f2l_word reach;     /* leads from the start to s; not for a table, as the next two */
    f2l_word apart;     /* after it the labels of t and t' differ */
    uint32_t *class_of; /* as in f2l_fork */
} f2l_band;

void f2l_band_init(f2l_band *band);
void f2l_band_clear(f2l_band *band);

/* Searches a pattern of `fsa`, which must be deterministic and total and have the labels. `fork` is
 * what f2l_fork_find found for it, or NULL. *out must be initialised. Returns F2L_OK also when a
 * limit of the task ended the search. */
f2l_status f2l_band_find(f2l_band *out, const f2l_fsa *fsa, f2l_label label, const f2l_fork *fork,
                         const f2l_task *task, f2l_error *err);

/* A deterministic table of n states and k letters, of which all states are told apart; it is
 * borrowed. */
typedef struct f2l_band_table {
    const uint32_t *next; /* [n][k] */
    size_t n, k;
} f2l_band_table;

/* Searches a pattern of the table, as f2l_band_find does, without the lists of maps. */
f2l_status f2l_band_search(f2l_band *out, const f2l_band_table *table, const f2l_task *task,
                           f2l_error *err);

/* Appends the certificate (man page band-check(1)), which `band-check` verifies. */
f2l_status f2l_band_certificate(f2l_buf *out, const f2l_band *band, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err);

#endif
