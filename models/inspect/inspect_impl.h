/* Parts of f2l_inspect_build. */
#ifndef F2L_INSPECT_IMPL_H
#define F2L_INSPECT_IMPL_H

#include "models/inspect/inspect.h"

/* Eigenvalues, singular values, distance and angles of one letter, of which key, beta and gate are set. basis [M][K] is room to
 * work in. False: not finite. */
bool f2l_inspect_letter(f2l_inspect_head *h, double *basis, size_t letter, size_t N, size_t K, size_t M);

#endif
