/* Cascades with tables as constructions: what T4 shares with the constructions that hold the levels
 * of a cascade in other ways. */
#ifndef F2L_T4_CONSTRUCTION_H
#define F2L_T4_CONSTRUCTION_H

#include "automata/cascade/cascade_group.h"
#include "models/network/net/merge_letters.h"
#include "theory/certify/local/local.h"
#include "theory/construct/construction.h"
#include "theory/construct/t4/t4.h"

/* The detail of a network by a cascade; other constructions may add members after it. */
typedef struct f2l_t4_detail {
    f2l_cascade cascade; /* of the quotient, or of the caller's automaton, which it borrows */
    bool owns;           /* false: the cascade is the job's, because the search may still need it */
    f2l_cascade_size size;
    bool contested; /* holonomy and the capped cover were both candidates */
    f2l_cascade_kind other;
    f2l_cascade_size other_size; /* size of the cover that lost; levels 0: there is none */
    char other_reason[256];      /* why other_size has no levels */
    f2l_t4_report report;
    const char *matrices;      /* kind of transition matrices; NULL: any */
    f2l_local_reading reading; /* how coordinates are read from codes, and letters for contexts */
    f2l_merged_letters merged; /* of the network's layers */
    uint32_t **letter; /* [levels] reading.letter: of each level's first layer; owned, but not
                          its members, which are merged's */
    f2l_components components; /* empty when the time or the memory did not suffice */
    f2l_local local;           /* F2L_OK: proves the network; otherwise the joint closure may */
} f2l_t4_detail;

/* Returns the detail of a network by a cascade; NULL for other networks. */
f2l_t4_detail *f2l_t4_detail_of(const f2l_compile_result *c);

/* Proves a network by the local closure of its cascade, else by its joint closure. */
extern const f2l_construction_proof f2l_proof_cascade;

/* These are functions of the rows of all cascades. The lower bound on the layers is the number of
 * levels, once that is known. */
void f2l_t4_least(f2l_compile_figures *out, const f2l_construct_job *job);
f2l_status f2l_t4_prepare(f2l_construct_job *job, f2l_error *err);
f2l_status f2l_t4_complete(f2l_construct_job *job, f2l_error *err);
void f2l_t4_again(f2l_construct_job *job);
/* Sets *out to the smaller cascade by holonomy or the capped cover, with tables, which the job
 * owns: rows of all constructions share these. */
f2l_status f2l_t4_smaller(const f2l_cascade **out, f2l_construct_job *job, f2l_error *err);
void f2l_t4_again_smaller(f2l_construct_job *job); /* is a row's `again` for it */
f2l_status f2l_t4_keep(f2l_compile_result *c, f2l_construct_job *job, f2l_error *err);
void f2l_t4_describe(f2l_fact in, const f2l_compile_result *c);
void f2l_t4_tell(f2l_buf *out, f2l_fact facts, const f2l_compile_result *c);
void f2l_t4_clear(void *detail);

/* Fills out->detail with the variant's cascade and sets out->subject; call it first in `build`. */
f2l_t4_detail *f2l_t4_begin(f2l_compile_result *out, f2l_construct_job *job);

/* Merges the letters of the network that act alike; call it last in `build`. */
f2l_status f2l_t4_merge(f2l_compile_result *out, const f2l_construct_job *job, f2l_error *err);

#endif
