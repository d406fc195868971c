/* Configurations of released models: a text that is read gives an object, one that is refused has a
 * place and a reason, and a rung is one of the ladder's. */
#include "theory/ladder/ladder.h"
#include <stdlib.h>

static void must(bool condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f2l_config_text text;
    f2l_ladder_config config;
    f2l_error err = {0};
    const f2l_status status = f2l_config_text_read(&text, (const char *)data, size, &err);
    must(status == F2L_OK ? json_is_object(text.object) : text.object == NULL);
    must(status == F2L_OK || (status == F2L_EFORMAT && err.line > 0 && err.text[0]));
    if (status == F2L_OK) {
        const f2l_status found = f2l_ladder_config_find(&config, &text, &err);
        must(found == F2L_OK || found == F2L_EFORMAT || found == F2L_EDOMAIN);
        must(found == F2L_OK ? config.row < F2L_LADDER_CLASSES && config.layer
                             : err.line > 0 && err.text[0]);
    }
    f2l_config_text_clear(&text);
    return 0;
}
