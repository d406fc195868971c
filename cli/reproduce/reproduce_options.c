/* The request that operands and options make: models, rates, seeds and words. */
#include "cli/reproduce/reproduce_options.h"
#include "cli/train/train_arguments.h"
#include <string.h>

/* --- the request --- */

static int choose_models(f2l_cli *cli, f2l_reproduce_request *r, const char *names)
{
    const f2l_preset_model *m;
    for (size_t i = 0; !names && (m = f2l_preset_model_at(r->preset, r->setting, i)) != NULL; i++)
        r->model[r->models++] = m;
    while (names) {
        char name[64];
        const size_t size = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : sizeof name - 1),
                 names);
        m = f2l_preset_model_find(r->preset, name);
        for (size_t i = 0; i < r->models; i++)
            if (r->model[i] == m) return f2l_cli_usage(cli, "--model names %s twice", name);
        if (!m || !(m->settings >> r->setting & 1U)) {
            f2l_buf list;
            f2l_buf_init(&list);
            for (size_t i = 0; (m = f2l_preset_model_at(r->preset, r->setting, i)) != NULL; i++)
                f2l_buf_printf(&list, "%s%s", i ? ", " : "", m->name);
            const int code = f2l_cli_usage(cli, "the setting %s of %s has no model '%s', but %s",
                                           f2l_preset_setting_name(r->setting), r->preset->name,
                                           name, list.data ? list.data : "");
            f2l_buf_clear(&list);
            return code;
        }
        r->model[r->models++] = m;
        names = names[size] == ',' ? names + size + 1 : NULL;
    }
    return 0;
}

static int choose_rates(f2l_cli *cli, f2l_reproduce_request *r, const char *list)
{
    r->rates = list == NULL; /* the single rate 0 means the rate of the recipe */
    while (list) {
        const char *end;
        const double rate = f2l_options_decimal(list, &end);
        if (end == list || (*end != ',' && *end != '\0') || !(rate <= 10))
            return f2l_cli_usage(cli, "--rate takes numbers up to 10, separated by commas");
        if (rate == 0) return f2l_cli_usage(cli, "--rate must be above 0");
        if (r->rates == F2L_REPRODUCE_RATES)
            return f2l_cli_usage(cli, "--rate takes at most %d numbers", F2L_REPRODUCE_RATES);
        if (!f2l_reproduce_request_takes(r, rate))
            return f2l_cli_usage(cli, "--rate names %g twice", rate);
        r->rate[r->rates++] = rate;
        list = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

/* Checks the operands behind the preset: one language for a preset of words, none for others. */
static int check_operands(f2l_cli *cli, const f2l_preset *preset, const f2l_reproduce_options *o)
{
    const bool of_words = preset->kind == F2L_DATA_WORDS;
    if (cli->operands > (of_words ? 2 : 1))
        return f2l_cli_usage(cli,
                             of_words ? "%s takes one language"
                                      : "one preset is expected: %s takes no other operand",
                             preset->name);
    if (of_words && (cli->operands == 2) == (o->words != NULL))
        return f2l_cli_usage(cli, "%s takes a language: reproduce %s LANGUAGE.att, or --data",
                             preset->name, preset->name);
    return 0;
}

int f2l_reproduce_request_make(f2l_cli *cli, f2l_reproduce_request *r,
                               const f2l_reproduce_options *o)
{
    f2l_error err;
    memset(r, 0, sizeof *r);
    if (cli->operands == 0)
        return f2l_cli_usage(cli, "one preset is expected, --resume DIR or --table");
    r->preset = f2l_preset_find(cli->operand[0]);
    if (!r->preset) {
        f2l_buf list;
        f2l_buf_init(&list);
        for (size_t i = 0; f2l_presets[i].name; i++)
            f2l_buf_printf(&list, "%s%s", i ? ", " : "", f2l_presets[i].name);
        const int code = f2l_cli_usage(cli, "there is no preset '%.60s'; there are %s",
                                       cli->operand[0], list.data ? list.data : "");
        f2l_buf_clear(&list);
        return code;
    }
    const int wrong = check_operands(cli, r->preset, o);
    if (wrong) return wrong;
    if (o->scale == 0) return f2l_cli_usage(cli, "--scale must be above 0");
    r->setting = (f2l_preset_setting)o->setting;
    r->scale = o->scale;
    r->seed = (uint32_t)o->seed;
    r->seeds = (size_t)o->seeds;
    r->backend = (f2l_backend)o->backend;
    if (r->seeds - 1 > UINT32_MAX - r->seed) return f2l_cli_usage(cli, "seeds are below 2^32");
    if (f2l_preset_check(r->preset, r->setting, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    int code = choose_rates(cli, r, o->rate);
    if (!code) code = choose_models(cli, r, o->model);
    if (!code && o->recipe && r->models * r->rates > 1)
        return f2l_cli_usage(cli, "--recipe is for one model and one rate");
    return code;
}

/* --- words --- */

/* Reads the words of the source (NULL: none), and the test words that --test names or that belong
 * to them. */
static int read_words_of(f2l_reproduce_job *j, const f2l_reproduce_options *o, const char *words)
{
    f2l_reproduce_request *r = &j->request;
    if (words == NULL)
        return o->test || o->held_out >= 0
                   ? f2l_cli_usage(j->cli, "--test and --held-out belong to --data")
                   : 0;
    if (o->test && o->held_out >= 0)
        return f2l_cli_usage(j->cli, "--test and --held-out exclude each other");
    int code = f2l_train_words_read(&j->words, j->cli, words, NULL, NULL, NULL, F2L_LABEL_STATES);
    const char *test = o->test ? o->test : r->test[0] ? r->test : NULL;
    if (code == 0)
        code = f2l_train_words_test(&j->test, j->cli, test, !o->resume && o->held_out < 0,
                                    &j->words, NULL, F2L_LABEL_STATES);
    return code;
}

/* Reads the words of the request, or for --resume what --data and --test name in their place,
 * which must have the same hash. */
static int read_request_words(f2l_reproduce_job *j, const f2l_reproduce_options *o)
{
    f2l_reproduce_request *r = &j->request;
    f2l_buf language; /* the operand as a source */
    f2l_buf_init(&language);
    if (!o->resume && j->cli->operands == 2)
        f2l_buf_printf(&language, "mlregtest:%s", j->cli->operand[1]);
    const int code = read_words_of(j, o,
                                   language.size ? language.data
                                   : o->words    ? o->words
                                   : r->words[0] ? r->words
                                                 : NULL);
    f2l_buf_clear(&language);
    return code;
}

static int keep_source(f2l_cli *cli, char *out, const f2l_word_list *words)
{
    const int size = snprintf(out, F2L_REPRODUCE_SOURCE, "%s", words->source);
    if (size >= 0 && size < F2L_REPRODUCE_SOURCE) return 0;
    return f2l_cli_usage(cli, "the path of the words is too long");
}

static int open_language(f2l_reproduce_job *j)
{
    f2l_error err;
    const f2l_status status = f2l_reproduce_language_open(j, &err);
    f2l_terminal_erase(&j->cli->terminal);
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, j->request.words, &err);
}

int f2l_reproduce_words_open(f2l_reproduce_job *j, const f2l_reproduce_options *o)
{
    f2l_error err;
    f2l_reproduce_request *r = &j->request;
    int code = read_request_words(j, o);
    if (code || j->words.count == 0) return code;
    if (o->resume && (strcmp(r->words_sha256, j->words.sha256) != 0 ||
                      strcmp(r->test_sha256, j->test.count > 0 ? j->test.sha256 : "") != 0)) {
        f2l_fail(&err, F2L_EDOMAIN,
                 "the words of this folder are others: SHA-256 %s and %s for tests are expected",
                 r->words_sha256, r->test_sha256[0] ? r->test_sha256 : "none");
        return f2l_cli_fail(j->cli, o->resume, &err);
    }
    if (o->resume) return open_language(j);
    code = keep_source(j->cli, r->words, &j->words);
    memcpy(r->words_sha256, j->words.sha256, sizeof r->words_sha256);
    if (j->test.count == 0) {
        r->held_out = o->held_out >= 0 ? o->held_out : 0.1;
        return code;
    }
    memcpy(r->test_sha256, j->test.sha256, sizeof r->test_sha256);
    if (code == 0) code = keep_source(j->cli, r->test, &j->test);
    return code ? code : open_language(j);
}
