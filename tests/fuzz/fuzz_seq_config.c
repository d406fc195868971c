/* Configurations as JSON, ours and flash-linear-attention's: a valid configuration reads the same
 * after writing; a refused one changes nothing. */
#include "models/learn/seq/seq_file.h"
#include "tests/support/train/seq_fuzz.h"

static bool equal(const f2l_seq_config *a, const f2l_seq_config *b)
{
    f2l_buf x, y;
    f2l_buf_init(&x);
    f2l_buf_init(&y);
    const bool same = f2l_seq_config_write(&x, a, NULL) == F2L_OK &&
                      f2l_seq_config_write(&y, b, NULL) == F2L_OK && x.size == y.size &&
                      memcmp(x.data, y.data, x.size) == 0;
    f2l_buf_clear(&x);
    f2l_buf_clear(&y);
    return same;
}

static void ours(const char *text, size_t size)
{
    const f2l_seq_config before = f2l_seq_config_default(3, 4);
    f2l_seq_config config = before, again = before;
    f2l_error err = {0};
    const f2l_status status = f2l_seq_config_read(&config, text, size, &err);
    must(status == F2L_OK || (status == F2L_EFORMAT && equal(&config, &before)));
    f2l_buf out;
    f2l_buf_init(&out);
    if (status == F2L_OK && f2l_seq_config_check(&config, NULL) == F2L_OK) {
        must(f2l_seq_config_write(&out, &config, NULL) == F2L_OK);
        must(f2l_seq_config_read(&again, out.data, out.size, NULL) == F2L_OK &&
             equal(&again, &config));
    }
    f2l_buf_clear(&out);
}

/* Only for models of moderate size, because the list of tensors grows with the layers. */
static void write_class(const f2l_seq_config *config)
{
    f2l_seq model;
    f2l_buf out;
    f2l_seq_fla again = {.config = f2l_seq_config_default(1, 1), .share = 1};
    f2l_buf_init(&out);
    if (config->layers <= 4 && f2l_seq_init(&model, config, NULL) == F2L_OK) {
        const f2l_status status = f2l_seq_write_fla_config(&out, &model, NULL);
        must(status == F2L_OK || status == F2L_EDOMAIN);
        if (status == F2L_OK) {
            must(f2l_seq_read_fla_config(&again, out.data, out.size, NULL) == F2L_OK);
            must(equal(&again.config, config) && again.share == 1);
        }
        f2l_seq_clear(&model);
    }
    f2l_buf_clear(&out);
}

static void theirs(const char *text, size_t size)
{
    const f2l_seq_config before = f2l_seq_config_default(3, 4);
    f2l_seq_fla read = {.config = before, .share = 1};
    f2l_error err = {0};
    const f2l_status status = f2l_seq_read_fla_config(&read, text, size, &err);
    must(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    if (status == F2L_OK)
        write_class(&read.config);
    else
        must(equal(&read.config, &before));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ours((const char *)data, size);
    theirs((const char *)data, size);
    return 0;
}
