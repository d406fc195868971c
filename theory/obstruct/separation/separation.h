/* Whether one layer of contractions can have one code for each state of an automaton
 * (theory/pages/separation.md).
 *
 * It can exactly when a form G >= 0 on the vectors of sum 0 has S_w(G) = G - F_w^T G F_w >= 0 for
 * every letter w, and separates all pairs of states (SP.1). The search looks for such a form in
 * doubles, rounds it, and checks it exactly; where it finds none, for a chain of facts that forces
 * some pair to have the same code, which is checked exactly, too. Nothing is said about networks
 * with several codes for a state. */
#ifndef F2L_SEPARATION_H
#define F2L_SEPARATION_H

#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include "theory/obstruct/separation/elimination.h"
#include <flint/fmpq_vec.h>

/* Maps of states to states: letter w leads state q to next[q * letters + w]. Borrowed. Maps may be
 * partial: then w needs to be a contraction on the states of its domain only, and only some pairs
 * need different codes. */
typedef struct f2l_maps {
    size_t states, letters;
    const uint32_t *next;
    const uint8_t *domain; /* [letters][states]; NULL: maps are total. Domains are not empty */
    const uint8_t *apart;  /* [states][states], symmetric; NULL: all pairs */
} f2l_maps;

/* Returns the maps of an automaton that is deterministic and total. */
static inline f2l_maps f2l_maps_of(const f2l_fsa *fsa)
{
    return (f2l_maps){
        .states = fsa->states.count, .letters = fsa->letters.count, .next = fsa->next};
}

/* Returns whether letter w is defined for state q. */
static inline bool f2l_maps_defined(const f2l_maps *maps, size_t w, size_t q)
{
    return !maps->domain || maps->domain[w * maps->states + q];
}

/* Returns whether two states need different codes. */
static inline bool f2l_maps_apart(const f2l_maps *maps, size_t p, size_t q)
{
    return !maps->apart || maps->apart[p * maps->states + q];
}

typedef enum f2l_chain_kind {
    F2L_CHAIN_FORM,   /* scale * z^T G z */
    F2L_CHAIN_LETTER, /* scale * z^T S_w(G) z */
    F2L_CHAIN_KNOWN,  /* y^T G z, where G z = 0 is known */
    F2L_CHAIN_SLACK   /* y^T S_w(G) z, where S_w(G) z = 0 is known */
} f2l_chain_kind;

/* A term of a step. The vectors have one entry for each state, with the sum 0. */
typedef struct f2l_chain_term {
    f2l_chain_kind kind;
    size_t step, letter; /* steps count from 0 and do not decrease */
    fmpq_t scale;        /* positive; not of known terms */
    fmpq *z, *y;         /* y: of known terms, else NULL */
} f2l_chain_term;

/* The terms of every step sum to 0 for every symmetric form G (SP.3). */
typedef struct f2l_chain {
    size_t states, letters, steps, terms, capacity;
    f2l_chain_term *term;
    size_t p, q; /* the chain proves that their codes are equal */
} f2l_chain;

typedef enum f2l_separation_verdict {
    F2L_SEPARATION_UNKNOWN,
    F2L_SEPARATION_FEASIBLE,
    F2L_SEPARATION_INFEASIBLE
} f2l_separation_verdict;

typedef struct f2l_separation {
    f2l_separation_verdict verdict;
    bool has_form;
    fmpq_mat_t form;  /* of a feasible one: entry (i, j) is (e_i - e_last)^T G (e_j - e_last) */
    f2l_chain chain;  /* of an infeasible one */
    char reason[128]; /* of an unknown one */
} f2l_separation;

void f2l_separation_init(f2l_separation *s);
void f2l_separation_clear(f2l_separation *s);

/* Searches for a form, or a chain. F2L_OK also when the verdict is unknown; F2L_UNKNOWN when the
 * task was stopped. On failure *out is cleared. For partial maps no chain is given: the verdict is
 * a form or unknown. */
f2l_status f2l_separation_build(f2l_separation *out, const f2l_maps *maps, const f2l_task *task,
                                f2l_error *err);

/* Returns whether the form, a matrix as in f2l_separation, is positive semidefinite, does not grow
 * under any letter on its domain, and separates the states that need it. */
bool f2l_separation_form_holds(const fmpq_mat_t form, const f2l_maps *maps);

/* Returns whether every step is a right conclusion for total maps, and the last one leaves e_p -
 * e_q in the kernel of every form; false after a stop of the watch, which may be NULL. */
bool f2l_chain_holds(const f2l_chain *chain, const f2l_maps *maps, f2l_watch *watch);

/* The chain's memory. A new term has zero vectors and scale 0, and is the caller's to fill. */
void f2l_chain_clear(f2l_chain *chain);
f2l_status f2l_chain_add(f2l_chain_term **term, f2l_chain *chain, f2l_chain_kind kind,
                         size_t letter, f2l_error *err);
/* Drops the terms from `count` on. */
void f2l_chain_cut(f2l_chain *chain, size_t count);

#endif
