/* An experiment from the folder of a run. */
#include "automata/fsa/nfa.h"
#include "models/experiment/impl.h"
#include "models/words/word_file.h"
#include "numeric/base/mem.h"
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

/* --- members of an object, each of which must be present and known --- */

#define MOST_MEMBERS 24

typedef struct reader {
    json_t *object;
    const char *where; /* "train." */
    const char *known[MOST_MEMBERS];
    size_t taken;
    f2l_status status;
    f2l_error *err;
} reader;

static void wrong(reader *r, const char *name, const char *what)
{
    if (r->status == F2L_OK)
        r->status = f2l_fail(r->err, F2L_EFORMAT, "the member %s%s %s", r->where, name, what);
}

/* Returns the member; NULL when it is missing, or something failed before. */
static json_t *take(reader *r, const char *name)
{
    if (r->status != F2L_OK) return NULL;
    json_t *value = json_object_get(r->object, name);
    if (r->taken < MOST_MEMBERS) r->known[r->taken++] = name;
    if (value == NULL) wrong(r, name, "is missing");
    return value;
}

static void take_count(reader *r, const char *name, uint64_t *out, uint64_t most)
{
    const json_t *value = take(r, name);
    if (value == NULL) return;
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > most)
        wrong(r, name, "is not a whole number in its range");
    else
        *out = (uint64_t)json_integer_value(value);
}

static void take_size(reader *r, const char *name, size_t *out)
{
    uint64_t value = 0;
    take_count(r, name, &value, SIZE_MAX);
    *out = (size_t)value;
}

static void take_number(reader *r, const char *name, double *out)
{
    const json_t *value = take(r, name);
    if (value == NULL) return;
    if (json_is_number(value))
        *out = json_number_value(value);
    else
        wrong(r, name, "is not a number");
}

static void take_flag(reader *r, const char *name, bool *out)
{
    const json_t *value = take(r, name);
    if (value == NULL) return;
    if (json_is_boolean(value))
        *out = json_is_true(value);
    else
        wrong(r, name, "is neither true nor false");
}

/* Sets *out to false when the member is missing, as in files older than it. */
static void take_late_flag(reader *r, const char *name, bool *out)
{
    *out = false;
    if (r->status == F2L_OK && json_object_get(r->object, name) != NULL) take_flag(r, name, out);
}

static size_t take_choice(reader *r, const char *name, const char *const *choice, size_t choices)
{
    const json_t *value = take(r, name);
    const char *text = json_string_value(value);
    for (size_t i = 0; text && i < choices; i++)
        if (strcmp(text, choice[i]) == 0) return i;
    if (value) wrong(r, name, "is not one of its names");
    return 0;
}

static reader open_object(reader *above, const char *name, const char *where)
{
    reader r = {.where = where, .err = above->err};
    r.object = take(above, name);
    if (r.object && !json_is_object(r.object)) wrong(above, name, "is not an object");
    r.status = above->status;
    return r;
}

static void close_object(reader *above, const reader *r)
{
    const char *key;
    json_t *value;
    above->status = r->status;
    json_object_foreach(r->object, key, value)
    {
        size_t i = 0;
        while (i < r->taken && strcmp(key, r->known[i]) != 0) i++;
        if (i < r->taken || above->status != F2L_OK) continue;
        above->status = f2l_fail(r->err, F2L_EFORMAT, "there is no member %s%s", r->where, key);
    }
}

/* --- the parts --- */

static void read_weights(reader *r, f2l_experiment_file *file, size_t letters)
{
    json_t *value = take(r, "weights"), *weight;
    size_t a;
    if (value == NULL || json_is_null(value)) return;
    if (!json_is_array(value) || json_array_size(value) != letters) {
        wrong(r, "weights", "does not have a number for every letter of the automaton");
        return;
    }
    file->weight = f2l_calloc(letters, sizeof *file->weight);
    if (file->weight == NULL) {
        r->status = f2l_fail_memory(r->err);
        return;
    }
    json_array_foreach(value, a, weight)
    {
        if (!json_is_number(weight)) wrong(r, "weights", "has a member that is no number");
        file->weight[a] = json_number_value(weight);
    }
    file->experiment.data.weight = file->weight;
}

/* Reads the automaton of a run, which is deterministic and total; `states` bounds the expansion of
 * the text of a group. */
static f2l_status read_automaton(f2l_fsa *fsa, const char *text, size_t size, size_t states,
                                 f2l_error *err)
{
    f2l_nfa nfa;
    f2l_total_report report;
    const f2l_total_options options = {.max_states = states};
    f2l_nfa_init(&nfa);
    f2l_status status = f2l_fsa_read(&nfa, text, size, states, NULL, err);
    if (status == F2L_OK) status = f2l_nfa_total(fsa, &report, &nfa, &options, NULL, err);
    f2l_nfa_clear(&nfa);
    if (status == F2L_UNKNOWN)
        return f2l_fail(err, F2L_EFORMAT,
                        "the automaton has more states than the %zu of "
                        "config.json",
                        states);
    if (status == F2L_EDOMAIN && err) err->status = F2L_EFORMAT;
    return status == F2L_EDOMAIN ? F2L_EFORMAT : status;
}

typedef struct texts {
    const char *automaton;
    size_t automaton_size;
} texts;

/* Reads the automaton that the member `automaton` names, with the members `states` and `label`. */
static void read_named_automaton(reader *r, f2l_experiment_file *file, const texts *t)
{
    static const char *const label[] = {"states", "outputs", "accept"};
    char hash[65];
    uint64_t states = 1;
    const char *named = json_string_value(take(r, "automaton"));
    take_count(r, "states", &states, UINT32_MAX);
    file->experiment.data.label = (f2l_label)take_choice(r, "label", label, 3);
    if (r->status == F2L_OK && t->automaton == NULL)
        r->status = f2l_fail(r->err, F2L_EFORMAT, "the automaton of the data is missing");
    if (r->status == F2L_OK)
        r->status = read_automaton(&file->fsa, t->automaton, t->automaton_size,
                                   states > 0 ? (size_t)states : 1, r->err);
    if (r->status == F2L_OK) r->status = f2l_fsa_sha256(&file->fsa, hash, r->err);
    if (r->status == F2L_OK && (named == NULL || strcmp(named, hash) != 0))
        r->status =
            f2l_fail(r->err, F2L_EFORMAT, "the automaton is not the one that config.json names");
    file->experiment.fsa = &file->fsa;
}

/* Compares the words that were read with a hash in config.json. */
static void check_words(reader *r, const char *name, const f2l_word_list *words)
{
    const char *hash = json_string_value(take(r, name));
    if (r->status != F2L_OK) return;
    if (words->count == 0)
        r->status = f2l_fail(r->err, F2L_EFORMAT, "the words of the data are missing");
    else if (hash == NULL || strcmp(hash, words->sha256) != 0)
        r->status = f2l_fail(
            r->err, F2L_EDOMAIN, "%.160s is not the file of this run: its SHA-256 is %s, not %s",
            words->source ? words->source : "words", words->sha256, hash ? hash : "known");
}

static void read_words_data(reader *r, f2l_experiment_file *file, const texts *t)
{
    f2l_data_options *d = &file->experiment.data;
    uint64_t words = 0;
    check_words(r, "sha256", &file->words);
    take_count(r, "words", &words, UINT32_MAX);
    d->words = &file->words;
    if (json_is_null(json_object_get(r->object, "test"))) {
        (void)take(r, "test");
    } else {
        check_words(r, "test", &file->test);
        d->test = &file->test;
    }
    take_number(r, "held_out", &d->held_out);
    if (json_is_null(json_object_get(r->object, "automaton")))
        (void)take(r, "automaton");
    else
        read_named_automaton(r, file, t);
}

static void read_automaton_data(reader *r, f2l_experiment_file *file, const texts *t)
{
    read_named_automaton(r, file, t);
    take_size(r, "tokens", &file->experiment.data.tokens);
    if (r->status == F2L_OK) read_weights(r, file, file->fsa.letters.count);
}

static void read_data(reader *above, f2l_experiment_file *file, const texts *t)
{
    static const char *const kind[] = {"automaton", "arithmetic", "brackets", "words"};
    static const char *const when[] = {"every", "last"};
    f2l_data_options *d = &file->experiment.data;
    reader r = open_object(above, "data", "data.");
    d->kind = (f2l_data_kind)take_choice(&r, "kind", kind, 4);
    d->when = (f2l_data_when)take_choice(&r, "when", when, 2);
    take_late_flag(&r, "begin", &d->begin);
    if (r.status == F2L_OK && d->kind == F2L_DATA_AUTOMATON) {
        read_automaton_data(&r, file, t);
    } else if (r.status == F2L_OK && d->kind == F2L_DATA_WORDS) {
        read_words_data(&r, file, t);
    } else {
        take_size(&r, "modulus", &d->modulus);
        take_flag(&r, "times", &d->times);
        take_flag(&r, "equals", &d->equals);
    }
    close_object(above, &r);
}

static void read_model(reader *above, f2l_seq_config *model)
{
    reader r = open_object(above, "model", "model.");
    char *text = r.status == F2L_OK ? json_dumps(r.object, JSON_COMPACT) : NULL;
    *model = f2l_seq_config_default(0, 0);
    if (text)
        above->status = f2l_seq_config_read(model, text, strlen(text), above->err);
    else if (r.status == F2L_OK)
        above->status = f2l_fail_memory(above->err);
    else
        above->status = r.status;
    f2l_free(text);
}

static void read_lengths(reader *r, f2l_experiment_file *file)
{
    json_t *value = take(r, "lengths"), *length;
    size_t i;
    if (value == NULL) return;
    if (!json_is_array(value)) {
        wrong(r, "lengths", "is not a list");
        return;
    }
    file->length = f2l_calloc(json_array_size(value), sizeof *file->length);
    if (file->length == NULL) {
        r->status = f2l_fail_memory(r->err);
        return;
    }
    json_array_foreach(value, i, length)
    {
        if (!json_is_integer(length) || json_integer_value(length) < 1)
            wrong(r, "lengths", "has a member that is no length");
        file->length[i] = (size_t)json_integer_value(length);
    }
    file->experiment.train.length = file->length;
    file->experiment.train.lengths = json_array_size(value);
}

static void read_train(reader *above, f2l_experiment_file *file)
{
    f2l_train_options *o = &file->experiment.train;
    const char *decay[F2L_TRAIN_DECAYS];
    const uint64_t most = (uint64_t)1 << 53;
    reader r = open_object(above, "train", "train.");
    for (size_t i = 0; i < F2L_TRAIN_DECAYS; i++)
        decay[i] = f2l_train_decay_name((f2l_train_decay)i);
    take_count(&r, "steps", &o->steps, most);
    take_number(&r, "rate", &o->rate);
    take_number(&r, "beta1", &o->beta1);
    take_number(&r, "beta2", &o->beta2);
    take_number(&r, "epsilon", &o->epsilon);
    take_number(&r, "weight_decay", &o->weight_decay);
    take_number(&r, "clip", &o->clip);
    take_count(&r, "warmup", &o->warmup, most);
    o->decay = (f2l_train_decay)take_choice(&r, "decay", decay, F2L_TRAIN_DECAYS);
    take_count(&r, "decay_from", &o->decay_from, most);
    take_number(&r, "last_rate", &o->last_rate);
    take_count(&r, "log_every", &o->log_every, INT64_MAX);
    take_count(&r, "evaluate_every", &o->evaluate_every, INT64_MAX);
    read_lengths(&r, file);
    take_size(&r, "sequences", &o->sequences);
    take_number(&r, "target", &o->target);
    take_number(&r, "divergence", &o->divergence);
    o->checkpoint_seconds = f2l_train_options_default(1).checkpoint_seconds;
    close_object(above, &r);
}

static void read_curriculum(reader *above, f2l_data_curriculum *c)
{
    reader r = open_object(above, "curriculum", "curriculum.");
    take_size(&r, "start", &c->start);
    take_size(&r, "limit", &c->limit);
    take_number(&r, "threshold", &c->threshold);
    take_size(&r, "patience", &c->patience);
    take_flag(&r, "shorter_too", &c->shorter_too);
    close_object(above, &r);
}

/* Compares the first weights that were read with the hash in config.json, if it names any. */
static void read_first(reader *r, f2l_experiment_file *file)
{
    if (r->status != F2L_OK || json_object_get(r->object, "first_weights") == NULL) return;
    const char *hash = json_string_value(take(r, "first_weights"));
    if (file->first.parameter == NULL)
        r->status = f2l_fail(r->err, F2L_EFORMAT, "the first weights of the run are missing");
    else if (hash == NULL || strcmp(hash, file->first.sha256) != 0)
        wrong(r, "first_weights", "is not the SHA-256 of first.safetensors");
    file->experiment.first = &file->first;
}

static f2l_status read_experiment(f2l_experiment_file *file, json_t *object, const texts *t,
                                  f2l_error *err)
{
    f2l_experiment *e = &file->experiment;
    uint64_t schema = 0, seed = 0;
    reader r = {.object = object, .where = "", .err = err}, end = {.err = err};
    take_count(&r, "schema", &schema, INT64_MAX);
    if (r.status == F2L_OK && schema != 1)
        r.status = f2l_fail(err, F2L_EFORMAT, "config.json has schema %llu; this program knows 1",
                            (unsigned long long)schema);
    read_data(&r, file, t);
    read_model(&r, &e->model);
    read_train(&r, file);
    read_curriculum(&r, &e->curriculum);
    take_size(&r, "batch", &e->batch);
    take_size(&r, "positions", &e->positions);
    take_count(&r, "seed", &seed, UINT32_MAX);
    e->seed = (uint32_t)seed;
    read_first(&r, file);
    close_object(&end, &r);
    return end.status;
}

/* Checks that writing the experiment gives the text that was read: so all ranges are the ranges of
 * f2l_experiment_check, and no text has a second meaning. */
static f2l_status check_spelling(const f2l_experiment_file *file, f2l_error *err)
{
    f2l_buf text;
    f2l_error why = {0};
    f2l_buf_init(&text);
    f2l_status status = f2l_experiment_write(&text, &file->experiment, &why);
    if (status == F2L_EDOMAIN) {
        status = f2l_fail(err, F2L_EFORMAT, "config.json: %s", why.text);
    } else if (status != F2L_OK) {
        if (err) *err = why;
    } else {
        status = f2l_experiment_compare(&text, &file->config, "config.json", &why);
        if (status != F2L_OK) {
            if (status == F2L_EDOMAIN) status = F2L_EFORMAT;
            status = f2l_fail(err, status, "%s", why.text);
        }
    }
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_experiment_file_parse(f2l_experiment_file *file, const char *config,
                                     size_t config_size, const char *automaton,
                                     size_t automaton_size, f2l_error *err)
{
    f2l_status status;
    const texts t = {automaton, automaton_size};
    json_t *object = f2l_experiment_load_json(&status, config, config_size, "config.json", err);
    if (object) status = read_experiment(file, object, &t, err);
    json_decref(object);
    f2l_buf_bytes(&file->config, config, config_size);
    if (status == F2L_OK) status = f2l_buf_status(&file->config, err);
    if (status == F2L_OK) status = check_spelling(file, err);
    if (status != F2L_OK) f2l_experiment_file_clear(file);
    return status;
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
    json_t *object = status == F2L_OK ? f2l_experiment_load_json(&status, text.data, text.size,
                                                                 "words.json", err)
                                      : NULL;
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
    f2l_status status = read_automaton(&fsa, automaton->data, automaton->size, UINT32_MAX, err);
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
