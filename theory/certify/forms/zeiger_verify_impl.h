/* The parts of the verifier of Zeiger forms; private to zeiger_verify*.c. */
#ifndef F2L_ZEIGER_VERIFY_IMPL_H
#define F2L_ZEIGER_VERIFY_IMPL_H

#include "theory/certify/forms/zeiger_verify.h"

typedef struct f2l_zeiger_check {
    const f2l_wired *net;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_meter meter;
    size_t n, k;
    const uint32_t *label; /* [n] label that the network owes in every state */
    uint32_t reset;        /* wire of the reset bit in a level, once its circuits have been checked */
    uint32_t action;       /* wire of the first state's action */
} f2l_zeiger_check;

/* F2L_UNKNOWN with the reason where the circuits of enter, level and leave (blocks 0, 1, 2 of a valid
 * network) are not those of Z.3. */
f2l_status f2l_zeiger_check_circuits(f2l_zeiger_check *c, f2l_error *err);

#endif
