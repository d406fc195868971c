/* Weights in the layout of flash-linear-attention, for a small model of each of its classes: the
 * first byte picks the class. Weights that are read are finite, and read the same after writing, up
 * to the slope of beta. */
#include "models/learn/seq/mixer.h"
#include "models/learn/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "tests/support/train/seq_fuzz.h"
#include <math.h>

static f2l_seq_config class_of(unsigned number)
{
    f2l_seq_config c = f2l_seq_config_default(2, 3);
    c.width = 4;
    c.mlp = 2;
    c.heads = c.key_dim = c.value_dim = 2;
    c.channels = c.states = c.step_rank = 2;
    c.additive = true;
    c.learned_start = false;
    c.silu_keys = number == 1;
    c.householders = number == 1 ? 2 : 1;
    c.forget_gate = number == 1;
    c.slope = number == 0 ? 4 : 1; /* a power of two: nothing is rounded on the way */
    if (number == 2) {
        c.mixer = &f2l_mixer_diagonal;
        c.negative = false;
        c.mlp = 0;
        c.convolution = 2;
    }
    return c;
}

static void write_and_read_again(const f2l_seq *model, const double *parameter)
{
    f2l_buf file;
    double *same = f2l_calloc(model->parameters, sizeof *same);
    f2l_buf_init(&file);
    must(same != NULL);
    const f2l_status status = f2l_seq_write_fla_f64(&file, model, parameter, NULL);
    if (status == F2L_OK) {
        must(f2l_seq_read_fla_f64(same, model, file.data, file.size, NULL) == F2L_OK);
        for (size_t i = 0; i < model->parameters; i++) {
            const double scaled = model->config.slope * parameter[i];
            must(same[i] == (double)(float)parameter[i] ||
                 same[i] == (double)(float)scaled / model->config.slope);
        }
    } else {
        must(status == F2L_EDOMAIN); /* beyond the floats */
    }
    f2l_buf_clear(&file);
    f2l_free(same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    const f2l_seq_config config = class_of(data[0] % 3);
    size_t bytes;
    char *file = safetensors_of(&bytes, data + 1, size - 1);
    f2l_seq model;
    must(f2l_seq_init(&model, &config, NULL) == F2L_OK);
    double *real = f2l_calloc(model.parameters, sizeof *real);
    float *single = f2l_calloc(model.parameters, sizeof *single);
    must(real != NULL && single != NULL);
    const f2l_status status = f2l_seq_read_fla_f64(real, &model, file, bytes, NULL),
                     other = f2l_seq_read_fla_f32(single, &model, file, bytes, NULL);
    must(status == F2L_OK || status == F2L_EFORMAT);
    must(other == status || (status == F2L_OK && other == F2L_EFORMAT));
    for (size_t i = 0; i < model.parameters; i++) must(isfinite(real[i]) && isfinite(single[i]));
    if (status == F2L_OK) write_and_read_again(&model, real);
    f2l_free(real);
    f2l_free(single);
    f2l_seq_clear(&model);
    free(file);
    return 0;
}
