#include "models/learn/experiment/first_weights.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/sha256.h"
#include <string.h>

void f2l_first_weights_init(f2l_first_weights *first)
{
    *first = (f2l_first_weights){0};
    f2l_buf_init(&first->bytes);
}

void f2l_first_weights_clear(f2l_first_weights *first)
{
    f2l_buf_clear(&first->bytes);
    f2l_seq_clear(&first->model);
    f2l_free(first->parameter);
    f2l_first_weights_init(first);
}

/* Reads the model from first->bytes. */
static f2l_status read_bytes(f2l_first_weights *first, f2l_error *err)
{
    f2l_sha256_hex(first->bytes.data, first->bytes.size, first->sha256);
    return f2l_seq_read_f32(&first->model, &first->parameter, first->bytes.data, first->bytes.size,
                            err);
}

f2l_status f2l_first_weights_read(f2l_first_weights *first, const char *path, f2l_error *err)
{
    f2l_status status = f2l_read_file(&first->bytes, path, 0, err);
    if (status == F2L_OK) status = read_bytes(first, err);
    if (status != F2L_OK) f2l_first_weights_clear(first);
    return status;
}

f2l_status f2l_first_weights_parse(f2l_first_weights *first, const char *bytes, size_t size,
                                   f2l_error *err)
{
    f2l_buf_bytes(&first->bytes, bytes, size);
    f2l_status status = f2l_buf_status(&first->bytes, err);
    if (status == F2L_OK) status = read_bytes(first, err);
    if (status != F2L_OK) f2l_first_weights_clear(first);
    return status;
}

f2l_status f2l_first_weights_make(f2l_first_weights *first, const f2l_seq *model,
                                  const float *parameter, f2l_error *err)
{
    f2l_status status = f2l_seq_write_f32(&first->bytes, model, parameter, err);
    if (status == F2L_OK) status = read_bytes(first, err);
    if (status != F2L_OK) f2l_first_weights_clear(first);
    return status;
}

static void put_shape(f2l_buf *out, const f2l_seq_tensor *tensor)
{
    for (size_t d = 0; d < tensor->dims; d++)
        f2l_buf_printf(out, "%s%zu", d ? " x " : "", tensor->dim[d]);
}

static f2l_status refuse_shape(const f2l_seq_tensor *given, const f2l_seq_tensor *wanted,
                               f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    put_shape(&text, given);
    f2l_buf_text(&text, " in the given weights and ");
    put_shape(&text, wanted);
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK)
        status = f2l_fail(err, F2L_EDOMAIN, "the tensor %s is %s in the model that is trained",
                          wanted->name, text.data);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_first_weights_check(const f2l_first_weights *first, const f2l_seq *model,
                                   f2l_error *err)
{
    for (size_t t = 0; t < model->tensors; t++) {
        const f2l_seq_tensor *wanted = &model->tensor[t],
                             *given = f2l_seq_find(&first->model, wanted->name);
        if (given == NULL)
            return f2l_fail(err, F2L_EDOMAIN,
                            "the given weights have no tensor %s, which the model that is trained "
                            "has",
                            wanted->name);
        if (given->dims != wanted->dims ||
            memcmp(given->dim, wanted->dim, wanted->dims * sizeof *wanted->dim) != 0)
            return refuse_shape(given, wanted, err);
    }
    for (size_t t = 0; t < first->model.tensors; t++)
        if (f2l_seq_find(model, first->model.tensor[t].name) == NULL)
            return f2l_fail(err, F2L_EDOMAIN,
                            "the given weights have a tensor %s, which the model that is trained "
                            "has not",
                            first->model.tensor[t].name);
    return F2L_OK;
}
