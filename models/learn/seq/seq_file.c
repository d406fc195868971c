#include "models/learn/seq/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Lists the tensors under their own names. */
static f2l_seq_entry *list_own_entries(const f2l_seq *model)
{
    f2l_seq_entry *entry = f2l_calloc(model->tensors, sizeof *entry);
    for (size_t t = 0; entry != NULL && t < model->tensors; t++) {
        const f2l_seq_tensor *tensor = &model->tensor[t];
        entry[t] = (f2l_seq_entry){.tensor = tensor, .rows = tensor->dim[0], .scale = 1};
        memcpy(entry[t].name, tensor->name, sizeof tensor->name);
    }
    return entry;
}

/* Appends the configuration as a string inside the metadata's object: the configuration's text has
 * quotes, but no backslash or control character. */
static void put_metadata(f2l_buf *out, const f2l_buf *config)
{
    f2l_buf_text(out, "{\"config\":\"");
    for (size_t i = 0; i < config->size; i++) {
        if (config->data[i] == '"') f2l_buf_text(out, "\\");
        f2l_buf_bytes(out, &config->data[i], 1);
    }
    f2l_buf_text(out, "\",\"kind\":\"sequence-model\",\"schema\":\"1\",\"tool\":\"fsa2lrnn\"}");
}

static f2l_status write_seq_model(f2l_buf *out, const f2l_seq *model,
                                  const f2l_seq_numbers *numbers, f2l_error *err)
{
    f2l_buf config, metadata;
    f2l_buf_init(&config);
    f2l_buf_init(&metadata);
    f2l_seq_entry *entry = list_own_entries(model);
    f2l_status status =
        entry == NULL ? f2l_fail_memory(err) : f2l_seq_config_write(&config, &model->config, err);
    if (status == F2L_OK) {
        put_metadata(&metadata, &config);
        status = f2l_buf_status(&metadata, err);
    }
    if (status == F2L_OK)
        status = f2l_seq_write_entries(out, entry, model->tensors, metadata.data,
                                       numbers->bytes == 8, numbers, err);
    f2l_buf_clear(&config);
    f2l_buf_clear(&metadata);
    f2l_free(entry);
    return status;
}

f2l_status f2l_seq_write_f32(f2l_buf *out, const f2l_seq *model, const float *parameters,
                             f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 4, .from.single = parameters};
    return write_seq_model(out, model, &numbers, err);
}

f2l_status f2l_seq_write_f64(f2l_buf *out, const f2l_seq *model, const double *parameters,
                             f2l_error *err)
{
    const f2l_seq_numbers numbers = {.bytes = 8, .from.real = parameters};
    return write_seq_model(out, model, &numbers, err);
}

/* Reads the configuration of the file, which must be a sequence model's. */
static f2l_status read_seq_config(f2l_seq_config *config, const f2l_safetensors_file *file,
                                  f2l_error *err)
{
    const json_t *metadata = json_object_get(file->header, "__metadata__");
    const char *kind = json_string_value(json_object_get(metadata, "kind")),
               *schema = json_string_value(json_object_get(metadata, "schema")),
               *text = json_string_value(json_object_get(metadata, "config"));
    *config = f2l_seq_config_default(0, 0);
    if (kind == NULL || strcmp(kind, "sequence-model") != 0 || text == NULL)
        return f2l_fail(err, F2L_EFORMAT,
                        "these are no weights of a sequence model: the metadata do not say so");
    if (schema == NULL || strcmp(schema, "1") != 0)
        return f2l_fail(err, F2L_EFORMAT, "weights of another version than 1");
    return f2l_seq_config_read(config, text, strlen(text), err);
}

/* Initialises the model, and room for its parameters if the file can hold that many. */
static f2l_status read_opened(f2l_seq *model, f2l_seq_numbers *numbers,
                              const f2l_safetensors_file *file, f2l_error *err)
{
    f2l_seq_config config;
    f2l_status status = read_seq_config(&config, file, err);
    if (status == F2L_OK && f2l_seq_config_check(&config, err) != F2L_OK) status = F2L_EFORMAT;
    if (status == F2L_OK) status = f2l_seq_init(model, &config, err);
    if (status != F2L_OK) return status;
    if (model->parameters > file->size / 2) /* a number has at least two bytes */
        return f2l_fail(err, F2L_EFORMAT,
                        "the file is too short for %zu "
                        "parameters",
                        model->parameters);
    const f2l_seq_owner owner = {.name = "the model"};
    void *parameters = f2l_calloc(model->parameters, numbers->bytes);
    f2l_seq_entry *entry = list_own_entries(model);
    if (numbers->bytes == 4)
        numbers->to.single = parameters;
    else
        numbers->to.real = parameters;
    status = parameters == NULL || entry == NULL
                 ? f2l_fail_memory(err)
                 : f2l_seq_read_entries(numbers, entry, model->tensors, &owner, file, 1, err);
    f2l_free(entry);
    return status;
}

static f2l_status read_seq_model(f2l_seq *model, f2l_seq_numbers *numbers, const char *bytes,
                                 size_t size, f2l_error *err)
{
    f2l_safetensors_file file;
    f2l_status status = f2l_safetensors_open(&file, bytes, size, err);
    if (status == F2L_OK) status = read_opened(model, numbers, &file, err);
    f2l_safetensors_close(&file);
    return status;
}

f2l_status f2l_seq_read_f32(f2l_seq *model, float **parameters, const char *bytes, size_t size,
                            f2l_error *err)
{
    f2l_seq_numbers numbers = {.bytes = 4, .to.single = NULL};
    *model = (f2l_seq){0};
    f2l_status status = read_seq_model(model, &numbers, bytes, size, err);
    *parameters = numbers.to.single;
    if (status == F2L_OK) return F2L_OK;
    f2l_free(*parameters);
    *parameters = NULL;
    f2l_seq_clear(model);
    return status;
}

f2l_status f2l_seq_read_f64(f2l_seq *model, double **parameters, const char *bytes, size_t size,
                            f2l_error *err)
{
    f2l_seq_numbers numbers = {.bytes = 8, .to.real = NULL};
    *model = (f2l_seq){0};
    f2l_status status = read_seq_model(model, &numbers, bytes, size, err);
    *parameters = numbers.to.real;
    if (status == F2L_OK) return F2L_OK;
    f2l_free(*parameters);
    *parameters = NULL;
    f2l_seq_clear(model);
    return status;
}
