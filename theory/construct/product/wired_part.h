/* A part's network in a wired product. */
#ifndef F2L_WIRED_PART_H
#define F2L_WIRED_PART_H

#include "theory/certify/cert/division.h"
#include "theory/construct/result.h"

typedef struct f2l_wired_part {
    const f2l_net *net; /* `own`, or the network that was compiled */
    f2l_cert_claim claim;
    f2l_compile_figures size;
    uint32_t *letter_of; /* [letters of the quotient] letter of `net`; owned */
    f2l_net own;
} f2l_wired_part;

/* Fills *out, zero at first, for a quotient from its compiled network, if there is one, which must
 * not change while *out lives. Its labels are the states in their order. Letters that act alike on
 * the quotient are one letter of the part. The caller clears *out in every case. */
f2l_status f2l_wired_part_make(f2l_wired_part *out, const f2l_compile_result *built,
                               const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);
void f2l_wired_part_clear(f2l_wired_part *part);

#endif
