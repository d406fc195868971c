/* Archives of arrays for NumPy (numpy.load): .npz is a ZIP archive, here without compression, of
 * .npy files of version 1.0. */
#ifndef F2L_NPZ_H
#define F2L_NPZ_H

#include "numeric/base/names.h"
#include "numeric/base/text.h"

typedef struct f2l_npz {
    f2l_buf out;
    f2l_buf directory; /* of the archive, which follows the files */
    size_t files;
    bool too_large; /* ZIP counts bytes in 32 bits, and files in 16 */
} f2l_npz;

/* Returns the CRC-32 of ISO 3309, as archives have it, of what `before` is of (0: nothing) followed
 * by these bytes. */
uint32_t f2l_npz_checksum(uint32_t before, const void *bytes, size_t size);

void f2l_npz_init(f2l_npz *npz);
void f2l_npz_clear(f2l_npz *npz);

/* Adds an array of shape dim[dims] (a name of at most 120 bytes, as all names) whose numbers, of
 * NumPy's type ("<f4", "|u1"), are the `size` bytes at `data`, the last dimension fastest; dims = 0
 * is a single number. */
void f2l_npz_add_array(f2l_npz *npz, const char *name, const char *type, size_t dims,
                       const size_t *dim, const void *data, size_t size);
/* Adds an array of int32 of shape (rows, columns), or (rows,) for columns = 0. */
void f2l_npz_add_integers(f2l_npz *npz, const char *name, const int32_t *value, size_t rows,
                          size_t columns);
/* Adds an array of strings of shape (names,). */
void f2l_npz_add_names(f2l_npz *npz, const char *name, const f2l_names *names);

/* Completes the archive in npz->out. F2L_EDOMAIN when it has 4 GiB or more, or 65,536 arrays. */
f2l_status f2l_npz_end(f2l_npz *npz, f2l_error *err);

#endif
