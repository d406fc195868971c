/* A construction is a folder below theory/construct and a row here: what it applies to, how its
 * networks are built, proved and described. theory/compile/constructions.h lists all rows. */
#ifndef F2L_CONSTRUCT_CONSTRUCTION_H
#define F2L_CONSTRUCT_CONSTRUCTION_H

#include "automata/gset/gset.h"
#include "numeric/facts/facts.h"
#include "theory/certify/swaps/swaps.h"
#include "theory/construct/result.h"

/* One way in which a construction builds networks: an entry of the compiler's list. */
struct f2l_variant {
    const char *theorem, *name; /* "T3", "dyadic keys" */
    size_t number; /* parameter of the construction's functions: a key system, or a number of
                      factors */
    f2l_compile_cascade cascade; /* kind of cascade with tables; F2L_COMPILE_AUTO: it is none */
    f2l_compile_target target;   /* built only for this target, and in lists */
    bool rule;         /* a cascade in rule form, for any kind of cascade that has no table */
    bool gated, naive; /* built only with the options of these names, and in lists */
    /* built only within bounds and in lists: a format is expected to round it */
    bool rounds;
    bool published; /* wins on equal figures */
    bool slow;      /* its search takes much time, and serves to find fewer layers */
    bool layers;    /* outside lists it is not built where the best network is exact in bf16 and has
                       as few layers */
    bool infinite;  /* exact states may be infinitely many: in no class of finite networks */
};

typedef struct f2l_shared f2l_shared;

/* What a construction works on. */
typedef struct f2l_construct_job {
    const f2l_fsa *fsa; /* the caller's automaton, which the network is certified for; borrowed */
    const f2l_compile_options *options;
    const f2l_task *task;
    const f2l_variant *variant; /* under consideration; NULL: none */
    /* Made if the labels or a cascade need it; owned by the job until the work is done, then by the
     * result. */
    f2l_compile_quotient *quotient;
    const f2l_fsa *subject; /* automaton that networks other than cascades are built from: `fsa`,
                               its quotient by the labels, or with labels `edges` its Moore machine
                               if there is one */
    f2l_label label;        /* kind of the subject's labels that these networks give */
    size_t states;          /* number of states of the subject that its start reaches */
    bool permutes;          /* every letter permutes the states */
    char merges[256];       /* unless permutes: the letter that merges states, and the states */
    bool has_set;
    f2l_gset set; /* the smallest representation; made when a row first needs it */
    size_t set_reflections;
    char refusal[256];  /* why the first cascade that failed was not built; empty: none failed */
    size_t below;       /* only a network with fewer layers is of use; 0: any is */
    bool hurried;       /* set by `build`: with more steps the row may have a better network */
    f2l_shared *shared; /* owned */
    /* Compiles another automaton, for networks that are made of networks: f2l_compile. */
    f2l_status (*compile)(f2l_compile_result *out, const f2l_fsa *fsa,
                          const f2l_compile_options *options, const f2l_task *task, f2l_error *err);
} f2l_construct_job;

/* The functions that verify a network exactly and in a format. `net` is the network, or its rounded
 * view where it has heads over fields. */
typedef struct f2l_construction_proof {
    f2l_status (*exact)(f2l_compile_result *c, const f2l_construct_job *job, f2l_error *err);
    f2l_status (*format)(f2l_compile_format *out, const f2l_net *net, const f2l_compile_result *c,
                         const f2l_construct_job *job, f2l_error *err);
    f2l_status (*certificate)(f2l_buf *out, const f2l_compile_result *c, const f2l_fsa *fsa,
                              const char network_sha256[65], f2l_error *err);
} f2l_construction_proof;

/* The functions find the variant that they are asked for in job->variant; those whose comment says
 * so may be NULL. */
struct f2l_construction {
    const f2l_variant *variant; /* [variants] */
    size_t variants;
    /* Returns F2L_EDOMAIN, with the reason, when the variant does not apply to the automaton, and
     * F2L_UNKNOWN when a limit left that open. Takes little time. NULL: it always applies. */
    f2l_status (*applies)(f2l_construct_job *job, f2l_error *err);
    /* Sets lower bounds in *out (all zero at first) that hold for every network of the variant,
     * figure by figure, as far as known. */
    void (*least)(f2l_compile_figures *out, const f2l_construct_job *job);
    /* Does work that takes time; may raise `least` and may return the statuses of `applies`. NULL:
     * nothing to do. */
    f2l_status (*prepare)(f2l_construct_job *job, f2l_error *err);
    /* Does work that takes much more time; of the rows that have such work the most promising one
     * comes first. NULL: nothing to do. */
    f2l_status (*complete)(f2l_construct_job *job, f2l_error *err);
    /* Forgets an attempt that failed, because more steps are left. NULL: nothing is kept. */
    void (*again)(f2l_construct_job *job);
    size_t detail; /* bytes of f2l_compile_result.detail */
    /* Builds the network and its detail, which is all zero at first, into *out. */
    f2l_status (*build)(f2l_compile_result *out, f2l_construct_job *job, f2l_error *err);
    /* Adds to the winner what only the winner needs, and takes over what it borrows from the job.
     * NULL: nothing. */
    f2l_status (*keep)(f2l_compile_result *c, f2l_construct_job *job, f2l_error *err);
    bool by_quotient; /* with labels `edges` its networks are built from the quotient, and not from
                         its Moore machine */
    const f2l_construction_proof *proof;
    const f2l_form *form; /* with f2l_proof_form: the form that proves its networks */
    /* Returns the form of this network, where they have several forms. NULL: `form`. */
    const f2l_form *(*form_of)(const f2l_compile_result *c);
    /* Returns the most factors of a token on layer `layer` (from 1), where the slots of the network
     * can hold more. NULL: the slots count. */
    size_t (*factors)(const f2l_compile_result *c, size_t layer);
    /* Returns the same for the head that takes most. NULL: layers have one head. */
    size_t (*householders)(const f2l_compile_result *c, size_t layer);
    /* The kind of network in the summary, as a template (numeric/facts/layout.h) for the facts of
     * the construction: "dihedral group, two layers". */
    const char *title;
    /* Puts what is special of the network into the facts of the construction. */
    void (*describe)(f2l_fact in, const f2l_compile_result *c);
    /* Appends lines for the summary; a line may begin with a label and a tab. NULL: nothing. */
    void (*tell)(f2l_buf *out, f2l_fact facts, const f2l_compile_result *c);
    const char *lines; /* template of the lines after these; NULL: none */
    /* Frees what the detail owns, but not itself; it may be all zero. NULL: it owns nothing. */
    void (*clear)(void *detail);
};

/* --- proofs --- */

/* The joint closure of a network in layers. */
extern const f2l_construction_proof f2l_proof_joint;
/* The form of a wired network, else its joint closure; needs f2l_compile_result.subject. */
extern const f2l_construction_proof f2l_proof_form;

/* Verifies in a format a network that is exactly right by exchanges of points, and sets
 * out->by_rule; *swaps has the reason where that proves nothing, empty for other networks. */
f2l_status f2l_construct_swaps(f2l_compile_format *out, f2l_swaps_verdict *swaps,
                               const f2l_net *net, const f2l_compile_result *c,
                               const f2l_construct_job *job, f2l_error *err);

/* Returns the limit on the rows of a format's closure: the limit of the options, or in a list a
 * smaller one for rounded keys, whose closures seldom end. */
size_t f2l_construct_float_rows(const f2l_construct_job *job);

/* Puts the look-ups and table entries of a wired network. */
void f2l_construct_say_circuits(f2l_fact in, const f2l_compile_result *c);

/* --- parts of the job --- */

/* Sets job->set to the smallest permutation representation. Returns F2L_EDOMAIN unless every letter
 * permutes. */
f2l_status f2l_construct_represent(f2l_construct_job *job, f2l_error *err);

/* Makes job->quotient: the caller's automaton, minimised, without states that cannot be reached. */
f2l_status f2l_construct_minimise(f2l_construct_job *job, f2l_error *err);

/* Sets *out to the automaton that a cascade is built from: the reachable part of a group form, or
 * the quotient by the labels, made when first needed. */
f2l_status f2l_construct_reachable(const f2l_fsa **out, f2l_construct_job *job, f2l_error *err);

/* Returns the number of states of that automaton, once the subject is known. */
size_t f2l_construct_cascade_states(const f2l_construct_job *job);

/* Returns F2L_EDOMAIN with labels `edges`: for cascades that only give labels of states. */
f2l_status f2l_construct_states_only(f2l_construct_job *job, f2l_error *err);

/* Sets out->subject, and the quotient with it. */
void f2l_construct_track(f2l_compile_result *out, f2l_construct_job *job, const f2l_fsa *subject);

/* Returns whether all networks are sought, or those with few layers: then work for them may take
 * all steps. */
bool f2l_construct_is_sought(const f2l_construct_job *job);

/* Returns the job's task with *effort, for work that may be long and in vain: a small share of the
 * steps that are left, but not less than some tenths of a second; all of them where it is sought.
 * f2l_construct_end_share charges to the job what it took. */
f2l_task f2l_construct_begin_share(f2l_effort *effort, const f2l_construct_job *job);
f2l_status f2l_construct_end_share(const f2l_construct_job *job, const f2l_effort *effort,
                                   const char *phase, f2l_error *err);

/* A kind of data that the rows of one job share; the address of the kind is its name. */
typedef struct f2l_shared_kind {
    size_t size;
    void (*clear)(void *data);
} f2l_shared_kind;

/* Return the data of this kind. The first makes it when it is missing, all zero, and returns NULL
 * without memory; the second returns NULL when it is missing. */
void *f2l_construct_share(f2l_construct_job *job, const f2l_shared_kind *kind, f2l_error *err);
void *f2l_construct_shared(const f2l_construct_job *job, const f2l_shared_kind *kind);

/* Frees the set, the quotient and the shared data. */
void f2l_construct_job_clear(f2l_construct_job *job);

#endif
