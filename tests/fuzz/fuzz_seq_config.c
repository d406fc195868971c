/* Configurations as JSON, ours and flash-linear-attention's: a valid configuration reads the same
 * after writing; a refused one changes nothing. Those of released models, in any form: one that is
 * refused has a place and a reason, and a rung is one of the ladder's. */
#include "models/learn/seq/seq_file.h"
#include "tests/support/train/seq_fuzz.h"
#include "theory/ladder/ladder.h"

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

static void released(const char *text, size_t size)
{
    f2l_config_text read;
    f2l_ladder_config config;
    f2l_error err = {0};
    const f2l_status status = f2l_config_text_read(&read, text, size, &err);
    must(status == F2L_OK ? json_is_object(read.object) : read.object == NULL);
    must(status == F2L_OK || (status == F2L_EFORMAT && err.line > 0 && err.text[0]));
    if (status == F2L_OK) {
        const f2l_status found = f2l_ladder_config_find(&config, &read, &err);
        must(found == F2L_OK || found == F2L_EFORMAT || found == F2L_EDOMAIN);
        must(found == F2L_OK ? config.row < F2L_LADDER_CLASSES && config.layer != NULL
                             : err.line > 0 && err.text[0]);
    }
    f2l_config_text_clear(&read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ours((const char *)data, size);
    theirs((const char *)data, size);
    released((const char *)data, size);
    return 0;
}
