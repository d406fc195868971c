/* What ends the work of a command whose parts were reported before. */
#ifndef F2L_END_H
#define F2L_END_H

#include "f2l_task.h"

/* "interrupted", "time limit" or "memory limit", in the words of f2l_compile_search; NULL: nothing ends it. */
const char *f2l_end_of(const f2l_task *task);

#endif
