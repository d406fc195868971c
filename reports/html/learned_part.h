/* The transitions of a trained network as a section of a page. */
#ifndef F2L_LEARNED_PART_H
#define F2L_LEARNED_PART_H

#include "numeric/base/names.h"
#include "reports/page/page.h"

/* Appends the section: for each head of the first layer the matrix of every letter, as f2l_inspect
 * finds it. Nothing is appended where the folder has no weights yet, and a line where they are not
 * of a mixer whose transitions are matrices. */
f2l_status f2l_learned_part(f2l_page *page, const char *folder, const f2l_names *letters,
                            f2l_error *err);

#endif
