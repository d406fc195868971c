/* config.json of a run. */
#include "automata/fsa/nfa.h"
#include "models/learn/experiment/impl.h"
#include "numeric/json/members.h"
#include <stdlib.h>
#include <string.h>

/* --- the members --- */

/* The member "data", with what it names by its hash. */
typedef struct data_members {
    f2l_data_options o;
    char automaton[65], sha256[65], test[65];
    size_t states, letters, words;
} data_members;

static const char *name_kind(size_t i)
{
    static const char *const name[] = {"automaton", "arithmetic", "brackets", "words", "recall"};
    return i <= F2L_DATA_RECALL ? name[i] : NULL;
}

static const char *name_when(size_t i)
{
    static const char *const name[] = {"every", "last"};
    return i <= F2L_DATA_LAST ? name[i] : NULL;
}

static const char *name_label(size_t i)
{
    return i <= F2L_LABEL_ACCEPT ? f2l_label_name((f2l_label)i) : NULL;
}

#define ROW(member, ...) F2L_MEMBER(data_members, member, __VA_ARGS__)
#define OPTION(member, ...) F2L_MEMBER_AS(#member, data_members, o.member, __VA_ARGS__)
#define SHARE(member) \
    OPTION(member, F2L_IN(0, 1), .digits = 17, .how = F2L_MAY_MISS | F2L_SKIP_ZERO)
#define ONE_OF(member, names) F2L_MEMBER_ONE_OF(#member, data_members, o.member, names, F2L_ANY)
#define HEAD \
    ONE_OF(kind, name_kind), ONE_OF(when, name_when), \
        OPTION(begin, .how = F2L_MAY_MISS | F2L_SKIP_ZERO)
#define NAMED ROW(automaton, F2L_ANY), ROW(states, F2L_IN(1, UINT32_MAX)), ONE_OF(label, name_label)
#define WORDS \
    ROW(sha256, F2L_ANY), ROW(words, F2L_IN(0, UINT32_MAX)), ROW(test, .how = F2L_NULL), \
        OPTION(held_out, F2L_ANY)

static const f2l_member automaton_rows[] = {
    HEAD,
    NAMED,
    F2L_MEMBER_LIST("weights", data_members, o.weight, letters, .how = F2L_NULL),
    OPTION(tokens, F2L_ANY),
    SHARE(live),
    SHARE(periodic)};
static const f2l_member expression_rows[] = {HEAD, OPTION(modulus, F2L_ANY), OPTION(times, F2L_ANY),
                                             OPTION(equals, F2L_ANY)};
static const f2l_member recall_rows[] = {HEAD, OPTION(pairs, F2L_ANY), OPTION(keys, F2L_ANY)};
static const f2l_member words_rows[] = {HEAD, WORDS, ROW(automaton, .how = F2L_NULL)};
static const f2l_member labelled_rows[] = {HEAD, WORDS, NAMED};
static const f2l_members automaton_members = F2L_MEMBERS(automaton_rows),
                         expression_members = F2L_MEMBERS(expression_rows),
                         recall_members = F2L_MEMBERS(recall_rows),
                         words_members = F2L_MEMBERS(words_rows),
                         labelled_members = F2L_MEMBERS(labelled_rows);

/* Returns the table of the member "data"; `named`: an automaton gives the labels of words. */
static const f2l_members *members_of(const char *kind, bool named)
{
    if (strcmp(kind, name_kind(F2L_DATA_AUTOMATON)) == 0) return &automaton_members;
    if (strcmp(kind, name_kind(F2L_DATA_RECALL)) == 0) return &recall_members;
    if (strcmp(kind, name_kind(F2L_DATA_WORDS)) != 0) return &expression_members;
    return named ? &labelled_members : &words_members;
}

#define CURRICULUM(member) F2L_MEMBER(f2l_data_curriculum, member, F2L_ANY)
static const f2l_member curriculum_rows[] = {CURRICULUM(start), CURRICULUM(limit),
                                             CURRICULUM(threshold), CURRICULUM(patience),
                                             CURRICULUM(shorter_too)};
static const f2l_members curriculum_members = F2L_MEMBERS(curriculum_rows);

typedef struct run_members {
    f2l_experiment e;
    uint64_t schema;
    json_t *data, *model;
    char first_weights[65];
} run_members;

#define PART(member, members) \
    F2L_MEMBER_PART(#member, offsetof(run_members, e.member), members, F2L_ANY)
static const f2l_member run_rows[] = {
    F2L_MEMBER(run_members, schema, F2L_ANY),
    F2L_MEMBER(run_members, data, F2L_ANY),
    F2L_MEMBER(run_members, model, F2L_ANY),
    PART(train, &f2l_train_options_members),
    PART(curriculum, &curriculum_members),
    F2L_MEMBER_AS("batch", run_members, e.batch, F2L_ANY),
    F2L_MEMBER_AS("positions", run_members, e.positions, F2L_ANY),
    F2L_MEMBER_AS("seed", run_members, e.seed, F2L_ANY),
    F2L_MEMBER(run_members, first_weights, .how = F2L_MAY_MISS, .least = 64)};
static const f2l_members all_members = F2L_MEMBERS(run_rows);

/* --- writing --- */

static f2l_status write_data(f2l_buf *out, const f2l_experiment *e, f2l_error *err)
{
    data_members m = {.o = e->data};
    if (e->fsa != NULL) {
        const f2l_status status = f2l_fsa_sha256(e->fsa, m.automaton, err);
        if (status != F2L_OK) return status;
        m.states = e->fsa->states.count;
        m.letters = e->fsa->letters.count;
    }
    if (m.o.kind == F2L_DATA_WORDS) {
        memcpy(m.sha256, m.o.words->sha256, sizeof m.sha256);
        m.words = m.o.words->count;
    }
    if (m.o.test != NULL) memcpy(m.test, m.o.test->sha256, sizeof m.test);
    f2l_members_write(out, members_of(name_kind(m.o.kind), e->fsa != NULL), &m);
    return F2L_OK;
}

f2l_status f2l_experiment_write_words(f2l_buf *out, const f2l_data_options *data, f2l_error *err)
{
    json_t *object = json_pack("{s:i, s:s, s:s?}", "schema", 1, "words", data->words->source,
                               "test", data->test ? data->test->source : NULL);
    char *text = object ? json_dumps(object, JSON_INDENT(1)) : NULL;
    json_decref(object);
    if (text == NULL) return f2l_fail_memory(err);
    f2l_buf_text(out, text);
    f2l_buf_text(out, "\n");
    free(text);
    return f2l_buf_status(out, err);
}

f2l_status f2l_experiment_plan_write(f2l_buf *out, const f2l_experiment_plan *plan, f2l_error *err)
{
    const f2l_experiment *e = &plan->experiment;
    f2l_buf_text(out, "{\"schema\":1,\n\"data\":");
    f2l_status status = write_data(out, e, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, ",\n\"model\":");
    status = f2l_seq_config_write(out, &e->model, err);
    if (status != F2L_OK) return status;
    f2l_buf_text(out, ",\n\"train\":");
    f2l_members_write(out, &f2l_train_options_members, &e->train);
    f2l_buf_text(out, ",\n\"curriculum\":");
    f2l_members_write(out, &curriculum_members, &e->curriculum);
    f2l_buf_printf(out, ",\n\"batch\":%zu,\"positions\":%zu,\"seed\":%lu", e->batch, e->positions,
                   (unsigned long)e->seed);
    if (e->first) f2l_buf_printf(out, ",\"first_weights\":\"%s\"", e->first->sha256);
    f2l_buf_text(out, "}\n");
    return f2l_buf_status(out, err);
}

f2l_status f2l_experiment_write(f2l_buf *out, const f2l_experiment *experiment, f2l_error *err)
{
    f2l_experiment_plan plan;
    f2l_experiment_plan_init(&plan);
    f2l_status status = f2l_experiment_plan_build(&plan, experiment, err);
    if (status == F2L_OK) status = f2l_experiment_plan_write(out, &plan, err);
    f2l_experiment_plan_clear(&plan);
    return status;
}

/* --- reading --- */

f2l_status f2l_experiment_read_automaton(f2l_fsa *fsa, const char *text, size_t size, size_t states,
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

/* Reads the automaton that config.json names. */
static f2l_status read_named(f2l_experiment_file *file, const data_members *m, const char *text,
                             size_t size, f2l_error *err)
{
    char hash[65];
    if (text == NULL)
        return f2l_fail(err, F2L_EFORMAT,
                        "the automaton of the data is missing: config.json is not as this program "
                        "writes it");
    f2l_status status = f2l_experiment_read_automaton(&file->fsa, text, size, m->states, err);
    if (status == F2L_OK) status = f2l_fsa_sha256(&file->fsa, hash, err);
    if (status == F2L_OK && strcmp(m->automaton, hash) != 0)
        status = f2l_fail(err, F2L_EFORMAT, "the automaton is not the one that config.json names");
    if (status == F2L_OK && m->o.weight != NULL && m->letters != file->fsa.letters.count)
        status = f2l_fail(err, F2L_EFORMAT,
                          "the member data.weights does not have a number for every letter of the "
                          "automaton");
    file->experiment.fsa = &file->fsa;
    return status;
}

/* Compares the words that were read with a hash in config.json. */
static f2l_status check_words(const f2l_word_list *words, const char *hash, f2l_error *err)
{
    if (words->count == 0) return f2l_fail(err, F2L_EFORMAT, "the words of the data are missing");
    if (strcmp(hash, words->sha256) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "%.160s is not the file of this run: its SHA-256 is %s, not %s",
                    words->source ? words->source : "words", words->sha256, hash);
}

typedef struct texts {
    const char *automaton;
    size_t automaton_size;
} texts;

static f2l_status read_data(f2l_experiment_file *file, const json_t *data, const texts *t,
                            f2l_error *err)
{
    data_members m = {.states = 0};
    const char *kind = json_string_value(json_object_get(data, "kind"));
    const bool named = json_is_string(json_object_get(data, "automaton"));
    f2l_status status =
        f2l_members_read(&m, members_of(kind ? kind : "", named), data, "config.json, data", err);
    file->weight = (double *)m.o.weight;
    if (status == F2L_OK && m.o.kind == F2L_DATA_WORDS) {
        m.o.words = &file->words;
        status = check_words(&file->words, m.sha256, err);
    }
    if (status == F2L_OK && m.test[0] != '\0') {
        m.o.test = &file->test;
        status = check_words(&file->test, m.test, err);
    }
    file->experiment.data = m.o;
    return status == F2L_OK && named ? read_named(file, &m, t->automaton, t->automaton_size, err)
                                     : status;
}

/* Compares the first weights that were read with the hash in config.json, if it names any. */
static f2l_status read_first(f2l_experiment_file *file, const char *hash, f2l_error *err)
{
    if (hash[0] == '\0') return F2L_OK;
    if (file->first.parameter == NULL)
        return f2l_fail(err, F2L_EFORMAT, "the first weights of the run are missing");
    if (strcmp(hash, file->first.sha256) != 0)
        return f2l_fail(err, F2L_EFORMAT,
                        "the member first_weights is not the SHA-256 of first.safetensors");
    file->experiment.first = &file->first;
    return F2L_OK;
}

static f2l_status read_config(f2l_experiment_file *file, const json_t *object, const texts *t,
                              f2l_error *err)
{
    const json_t *schema = json_object_get(object, "schema");
    run_members c = {.e.model = f2l_seq_config_default(0, 0)};
    if (json_is_integer(schema) && json_integer_value(schema) != 1)
        return f2l_fail(err, F2L_EFORMAT, "config.json has schema %lld; this program knows 1",
                        (long long)json_integer_value(schema));
    f2l_status status = f2l_members_read(&c, &all_members, object, "config.json", err);
    c.e.train.checkpoint_seconds = f2l_train_options_default(1).checkpoint_seconds;
    file->length = (size_t *)c.e.train.length;
    if (status == F2L_OK)
        status = f2l_seq_config_take(&c.e.model, c.model, "config.json, model", err);
    file->experiment = c.e;
    if (status == F2L_OK) status = read_data(file, c.data, t, err);
    return status == F2L_OK ? read_first(file, c.first_weights, err) : status;
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
    json_t *object = f2l_json_load(&status, config, config_size, "config.json", err);
    if (object) status = read_config(file, object, &t, err);
    json_decref(object);
    f2l_buf_bytes(&file->config, config, config_size);
    if (status == F2L_OK) status = f2l_buf_status(&file->config, err);
    if (status == F2L_OK) status = check_spelling(file, err);
    if (status != F2L_OK) f2l_experiment_file_clear(file);
    return status;
}
