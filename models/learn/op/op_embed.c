#include "models/learn/op/op_embed.h"
#include <string.h>

static f2l_status known(const uint32_t *id, size_t rows, size_t letters, f2l_error *err)
{
    for (size_t i = 0; i < rows; i++)
        if (id[i] >= letters)
            return f2l_fail(err, F2L_EDOMAIN, "letter %u at row %zu, but the table has %zu",
                            (unsigned)id[i], i, letters);
    return F2L_OK;
}

f2l_status f2l_embed_forward_f32(float *y, const float *table, const uint32_t *id, size_t rows,
                                 size_t letters, size_t width, f2l_error *err)
{
    f2l_status status = known(id, rows, letters, err);
    if (status || !width) return status;
    for (size_t i = 0; i < rows; i++)
        memcpy(y + i * width, table + id[i] * width, width * sizeof *y);
    return F2L_OK;
}

f2l_status f2l_embed_backward_f32(float *dtable, const float *dy, const uint32_t *id, size_t rows,
                                  size_t letters, size_t width, f2l_error *err)
{
    f2l_status status = known(id, rows, letters, err);
    if (status) return status;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++) dtable[id[i] * width + j] += dy[i * width + j];
    return F2L_OK;
}
