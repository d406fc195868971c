/* The local closure of a cascade network (theory/pages/t4.md, T4.10): a proof for all lengths that
 * never forms joint states, of which there are as many as chains.
 *
 * Level l of the cascade is one layer of the network or several in a row; each layer but the first
 * reads the symbols of the one below, whose meaning does not matter. The level as a whole reads
 * contexts (a, X, Y): input letter, old and new stage. Its local state s is the tuple of its
 * layers' local states, and the current coordinate cur(s) is part 1 of the first layer's state, or
 * is given by a reading. The closure keeps a table of pairs (Z, s), Z the stage that enters the
 * level. With child(Z, c) = C(Z)[c] when lambda(Z) = l, else Z, the conditions are
 *  (0) the level-1 contexts are (a, Q, Q) in the order of the letters, which they read; the initial
 * pairs are (Z_l, H_0), Z_1 = Q, Z_{l+1} = child(Z_l, cur(H_0)); Z_{L+1} is final and holds the
 * automaton's start, whose label is `start`; and for every pair (Z, s), every context (a, X, Y)
 * with X = Z, s' the state after it: (1) (Y, s') is a pair; (3) X' = child(X, cur(s)) and Y' =
 * child(Y, cur(s')) exist; (4) X'a is inside Y'; (2, 4) the last decoder gives the letter that
 * level l+1 reads for its context (a, X', Y'); (5) after the last level Y' is final and the decoder
 * gives the label of each of its states. By induction on l the old stage of a level is its new
 * stage at the step before, so the state stays in Y'. */
#ifndef F2L_LOCAL_H
#define F2L_LOCAL_H

#include "automata/cascade/cascade.h"
#include "models/network/net/net.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/task.h"

/* How a network holds a cascade. */
typedef struct f2l_local_reading {
    /* Computes the current coordinate from the codes [layers of level l, from 0] of a local state
     * whose stage is `set`, where lambda(set) is the level. Returns false when these codes
     * determine none. NULL: the coordinate is part 1 of the first layer's code. */
    bool (*coordinate)(const void *context, size_t l, uint32_t set, const size_t *code,
                       uint32_t *coordinate);
    const void *context;
    /* letter[l][x] is the letter of the first layer of level l (from 0) for its context x; contexts
     * that act alike share one. NULL, or letter[l] NULL: the number of the context. */
    uint32_t *const *letter;
} f2l_local_reading;

/* Returns that letter. */
static inline uint32_t f2l_local_letter(const f2l_local_reading *reading, size_t l, size_t context)
{
    return reading->letter && reading->letter[l] ? reading->letter[l][context] : (uint32_t)context;
}

typedef struct f2l_local_level {
    size_t layers; /* layers of the network */
    size_t pairs;
    uint32_t *set;  /* [pairs] set id of the cascade. Pair 0 is the initial one, and every other one
                       is the next of an earlier one */
    uint32_t *code; /* [pairs][layers] codes */
    uint32_t *child; /* [pairs] child(Z, cur(s)), where a reading was given; else NULL */
    size_t *next_at; /* [pairs + 1] */
    uint32_t *next; /* next[next_at[p] ..]: the pair after every context with X = set[p], in context
                       order */
} f2l_local_level;

typedef struct f2l_local {
    f2l_status verdict; /* F2L_OK: all conditions hold; otherwise F2L_UNKNOWN */
    size_t levels;
    f2l_local_level *level; /* [levels] owned; of a verified exact closure; NULL otherwise */
    uint32_t *start;        /* [levels] owned; the initial pairs, with `level` */
    size_t pairs;           /* pairs found, over all levels */
    char reason[256];       /* F2L_UNKNOWN: what failed or ran out */
} f2l_local;

void f2l_local_init(f2l_local *local);
void f2l_local_clear(f2l_local *local);

/* The local closures release what *out held; it must be initialised. `fsa` is the automaton that
 * the cascade was built on; layers[levels of the cascade] is the number of layers of the network
 * for each level, at least one. Layers need part decoders, however the coordinate is read. The
 * functions return F2L_OK whenever there is a verdict. If a condition fails the verdict is UNKNOWN:
 * that is no word on which the network is wrong, and a joint closure
 * (theory/certify/closure/closure.h) may still find one. F2L_EDOMAIN when the automaton has other
 * letters or lacks the labels.
 *
 * This one closes in exact arithmetic; a local state without a code fails. max_pairs 0:
 * 50,000,000. */
f2l_status f2l_local_exact(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                           const size_t *layers, f2l_local_reading reading, const f2l_fsa *fsa,
                           size_t max_pairs, const f2l_task *task, f2l_error *err);

/* Closes in a format and a schedule: local states are raw numbers, with -0 and +0 equal, and their
 * code is the nearest one, which must be unique. max_pairs 0: 1,000,000. */
f2l_status f2l_local_float(f2l_local *out, const f2l_net *net, const f2l_cascade *cascade,
                           const size_t *layers, f2l_local_reading reading, const f2l_fsa *fsa,
                           const f2l_format *format, const f2l_schedule *schedule, size_t max_pairs,
                           const f2l_task *task, f2l_error *err);

/* Returns F2L_OK when `classes` [states of fsa] maps the reachable part of `fsa` onto `quotient`
 * with start, edges and labels kept, so that a network right for the quotient is right for `fsa`;
 * unreachable states may have the class UINT32_MAX. Returns F2L_EDOMAIN with the state otherwise.
 * NULL is the identity. */
f2l_status f2l_local_check_classes(const f2l_fsa *fsa, const f2l_fsa *quotient,
                                   const uint32_t *classes, f2l_label label, f2l_error *err);

/* Writes the certificate of a verified exact local closure (grammar in
 * theory/certify/cert/cascade_cert.c). `reading` is the closure's; `original` is automaton.fsa;
 * `classes`, as above, maps it to the cascade's automaton; network_sha256 is the hash of the
 * network file's bytes. */
f2l_status f2l_cascade_cert_write(f2l_buf *out, const f2l_net *net, const f2l_cascade *cascade,
                                  const f2l_local *local, const f2l_local_reading *reading,
                                  const f2l_fsa *original, const uint32_t *classes,
                                  const char network_sha256[65], f2l_error *err);

#endif
