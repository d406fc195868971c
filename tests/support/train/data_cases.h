/* The random numbers of a position of the data, straight from the generator. */
#ifndef DATA_CASES_H
#define DATA_CASES_H

#include "models/learn/data/impl.h"

__extension__ typedef unsigned __int128 wide;

/* Sets xy to x and y of a position, straight from the generator. */
void numbers(uint64_t xy[2], uint32_t seed, uint32_t stream, uint64_t step, uint32_t sequence,
             uint32_t position);

#endif
