/* The main job as a function: automaton in, the best network that a construction gives, with its verdicts,
 * out.
 *
 * Permutation automata take one layer (T3), definite ones a shift register in one layer (K), all others a
 * cascade (T4), which is one layer where every letter permutes or resets. Where the subsets of a cascade pass
 * their limit its rule form takes its place, a wired network (Z). Every applicable candidate
 * (construction and key system) is built, verified exactly, and closed in bf16; the best is the least by
 * (verified in bf16 at all lengths first, layers, factors per token summed over heads, total state numbers,
 * table entries). Only the winner is closed in the other formats. */
#ifndef F2L_COMPILE_H
#define F2L_COMPILE_H

#include "f2l_cascade.h"
#include "f2l_cascade_group.h"
#include "f2l_closure.h"
#include "f2l_fsa.h"
#include "f2l_local.h"
#include "f2l_net.h"
#include "f2l_register.h"
#include "f2l_t3.h"
#include "f2l_t4.h"
#include "f2l_wired_cert.h"

#define F2L_MAX_FORMATS 16

typedef enum f2l_compile_cascade {
    F2L_COMPILE_AUTO, /* a cascade only where T3 and K do not apply: holonomy or the capped cover, by size */
    F2L_COMPILE_HOLONOMY,
    F2L_COMPILE_CAPPED,
    F2L_COMPILE_ZEIGER
} f2l_compile_cascade;

typedef struct f2l_compile_options {
    f2l_label label;
    f2l_compile_cascade cascade;
    bool gated;      /* resets of a cascade by gate 0, delays where they take fewer factors (f2l_t4.h) */
    size_t max_sets; /* of a cascade's family; 0: the default of f2l_cascade_build */
    bool naive_keys; /* --keys naive: the textbook keys instead of the exact dyadic ones */
    const f2l_format *format[F2L_MAX_FORMATS]; /* closed in this order; NULL-terminated unless full */
    const f2l_schedule *schedule;
    size_t exact_rows, float_rows; /* limits; 0: the defaults of f2l_closure.h */
} f2l_compile_options;

typedef struct f2l_compile_format {
    const f2l_format *format;
    const f2l_schedule *schedule;
    f2l_closure closure;
    size_t
        pairs; /* not 0: verified by a local closure of this many pairs, and the joint one was not needed */
    bool by_rule; /* verified as the form of theory/zeiger.md (Z.8): nothing was closed */
    double seconds;
} f2l_compile_format;

/* What T4 adds to a result. */
typedef struct f2l_compile_t4 {
    f2l_fsa quotient;    /* without states when the cascade is of the automaton itself */
    uint32_t *classes;   /* [states] the quotient's states, UINT32_MAX where unreachable; NULL: the same */
    f2l_cascade cascade; /* of the quotient, or of the caller's automaton */
    f2l_cascade_size size;
    bool contested; /* holonomy and the capped cover were both asked for */
    f2l_cascade_kind other;
    f2l_cascade_size other_size; /* levels 0: there is none */
    char other_reason[256];      /* then why */
    f2l_t4_report report;
    f2l_components components; /* empty when the time or the memory did not suffice */
    f2l_local local;           /* F2L_OK: what proves the network; else the joint closure may */
} f2l_compile_t4;

/* What Z adds to a result. */
typedef struct f2l_compile_zeiger {
    f2l_fsa quotient;   /* without states when the network's bits are the states of the automaton itself */
    uint32_t *classes;  /* as in f2l_compile_t4 */
    const f2l_fsa *fsa; /* the quotient, or the caller's automaton */
    f2l_zeiger_verdict exact;
    char reason[256]; /* why there is no cascade with tables */
} f2l_compile_zeiger;

typedef struct f2l_compile_result {
    f2l_net net;         /* fsa_sha256 set; without layers when the network is wired */
    f2l_wired wired;     /* Z only; else without stages */
    const char *theorem; /* "T3", "K", "T4", "Z" */
    char one_layer[80];  /* why one layer suffices: "k-definite, k = 3"; empty where a cascade is deeper */
    f2l_t3_report t3;    /* T3 only */
    f2l_register_report registers; /* K only */
    f2l_compile_t4 *t4;            /* T4 only; it borrows the automaton unless there is a quotient */
    f2l_compile_zeiger *zeiger;    /* Z only; likewise */
    size_t minimised_states;       /* states after minimising for outputs/accept; 0: not minimised */
    f2l_closure exact;             /* its table is empty when t4->local or zeiger->exact is the proof */
    size_t formats;
    f2l_compile_format format[F2L_MAX_FORMATS];
    double construct_seconds, exact_seconds;
} f2l_compile_result;

void f2l_compile_result_init(f2l_compile_result *r);
void f2l_compile_result_clear(f2l_compile_result *r);

/* `fsa` is trimmed, deterministic, total, and stays as it is while the result lives. F2L_EDOMAIN when no
 * construction applies (naive keys for an automaton that is no permutation automaton); F2L_UNKNOWN when the
 * time or the memory stopped the construction. The status is F2L_OK when a network was built, whatever the verdicts say.
 */
f2l_status f2l_compile(f2l_compile_result *out, const f2l_fsa *fsa, const f2l_compile_options *options,
                       const f2l_task *task, f2l_error *err);

/* The certificate that belongs to an exact verdict F2L_OK: of the local closure, or of the joint one. */
f2l_status f2l_compile_certificate(f2l_buf *out, const f2l_compile_result *result, const f2l_fsa *fsa,
                                   const char network_sha256[65], f2l_error *err);

#endif
