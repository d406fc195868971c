/* An experiment from the folder of a run. */
#include "models/learn/experiment/impl.h"
#include "models/learn/words/word_file.h"
#include "numeric/base/mem.h"
#include "numeric/json/json.h"
#include <string.h>

void f2l_experiment_file_init(f2l_experiment_file *file)
{
    *file = (f2l_experiment_file){0};
    f2l_fsa_init(&file->fsa);
    f2l_word_list_init(&file->words);
    f2l_word_list_init(&file->test);
    f2l_first_weights_init(&file->first);
    f2l_buf_init(&file->config);
}

void f2l_experiment_file_clear(f2l_experiment_file *file)
{
    f2l_fsa_clear(&file->fsa);
    f2l_word_list_clear(&file->words);
    f2l_word_list_clear(&file->test);
    f2l_first_weights_clear(&file->first);
    f2l_free(file->weight);
    f2l_free(file->length);
    f2l_buf_clear(&file->config);
    f2l_experiment_file_init(file);
}

f2l_status f2l_experiment_read_file(f2l_buf *out, const char *folder, const char *name,
                                    size_t limit, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_read_file(out, path.data, limit, err);
    f2l_buf_clear(&path);
    return status;
}

/* --- words --- */

/* Reads a list of words of a run; `like` gives the names that may occur, NULL: any. */
static f2l_status import_words(f2l_word_list *out, const char *source, const f2l_word_list *like,
                               const f2l_task *task, f2l_error *err)
{
    f2l_buf file;
    f2l_error why = {0};
    const f2l_word_file_options options = {.letters = like ? &like->letters : NULL,
                                           .labels = like ? &like->labels : NULL,
                                           .task = task};
    f2l_buf_init(&file);
    const f2l_status status = f2l_word_file_read(out, &file, source, &options, &why);
    if (status != F2L_OK && why.line > 0)
        f2l_fail(err, status, "the words of this run, %.200s:%zu:%zu: %.200s",
                 file.data ? file.data : source, why.line, why.column, why.text);
    else if (status != F2L_OK)
        f2l_fail(err, status, "the words of this run: %.400s", why.text);
    f2l_buf_clear(&file);
    return status;
}

/* Reads the words that words.json names, or `other` in their place. With an automaton its names
 * have an order that the words alone do not have. */
static f2l_status read_words_file(f2l_experiment_file *file, const char *folder,
                                  const f2l_experiment_words *other, const f2l_word_list *like,
                                  const f2l_task *task, f2l_error *err)
{
    f2l_buf text;
    f2l_status status;
    f2l_buf_init(&text);
    status = f2l_experiment_read_file(&text, folder, "words.json", 65536, err);
    json_t *object =
        status == F2L_OK ? f2l_json_load(&status, text.data, text.size, "words.json", err) : NULL;
    const char *words = json_string_value(json_object_get(object, "words"));
    const char *test = json_string_value(json_object_get(object, "test"));
    if (other && other->words) words = other->words;
    if (test && other && other->test) test = other->test;
    if (status == F2L_OK && words == NULL)
        status = f2l_fail(err, F2L_EFORMAT, "words.json names no words");
    if (status == F2L_OK) status = import_words(&file->words, words, like, task, err);
    if (status == F2L_OK && test) status = import_words(&file->test, test, &file->words, task, err);
    json_decref(object);
    f2l_buf_clear(&text);
    return status;
}

/* Sets *like to the letters and labels of the automaton, in its order. */
static f2l_status names_of(f2l_word_list *like, const f2l_buf *config, const f2l_buf *automaton,
                           f2l_error *err)
{
    static const char accept[] = "\"label\":\"accept\"", outputs[] = "\"label\":\"outputs\"";
    f2l_fsa fsa;
    f2l_data data;
    f2l_fsa_init(&fsa);
    f2l_data_init(&data);
    const f2l_data_options options = {.kind = F2L_DATA_AUTOMATON,
                                      .label = strstr(config->data, accept)    ? F2L_LABEL_ACCEPT
                                               : strstr(config->data, outputs) ? F2L_LABEL_OUTPUTS
                                                                               : F2L_LABEL_STATES,
                                      .stream = F2L_DATA_TRAIN};
    f2l_status status =
        f2l_experiment_read_automaton(&fsa, automaton->data, automaton->size, UINT32_MAX, err);
    if (status == F2L_OK) status = f2l_data_build(&data, &options, &fsa, err);
    if (status == F2L_OK) status = f2l_word_list_use_letters(like, &data.letters, err);
    if (status == F2L_OK) status = f2l_word_list_use_labels(like, &data.labels, err);
    f2l_data_clear(&data);
    f2l_fsa_clear(&fsa);
    return status;
}

/* Returns whether a text of ours is in config.json. */
static bool says(const f2l_buf *config, const char *text)
{
    return config->data && strstr(config->data, text) != NULL;
}

static f2l_status read_first_file(f2l_first_weights *first, const char *folder, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/" F2L_EXPERIMENT_FIRST, folder);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_first_weights_read(first, path.data, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_experiment_file_read_with(f2l_experiment_file *file, const char *folder,
                                         const f2l_experiment_words *words, const f2l_task *task,
                                         f2l_error *err)
{
    f2l_buf config, automaton;
    f2l_word_list like;
    f2l_buf_init(&config);
    f2l_buf_init(&automaton);
    f2l_word_list_init(&like);
    f2l_status status =
        f2l_experiment_read_file(&config, folder, "config.json", F2L_EXPERIMENT_CONFIG_LIMIT, err);
    const bool listed = says(&config, "\"kind\":\"words\"");
    const bool given = says(&config, "\"automaton\":\"") || says(&config, "\"kind\":\"automaton\"");
    if (status == F2L_OK && given)
        status = f2l_experiment_read_file(&automaton, folder, "automaton.fsa", 0, err);
    if (status == F2L_OK && listed && given) status = names_of(&like, &config, &automaton, err);
    if (status == F2L_OK && listed)
        status = read_words_file(file, folder, words, given ? &like : NULL, task, err);
    if (status == F2L_OK && says(&config, "\"first_weights\":"))
        status = read_first_file(&file->first, folder, err);
    if (status == F2L_OK)
        status = f2l_experiment_file_parse(file, config.data, config.size, automaton.data,
                                           automaton.size, err);
    if (status != F2L_OK) f2l_experiment_file_clear(file);
    f2l_word_list_clear(&like);
    f2l_buf_clear(&config);
    f2l_buf_clear(&automaton);
    return status;
}

f2l_status f2l_experiment_file_read(f2l_experiment_file *file, const char *folder, f2l_error *err)
{
    return f2l_experiment_file_read_with(file, folder, NULL, NULL, err);
}
