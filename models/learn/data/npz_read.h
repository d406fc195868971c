/* Reads arrays from archives of NumPy: .npz as numpy.savez writes it, a ZIP archive without
 * compression of less than 4 GiB. An archive is a block of bytes, or a file of which only the parts
 * that are asked for are read. */
#ifndef F2L_NPZ_READ_H
#define F2L_NPZ_READ_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { F2L_NPZ_MOST_DIMS = 3 };

typedef struct f2l_npz_archive {
    const unsigned char *bytes; /* NULL: they are in the file */
    FILE *file;
    size_t size;
} f2l_npz_archive;

typedef struct f2l_npz_array {
    const char *name;
    bool found;
    char type;    /* f, i, u or b */
    size_t width; /* bytes of a number */
    size_t dims, dim[F2L_NPZ_MOST_DIMS];
    size_t at; /* of its first number, in the bytes of the archive */
} f2l_npz_array;

/* Looks for the arrays wanted[count], whose names are set; those that are not there stay not found.
 * F2L_EFORMAT: no archive, a compressed or damaged one (the checksums are compared), an array twice
 * or with a name that is not wanted, which would be left out without a word, or an array of a type
 * or with a number of axes that is not read; F2L_EIO. */
f2l_status f2l_npz_find(f2l_npz_array *wanted, size_t count, const f2l_npz_archive *archive,
                        f2l_error *err);

/* Returns the number of numbers of an array. */
size_t f2l_npz_count(const f2l_npz_array *array);

/* Copies numbers from .. from + count - 1 of an array, as they are stored. F2L_EIO. */
f2l_status f2l_npz_fetch(unsigned char *out, const f2l_npz_array *array,
                         const f2l_npz_archive *archive, size_t from, size_t count, f2l_error *err);

/* Returns a stored number; INT64_MIN where it is not whole, or its magnitude is 2^31 or more. */
int64_t f2l_npz_whole(const f2l_npz_array *array, const unsigned char *stored);

#endif
