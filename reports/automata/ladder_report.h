/* The classes of models of the ladder, whatever the automaton is: papers, ranges and claims. The
 * report itself is not read, and may be NULL. */
#ifndef F2L_LADDER_REPORT_H
#define F2L_LADDER_REPORT_H

#include "reports/model/shared_facts.h"

extern const f2l_report_kind f2l_ladder_report_kind;

#endif
