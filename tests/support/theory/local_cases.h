/* Cascades with local certificates: the format by which they are closed, and the verdict by joint
 * states. */
#ifndef LOCAL_CASES_H
#define LOCAL_CASES_H

#include "tests/support/theory/local_support.h"
#include "theory/certify/closure/closure.h"

uint32_t child(const f2l_cascade *c, uint32_t set, size_t level, uint32_t coordinate);

void check_formats(local_fixture *f);

f2l_status joint_verdict(const local_fixture *f);

void open_t3(local_fixture *f);

#endif
