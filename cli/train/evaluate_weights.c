#include "cli/train/evaluate_weights.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <stdlib.h>
#include <string.h>

void f2l_weights_file_init(f2l_weights_file *file)
{
    memset(file, 0, sizeof *file);
    f2l_experiment_file_init(&file->run);
}

void f2l_weights_file_clear(f2l_weights_file *file)
{
    f2l_buf_clear(&file->name);
    f2l_checkpoint_clear(&file->trained);
    f2l_experiment_file_clear(&file->run);
    f2l_weights_file_init(file);
}

f2l_status f2l_weights_parameters(double **out, const f2l_checkpoint *trained, f2l_error *err)
{
    const size_t count = trained->model.parameters;
    *out = f2l_calloc(count, sizeof **out);
    if (*out == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < count; i++) (*out)[i] = (double)trained->parameters[i];
    return F2L_OK;
}

const f2l_experiment *f2l_weights_file_run(const f2l_weights_file *file)
{
    return file->has_run ? &file->run.experiment : NULL;
}

f2l_status f2l_run_tracks(const f2l_experiment *run, f2l_error *err)
{
    const f2l_data_options *data = run ? &run->data : NULL;
    return data && data->kind == F2L_DATA_AUTOMATON && data->when == F2L_DATA_EVERY &&
                   data->label == F2L_LABEL_STATES && data->tokens <= 1 && !data->weight
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN,
                          "there is no certified horizon for this run: its task is not the state "
                          "after every letter of any word");
}

f2l_status f2l_run_settle(f2l_settle *out, const f2l_experiment *run, const f2l_checkpoint *trained,
                          const f2l_settle_ask *ask, const f2l_task *task, f2l_error *err)
{
    double *parameters = NULL;
    f2l_status status = f2l_run_tracks(run, err);
    if (status == F2L_OK) status = f2l_weights_parameters(&parameters, trained, err);
    if (status == F2L_OK)
        status = f2l_settle_find(out, &trained->model, parameters, run->fsa, run->data.begin, ask,
                                 task, err);
    f2l_free(parameters);
    return status;
}

static void settle_beside(f2l_settle_report *out, const f2l_shortest_ask *ask, const f2l_task *task)
{
    static const f2l_settle_ask few = {
        .length = 4, .words = 200, .claims = 8, .suffix = 1, .seconds = 20, .run = F2L_SETTLE_RUN};
    *out = (f2l_settle_report){.fsa = ask->run ? ask->run->fsa : NULL};
    if (ask->search == 0 || !ask->run)
        f2l_fail(&out->why, F2L_EDOMAIN, "no search was asked for, or of another automaton");
    else if (f2l_run_settle(&out->settle, ask->run, ask->trained, &few, task, &out->why) == F2L_OK)
        out->why = (f2l_error){0};
}

f2l_status f2l_shortest_find(f2l_failing *out, f2l_settle_report *settle,
                             const f2l_shortest_ask *ask, const f2l_task *task, f2l_error *err)
{
    f2l_failing_known known = {.seen = ask->seen};
    const f2l_seq *model = &ask->trained->model;
    uint32_t *word = f2l_calloc(F2L_SETTLE_RUN, sizeof *word);
    *out = (f2l_failing){.letters = 0};
    if (word == NULL) return f2l_fail_memory(err);
    settle_beside(settle, ask, task);
    if (settle->why.text[0] == '\0' && settle->settle.found > 0) {
        f2l_settle_spell(word, &settle->settle);
        known.met = word;
        known.met_letters = settle->settle.found;
    }
    const f2l_status status = f2l_failing_find(out, model, ask->trained->parameters, ask->data,
                                               &known, ask->search, task, err);
    f2l_free(word);
    return status;
}

f2l_status f2l_weights_file_used(unsigned char **out, const f2l_weights_file *file,
                                 const f2l_data *data, f2l_error *err)
{
    const f2l_seq_config *c = &file->trained.model.config;
    if (data->letters.count != c->letters || data->labels.count != c->labels)
        return f2l_fail(err, F2L_EFORMAT,
                        "the weights are not of this run: it has %zu letters, they have %zu",
                        data->letters.count, c->letters);
    *out = f2l_calloc(c->letters, sizeof **out);
    if (*out == NULL) return f2l_fail_memory(err);
    for (size_t a = 0; a < c->letters; a++) (*out)[a] = f2l_data_draws(data, a);
    return F2L_OK;
}

int f2l_weights_file_automaton(f2l_buf *path, f2l_cli *cli, const char *folder)
{
    f2l_error err;
    if (!f2l_path_has(folder, "automaton.fsa")) return 0;
    f2l_buf_printf(path, "%s/automaton.fsa", folder);
    return f2l_buf_status(path, &err) == F2L_OK ? 0 : f2l_cli_fail(cli, folder, &err);
}

/* Prints why the folder of a run has no weights. */
static int missing(f2l_cli *cli, const f2l_buf *folder)
{
    f2l_error err;
    size_t seeds = 0;
    if (f2l_experiment_seeds_count(&seeds, folder->data, NULL) == F2L_OK && seeds > 0)
        f2l_fail(&err, F2L_EDOMAIN, "holds the runs of %zu seeds: name one of its folders seed-N",
                 seeds);
    else if (f2l_path_has(folder->data, "config.json"))
        f2l_fail(&err, F2L_EDOMAIN, "the run has not ended: go on with it by train --resume");
    else
        f2l_fail(&err, F2L_EIO, "%s is not the folder of a run", folder->data);
    return f2l_cli_fail(cli, folder->data, &err);
}

/* Sets *folder to the folder of the file. */
static void folder_of(f2l_buf *folder, const char *path)
{
    const size_t size = f2l_path_folder(path);
    if (size > 0)
        f2l_buf_bytes(folder, path, size);
    else
        f2l_buf_text(folder, ".");
}

/* Refuses weights whose own configuration differs from config.json: a proof reads the one, an
 * evaluation the other. */
static f2l_status check_model(const f2l_weights_file *file, f2l_error *err)
{
    f2l_error why = {0};
    const f2l_status status =
        f2l_seq_config_same(&file->run.experiment.model, &file->trained.model.config, &why);
    return status == F2L_EFORMAT
               ? f2l_fail(err, status,
                          "the weights are not of this run, by config.json and their header: %s",
                          why.text)
           : status == F2L_OK ? F2L_OK
                              : f2l_fail_memory(err);
}

/* Reads the run that the weights are from: of their folder, or of the folder above it, where `train
 * --layout fla` puts its folder fla. Only the folder that the user named must be readable as a run
 * when it has a config.json: a file may lie beside one of another program. */
static int load_run(f2l_weights_file *file, f2l_cli *cli, const f2l_buf *folder, bool named)
{
    f2l_error err;
    f2l_buf where;
    const bool other = file->trained.kind == F2L_CHECKPOINT_FLA;
    f2l_buf_init(&where);
    f2l_buf_printf(&where, "%s%s", folder->data, other ? "/.." : "");
    f2l_status status = f2l_buf_status(&where, &err);
    if (status == F2L_OK && f2l_path_has(where.data, "config.json")) {
        status = f2l_experiment_file_read(&file->run, where.data, &err);
        file->has_run = status == F2L_OK;
        if ((other || !named) && status != F2L_ENOMEM) status = F2L_OK;
        if (status == F2L_OK && file->has_run && !other) status = check_model(file, &err);
    }
    f2l_buf_clear(&where);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, folder->data, &err);
}

static int load_weights_at(f2l_weights_file *file, f2l_cli *cli, const char *path,
                           const f2l_buf *folder, bool named)
{
    f2l_error err;
    const f2l_checkpoint_kind kind = f2l_checkpoint_look(path);
    if (named && kind == F2L_CHECKPOINT_OURS) f2l_buf_text(&file->name, "/weights.safetensors");
    if (f2l_buf_status(&file->name, &err) != F2L_OK || f2l_buf_status(folder, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    if (kind == F2L_CHECKPOINT_NONE) return missing(cli, folder);
    if (f2l_checkpoint_read(&file->trained, path, &err) != F2L_OK)
        return f2l_cli_fail(cli, file->name.data, &err);
    if (file->trained.note.size > 0)
        f2l_cli_warn(cli, file->name.data, "%s", file->trained.note.data);
    return load_run(file, cli, folder, named);
}

int f2l_weights_file_load(f2l_weights_file *file, f2l_cli *cli, const char *path)
{
    f2l_buf folder;
    const bool named = f2l_path_is_folder(path);
    f2l_buf_init(&folder);
    f2l_buf_text(&file->name, path);
    if (named)
        f2l_buf_text(&folder, path);
    else
        folder_of(&folder, path);
    const int code = load_weights_at(file, cli, path, &folder, named);
    f2l_buf_clear(&folder);
    return code;
}

#define FIELD(name) offsetof(f2l_word_options, name)
const f2l_option f2l_words_table[] = {
    {"letter-words", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(letters),
     "the words that are the letters, from 0 on, in the order of the automaton (default: the first "
     "ones of the vocabulary)"},
    {"label-words", 0, F2L_OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(labels),
     "the words that are the labels, likewise"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static bool is_in_words(const uint32_t *word, size_t words, uint64_t value)
{
    size_t i = 0;
    while (i < words && word[i] != value) i++;
    return i < words;
}

int f2l_words_read(uint32_t *word, size_t *words, f2l_cli *cli, const char *option,
                   const char *text, size_t vocabulary)
{
    const char *at = text;
    *words = 0;
    while (at != NULL) {
        const size_t digits = strspn(at, "0123456789");
        const uint64_t value = digits > 0 && digits < 10 ? strtoull(at, NULL, 10) : UINT32_MAX;
        if (value >= vocabulary || is_in_words(word, *words, value) || *words == F2L_MOST_WORDS ||
            (at[digits] != '\0' && at[digits] != ','))
            return f2l_cli_usage(cli,
                                 "%s takes up to %d different numbers below %zu, separated by "
                                 "commas, not '%s'",
                                 option, F2L_MOST_WORDS, vocabulary, text);
        word[(*words)++] = (uint32_t)value;
        at = at[digits] ? at + digits + 1 : NULL;
    }
    return 0;
}

/* Reads the words of an option, which must be as many as the data have; NULL: the first ones. */
static int read_vocabulary_option(f2l_checkpoint_words *out, uint32_t *word, f2l_cli *cli,
                                  const char *option, const char *text, size_t vocabulary)
{
    size_t words;
    if (text == NULL) return 0;
    const int code = f2l_words_read(word, &words, cli, option, text, vocabulary);
    if (code) return code;
    if (words != out->count)
        return f2l_cli_usage(cli, "%s names %zu words: the automaton has %zu", option, words,
                             out->count);
    out->word = word;
    return 0;
}

int f2l_weights_file_restrict(f2l_weights_file *file, f2l_cli *cli, const f2l_word_options *o,
                              size_t letters, size_t labels)
{
    f2l_error err;
    uint32_t letter[F2L_MOST_WORDS], label[F2L_MOST_WORDS];
    const size_t words = file->trained.vocabulary;
    f2l_checkpoint_words these = {NULL, letters}, answers = {NULL, labels};
    const f2l_seq_config *c = &file->trained.model.config;
    if (file->trained.kind != F2L_CHECKPOINT_FLA)
        return o->letters || o->labels
                   ? f2l_cli_usage(cli, "--letter-words and --label-words are for models with a "
                                        "config.json of another program")
                   : 0;
    int code = read_vocabulary_option(&these, letter, cli, "--letter-words", o->letters, words);
    if (code == 0)
        code = read_vocabulary_option(&answers, label, cli, "--label-words", o->labels, words);
    if (code) return code;
    if (these.word == NULL && answers.word == NULL && letters == c->letters && labels == c->labels)
        return 0;
    if (f2l_checkpoint_restrict(&file->trained, these, answers, &err) != F2L_OK)
        return f2l_cli_fail(cli, file->name.data, &err);
    if (labels < words && !file->has_run)
        f2l_cli_warn(
            cli, file->name.data,
            "of the vocabulary of %zu words %zu are letters and %zu answers: logits of the "
            "others are not looked at",
            words, letters, labels);
    return 0;
}
