/* Cycle notation: the first byte is the number of points, the rest the text. */
#include "automata/fsa/perm.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    uint32_t image[255], again[255];
    const size_t n = data[0];
    f2l_error err = {0};
    const f2l_status status = f2l_perm_read(image, n, (const char *)data + 1, size - 1, 1, 1, &err);
    if (status != F2L_OK) {
        if (status != F2L_EFORMAT || err.line != 1 || err.column < 1 || err.column > size) abort();
        return 0;
    }
    if (!f2l_perm_is_permutation(image, n)) abort();
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_perm_write(&text, image, n);
    if (f2l_perm_read(again, n, text.data, text.size, 1, 1, &err) != F2L_OK) abort();
    if (memcmp(image, again, n * sizeof *image) != 0) abort();
    f2l_buf_clear(&text);
    return 0;
}
