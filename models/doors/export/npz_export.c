/* npz: the tensors of weights.safetensors as arrays for NumPy. */
#include "models/doors/export/impl.h"
#include "models/learn/data/npz.h"
#include "models/network/weights/safetensors_number.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Returns NumPy's name of the type that holds the numbers. NumPy has no bf16. */
static const char *type_of(f2l_safetensors_type type)
{
    static const char *const name[F2L_SAFETENSORS_TYPES] = {[F2L_SAFETENSORS_BF16] = "<f4",
                                                            [F2L_SAFETENSORS_F16] = "<f2",
                                                            [F2L_SAFETENSORS_F32] = "<f4",
                                                            [F2L_SAFETENSORS_F64] = "<f8",
                                                            [F2L_SAFETENSORS_I32] = "<i4"};
    return name[type];
}

/* Appends the numbers of a bf16 tensor as float32, of which they are the upper halves. */
static void widen_bf16(f2l_buf *out, const unsigned char *data, size_t size)
{
    static const char zeros[2];
    for (size_t i = 0; i < size; i += 2) {
        f2l_buf_bytes(out, zeros, 2);
        f2l_buf_bytes(out, data + i, 2);
    }
}

static f2l_status add_tensor(f2l_npz *npz, const f2l_safetensors_file *file, const char *name,
                             const json_t *entry, f2l_error *err)
{
    const json_t *shape = json_object_get(entry, "shape");
    const size_t dims = json_array_size(shape);
    f2l_safetensors_tensor t;
    f2l_buf wide;
    size_t *dim = f2l_calloc(dims + 1, sizeof *dim);
    if (!dim) return f2l_fail_memory(err);
    for (size_t i = 0; i < dims; i++) dim[i] = (size_t)json_integer_value(json_array_get(shape, i));
    f2l_buf_init(&wide);
    f2l_safetensors_find(&t, file, name);
    const void *data = t.data;
    size_t size = t.end - t.begin;
    if (t.type == F2L_SAFETENSORS_BF16) {
        widen_bf16(&wide, t.data, size);
        data = wide.data;
        size = wide.size;
    }
    const f2l_status status = f2l_buf_status(&wide, err);
    if (status == F2L_OK) f2l_npz_add_array(npz, name, type_of(t.type), dims, dim, data, size);
    f2l_buf_clear(&wide);
    f2l_free(dim);
    return status;
}

/* Adds the metadata as the bytes of a JSON object. */
static f2l_status add_metadata(f2l_npz *npz, const json_t *metadata, f2l_error *err)
{
    char *text = json_dumps(metadata, JSON_COMPACT | JSON_SORT_KEYS);
    if (!text) return f2l_fail_memory(err);
    const size_t size = strlen(text);
    f2l_npz_add_array(npz, "metadata", "|u1", 1, &size, text, size);
    free(text);
    return F2L_OK;
}

/* Makes the archive of the bytes of weights.safetensors. */
static f2l_status make_archive(f2l_npz *npz, const f2l_buf *weights, f2l_error *err)
{
    f2l_safetensors_file file;
    const char *name;
    json_t *entry;
    f2l_status status = f2l_safetensors_open(&file, weights->data, weights->size, err);
    if (status != F2L_OK) return status;
    json_object_foreach(file.header, name, entry)
    {
        if (status != F2L_OK) break;
        status = strcmp(name, "__metadata__") == 0 ? add_metadata(npz, entry, err)
                                                   : add_tensor(npz, &file, name, entry, err);
    }
    f2l_safetensors_close(&file);
    return status == F2L_OK ? f2l_npz_end(npz, err) : status;
}

static f2l_status write_npz_files(f2l_exported *out, const f2l_export_job *job, f2l_error *err)
{
    f2l_weights_report report;
    f2l_buf weights;
    f2l_npz npz;
    f2l_buf_init(&weights);
    f2l_npz_init(&npz);
    f2l_status status = f2l_export_weights(&weights, &report, job, err);
    if (status == F2L_OK) status = make_archive(&npz, &weights, err);
    if (status == F2L_OK) status = f2l_exported_add(out, "tensors.npz", &npz.out, err);
    if (status == F2L_OK)
        f2l_exported_claim(out, "tensors", NULL, report.exact,
                           report.exact ? "every number is the network's own"
                                        : "numbers are the nearest float64 to the network's own");
    f2l_npz_clear(&npz);
    f2l_buf_clear(&weights);
    return status;
}

const f2l_export_target f2l_target_npz = {
    .name = "npz",
    .summary = "tensors.npz, the weights as arrays for NumPy",
    .usage =
        "`tensors.npz` holds the tensors of weights.safetensors under the same names, numbers of "
        "type bf16 as float32,\nand `metadata`, the bytes of a JSON object of texts:\n\n"
        "    import json, numpy\n"
        "    tensors = numpy.load(\"tensors.npz\")\n"
        "    metadata = json.loads(tensors[\"metadata\"].tobytes())\n\n"
        "The page formats.md of fsa2lrnn says how a network is run from them. Two programs beside "
        "that page do it:\nrun_weights.py for networks in layers, run_wired.py for wired ones, "
        "and each says which the file has.\n\n"
        "    python3 run_weights.py tensors.npz LETTER ..\n",
    .write = write_npz_files};
