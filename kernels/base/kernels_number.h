/* Rows of numbers of every type as doubles. */
#ifndef F2L_KERNELS_NUMBER_H
#define F2L_KERNELS_NUMBER_H

#include "include/fsa2lrnn_kernels.h"

/* Returns the bytes of a number, 0 for what is no type. */
size_t f2l_kernels_bytes_of(int type);
/* Reads `count` numbers that begin at number `at`. */
void f2l_kernels_load(double *to, const void *from, int64_t at, int64_t count, int type);
/* Writes them, rounded once to nearest even. */
void f2l_kernels_store(void *to, int64_t at, const double *from, int64_t count, int type);

#endif
