/* Wired networks that have networks of quotients side by side (theory/pages/product.md, X.4 and
 * X.5): each part is proved as a network of its own, by its form or by its joint closure. Nothing
 * is taken from the construction but the division, which is checked. */
#ifndef F2L_FORMS_PRODUCT_H
#define F2L_FORMS_PRODUCT_H

#include "theory/certify/cert/division.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/form.h"

/* The names of the statements; it has no functions, because a product needs its division. */
extern const f2l_form f2l_form_product;

/* A part as a network of its own whose labels are the names of its classes, "1", "2", .., and the
 * automaton that it tracks: the quotient of an automaton by its classes. The network borrows tables
 * and numbers from the whole one. */
typedef struct f2l_part {
    f2l_net net;
    f2l_fsa fsa;
    /* what `net` does not borrow */
    f2l_wired_gate *gate;
    f2l_wired_head *head;
    f2l_wired_readout *readout;
    uint32_t *wire;
} f2l_part;

/* Fills *out, which is replaced, with part i of a valid network for `fsa`, which has the network's
 * letters, and all of whose labels the division's classes may mix. F2L_UNKNOWN with the reason
 * where the division does not fit the network, or the classes are no congruence. The caller clears
 * *out in every case. */
f2l_status f2l_part_cut(f2l_part *out, const f2l_net *net, const f2l_division *division, size_t i,
                        const f2l_fsa *fsa, const f2l_task *task, f2l_error *err);
void f2l_part_clear(f2l_part *part); /* zero allowed; zero after */

/* Decides as f2l_form.verify does; classes are classes of the states of `fsa`. `proved`: the parts
 * are known to be exactly right, so that their joint states, which take most of the time, are not
 * found again; what joins them is looked at in any case. */
f2l_status f2l_product_verify(f2l_form_verdict *out, const f2l_net *net,
                              const f2l_division *division, const f2l_fsa *fsa, bool proved,
                              const f2l_format *format, const f2l_schedule *schedule,
                              const f2l_task *task, f2l_error *err);

/* Writes the certificate (grammar in theory/certify/forms/product_cert.c) of a network that
 * f2l_product_verify verifies exactly for automaton.fsa; F2L_EDOMAIN for any other. */
f2l_status f2l_product_certify(f2l_buf *out, const f2l_net *net, const f2l_division *division,
                               const f2l_fsa *fsa, const char network_sha256[65],
                               const f2l_task *task, f2l_error *err);

/* Decides whether the part's own network is right for its automaton, by this claim; with a format
 * also there. `proved`: without a format the answer is known to be F2L_OK. */
f2l_status f2l_part_verify(f2l_form_verdict *out, f2l_closure *rows, const f2l_part *part,
                           f2l_cert_claim claim, bool proved, const f2l_format *format,
                           const f2l_schedule *schedule, const f2l_task *task, f2l_error *err);

#endif
