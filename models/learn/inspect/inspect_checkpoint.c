#include "models/learn/inspect/inspect_checkpoint.h"
#include "models/learn/train/train_checkpoint.h"
#include "numeric/base/mem.h"
#include <string.h>

/* The layout of models/learn/train/train_checkpoint.h: magic, identity, four counts. */
enum {
    IDENTITY_AT = 8,
    IDENTITY = 64,
    COUNTS_AT = IDENTITY_AT + IDENTITY,
    HEADER = COUNTS_AT + 4 * 8
};

static uint64_t count_at(const char *bytes, size_t i)
{
    uint64_t value = 0;
    for (size_t b = 8; b-- > 0;) value = value << 8 | (unsigned char)bytes[COUNTS_AT + 8 * i + b];
    return value;
}

/* Reads the parameters of a checkpoint. The reader wants the expected sizes and identity
 * beforehand; here they are taken from the file. */
static f2l_status read_as_it_says(float *parameters, const char *path, const f2l_buf *file,
                                  size_t count, f2l_error *err)
{
    char identity[IDENTITY + 1] = {0};
    bool found = false;
    memcpy(identity, file->data + IDENTITY_AT, IDENTITY);
    const size_t states = (size_t)count_at(file->data, 2), words = (size_t)count_at(file->data, 3);
    if (states > file->size || words > file->size)
        return f2l_fail(err, F2L_EFORMAT, "%s is no checkpoint, or damaged", path);
    float *mean = f2l_calloc(count, sizeof *mean), *square = f2l_calloc(count, sizeof *square);
    uint64_t *state = f2l_calloc(states, sizeof *state), *word = f2l_calloc(words, sizeof *word);
    f2l_status status = mean && square && state && word ? F2L_OK : f2l_fail_memory(err);
    const f2l_train_checkpoint checkpoint = {.identity = identity,
                                             .number = sizeof(float),
                                             .parameters = count,
                                             .states = states,
                                             .words = words,
                                             .parameter = parameters,
                                             .mean = mean,
                                             .square = square,
                                             .state = state,
                                             .word = word};
    if (status == F2L_OK) status = f2l_train_checkpoint_read(&found, path, &checkpoint, err);
    if (status == F2L_OK && !found) status = f2l_fail(err, F2L_EIO, "%s does not exist", path);
    f2l_free(mean);
    f2l_free(square);
    f2l_free(state);
    f2l_free(word);
    return status;
}

static f2l_status read_parameters(float **parameters, const f2l_seq *model, const char *path,
                                  f2l_error *err)
{
    f2l_buf file;
    f2l_buf_init(&file);
    f2l_status status = f2l_read_file(&file, path, 0, err);
    if (status == F2L_OK && file.size < HEADER)
        status = f2l_fail(err, F2L_EFORMAT, "%s is no checkpoint, or damaged", path);
    if (status == F2L_OK &&
        (count_at(file.data, 0) != sizeof(float) || count_at(file.data, 1) != model->parameters))
        status = f2l_fail(err, F2L_EDOMAIN, "%s is of another model", path);
    if (status == F2L_OK) {
        *parameters = f2l_calloc(model->parameters, sizeof **parameters);
        status = *parameters == NULL
                     ? f2l_fail_memory(err)
                     : read_as_it_says(*parameters, path, &file, model->parameters, err);
    }
    f2l_buf_clear(&file);
    return status;
}

f2l_status f2l_inspect_checkpoint_read(f2l_seq *model, float **parameters,
                                       const f2l_experiment *experiment, const char *folder,
                                       f2l_error *err)
{
    f2l_seq_config config = experiment->model;
    f2l_data data;
    f2l_buf path;
    f2l_data_init(&data);
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/checkpoint", folder);
    memset(model, 0, sizeof *model);
    *parameters = NULL;
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_experiment_data(&data, experiment, F2L_DATA_TRAIN, err);
    config.letters = data.letters.count;
    config.labels = data.labels.count;
    if (status == F2L_OK) status = f2l_seq_init(model, &config, err);
    if (status == F2L_OK) status = read_parameters(parameters, model, path.data, err);
    if (status != F2L_OK) {
        f2l_seq_clear(model);
        f2l_free(*parameters);
        *parameters = NULL;
    }
    f2l_buf_clear(&path);
    f2l_data_clear(&data);
    return status;
}
