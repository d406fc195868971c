/* The index of shards, and config.json of models of which single layers are read: an index gives
 * different file names without slashes; a configuration gives a model of one layer that is in
 * range. */
#include "models/doors/checkpoint/pick.h"
#include "models/network/weights/shards.h"
#include "tests/support/train/seq_fuzz.h"
#include <string.h>

static void index_of(const char *text, size_t size)
{
    f2l_names names;
    json_t *map;
    f2l_error err = {0};
    f2l_names_init(&names);
    const f2l_status status = f2l_shards_index(&names, &map, text, size, &err);
    must(status == F2L_OK || status == F2L_EFORMAT);
    must(status != F2L_OK || names.count > 0);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = f2l_names_get(&names, i);
        must(name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, "..") != 0);
    }
    f2l_names_clear(&names);
    json_decref(map);
}

static void config_of(const char *text, size_t size)
{
    f2l_pick pick;
    f2l_seq_config config;
    f2l_error err = {0};
    const f2l_status status = f2l_pick_config(&pick, text, size, &err);
    must(status == F2L_OK || status == F2L_EFORMAT || status == F2L_EDOMAIN);
    if (status != F2L_OK) return;
    must(pick.fla.share > 0 && pick.fla.config.heads % pick.fla.share == 0);
    must(!pick.hybrid || pick.obstacle != NULL);
    must(f2l_pick_model(&config, &pick, 3, &err) == F2L_OK);
    must(config.layers == 1 && config.letters == 3 &&
         f2l_seq_config_check(&config, NULL) == F2L_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    index_of((const char *)data, size);
    config_of((const char *)data, size);
    return 0;
}
