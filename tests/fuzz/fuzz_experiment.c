/* The folder of a run: config.json, a zero byte, automaton.fsa. A '*' for the hash of the automaton
 * is replaced by the right hash, so that mutated automata are tested too. An experiment that is
 * read can be run and is written as the same bytes; a refused one leaves nothing behind. */
#include "models/learn/experiment/experiment.h"
#include "numeric/base/sha256.h"
#include "tests/support/train/seq_fuzz.h"

static const char before_hash[] = "\"automaton\":\"";

/* Writes the text, with the hash in the place of '*'. */
static void complete(f2l_buf *out, const char *config, size_t size, const char *automaton,
                     size_t automaton_size)
{
    char hash[65];
    const size_t skip = sizeof before_hash - 1;
    size_t at = 0;
    while (at + skip < size && memcmp(config + at, before_hash, skip) != 0) at++;
    if (at + skip >= size || config[at + skip] != '*') {
        f2l_buf_bytes(out, config, size);
        return;
    }
    f2l_sha256_hex(automaton, automaton_size, hash);
    f2l_buf_bytes(out, config, at + skip);
    f2l_buf_text(out, hash);
    f2l_buf_bytes(out, config + at + skip + 1, size - at - skip - 1);
}

static void look_at(const f2l_experiment_file *file, const f2l_buf *config)
{
    f2l_buf again;
    f2l_error err;
    f2l_experiment_need need;
    f2l_buf_init(&again);
    must(f2l_experiment_check(&file->experiment, &err) == F2L_OK);
    must(f2l_experiment_write(&again, &file->experiment, &err) == F2L_OK);
    must(again.size == config->size && memcmp(again.data, config->data, again.size) == 0);
    must(f2l_experiment_needs(&need, &file->experiment, F2L_BACKEND_CPU, &err) == F2L_OK &&
         need.host > 0);
    f2l_buf_clear(&again);
}

/* Groups of permutations have far more states than letters in their text: fuzz_fsa tests these. */
static bool is_list(const char *automaton, size_t size)
{
    for (size_t i = 0; i + 6 <= size; i++)
        if (memcmp(automaton + i, "points", 6) == 0) return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *zero = size > 0 ? memchr(text, 0, size) : NULL;
    const size_t config_size = zero ? (size_t)(zero - text) : size;
    const char *automaton = zero ? zero + 1 : NULL;
    const size_t automaton_size = zero ? size - config_size - 1 : 0;
    if (size > 16384 || !is_list(automaton, automaton_size)) return 0;
    f2l_buf config;
    f2l_experiment_file file;
    f2l_error err = {0};
    f2l_buf_init(&config);
    complete(&config, text, config_size, automaton ? automaton : "", automaton_size);
    f2l_experiment_file_init(&file);
    const f2l_status status =
        f2l_experiment_file_parse(&file, config.data, config.size, automaton, automaton_size, &err);
    must(status == F2L_OK || (status == F2L_EFORMAT && err.text[0] != '\0'));
    if (status == F2L_OK)
        look_at(&file, &config);
    else
        must(file.weight == NULL && file.length == NULL && file.config.data == NULL);
    f2l_experiment_file_clear(&file);
    f2l_buf_clear(&config);
    return 0;
}
