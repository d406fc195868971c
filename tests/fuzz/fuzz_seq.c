/* Weights of sequence models in our layout: a model that is read has valid sizes and finite
 * numbers, reads the same after writing, and answers; a refused file leaves nothing behind. */
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "tests/support/train/seq_fuzz.h"
#include <math.h>

static void answer(const f2l_seq *model, const float *parameter)
{
    const f2l_seq_plan plan = {1, 4, false};
    const f2l_seq_config *c = &model->config;
    const uint32_t letter[4] = {0, (uint32_t)c->letters - 1, 0, 0};
    const f2l_seq_batch batch = {.sequences = 1, .length = 4, .letter = letter};
    f2l_seq_work_f32 *work;
    uint32_t answer[4];
    must(f2l_seq_work_new_f32(&work, model, &plan, NULL, NULL) == F2L_OK);
    must(f2l_seq_answers_f32(answer, NULL, &batch, parameter, work, NULL) == F2L_OK);
    for (size_t i = 0; i < 4; i++) must(answer[i] == UINT32_MAX || answer[i] < c->labels);
    f2l_seq_work_free_f32(work);
}

static void write_and_read_again(const f2l_seq *model, const double *parameter)
{
    f2l_buf file;
    f2l_seq again;
    double *same;
    f2l_buf_init(&file);
    must(f2l_seq_write_f64(&file, model, parameter, NULL) == F2L_OK);
    must(f2l_seq_read_f64(&again, &same, file.data, file.size, NULL) == F2L_OK);
    must(again.parameters == model->parameters);
    must(memcmp(same, parameter, model->parameters * sizeof *same) == 0);
    f2l_free(same);
    f2l_seq_clear(&again);
    f2l_buf_clear(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t bytes;
    char *file = safetensors_of(&bytes, data, size);
    f2l_seq wide, narrow;
    double *real;
    float *single;
    f2l_error err = {0};
    const f2l_status status = f2l_seq_read_f64(&wide, &real, file, bytes, &err),
                     other = f2l_seq_read_f32(&narrow, &single, file, bytes, &err);
    must(status == F2L_OK || status == F2L_EFORMAT);
    /* A double may be too large for a float. */
    must(other == status || (status == F2L_OK && other == F2L_EFORMAT));
    must((status == F2L_OK) == (real != NULL) && (other == F2L_OK) == (single != NULL));
    if (status == F2L_OK) {
        must(f2l_seq_config_check(&wide.config, NULL) == F2L_OK);
        for (size_t i = 0; i < wide.parameters; i++) must(isfinite(real[i]));
        write_and_read_again(&wide, real);
    } else {
        must(wide.tensor == NULL && wide.parameters == 0);
    }
    if (other == F2L_OK) {
        for (size_t i = 0; i < narrow.parameters; i++) must(single[i] == (float)real[i]);
        if (narrow.parameters <= 4096) answer(&narrow, single);
    }
    f2l_free(real);
    f2l_free(single);
    f2l_seq_clear(&wide);
    f2l_seq_clear(&narrow);
    free(file);
    return 0;
}
