/* Names for letters without names: a, b, .., z while 26 suffice, x1, x2, .. for larger alphabets.
 */
#ifndef F2L_LETTER_H
#define F2L_LETTER_H

#include <stddef.h>

/* Writes the name of letter `index` (0-based) of an alphabet of `count` letters. */
void f2l_letter_default(char name[24], size_t index, size_t count);

#endif
