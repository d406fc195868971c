#include "tests/support/train/experiment_cases.h"
#include <jansson.h>

/* Checks that the object is refused with F2L_EFORMAT and that the message has `name`. */
static void refused(json_t *object, const f2l_fsa *fsa, const char *name)
{
    f2l_error err = {0};
    f2l_experiment_file file;
    char *text = json_dumps(object, JSON_COMPACT);
    f2l_buf b = {.data = text, .size = strlen(text)};
    const f2l_status status = parse(&file, &b, fsa, &err);
    cr_assert_eq(status, F2L_EFORMAT, "%s: %s: %s", name, f2l_status_name(status), err.text);
    cr_assert(strstr(err.text, name), "%s: %s", name, err.text);
    free(text);
}

static void damage(json_t *object, json_t *inside, const f2l_fsa *fsa)
{
    const char *key[40];
    size_t keys = 0;
    void *at = json_object_iter(inside);
    for (; at; at = json_object_iter_next(inside, at)) key[keys++] = json_object_iter_key(at);
    for (size_t k = 0; k < keys; k++) {
        char *name = f2l_strndup(key[k], strlen(key[k]));
        json_t *kept = json_incref(json_object_get(inside, name));
        json_t *const bad[] = {json_null(), json_string("?"), json_integer(-1),
                               json_pack("[s]", "x")};
        for (size_t i = 0; i < 4; i++) {
            json_object_set_new(inside, name, bad[i]);
            /* -1 may be a number of the right kind, which is then refused for its value */
            if (!(strcmp(name, "weights") == 0 && i == 0)) refused(object, fsa, i == 2 ? "" : name);
        }
        json_object_del(inside, name);
        refused(object, fsa, name);
        json_object_set_new(inside, name, kept);
        f2l_free(name);
    }
    json_object_set_new(inside, "sprocket", json_integer(1));
    refused(object, fsa, "sprocket");
    json_object_del(inside, "sprocket");
}

Test(experiment_damage, damaged_members_are_named)
{
    for (int expressions = 0; expressions < 2; expressions++) {
        experiment_case c;
        f2l_buf text;
        base(&c, expressions != 0);
        const f2l_fsa *fsa = expressions ? NULL : &c.fsa;
        experiment_text(&text, &c.experiment);
        json_t *object = json_loadb(text.data, text.size, 0, NULL);
        damage(object, object, fsa);
        static const char *const part[] = {"data", "model", "train", "curriculum"};
        for (size_t i = 0; i < 4; i++) damage(object, json_object_get(object, part[i]), fsa);
        json_decref(object);
        f2l_buf_clear(&text);
        experiment_close(&c);
    }
}

/* Any change of a byte is refused, or gives another experiment with this very spelling. */
Test(experiment_damage, damaged_bytes, .timeout = 300)
{
    experiment_case c;
    f2l_buf text;
    f2l_experiment_file file;
    size_t others = 0, refusals = 0;
    static const char byte[] = {'0', '7', 'e', '"', ',', ' ', '}', '\0', '\xff'};
    experiment_open(&c, 4);
    c.experiment.data.weight = other_weight;
    experiment_text(&text, &c.experiment);
    for (size_t at = 0; at < text.size; at += experiment_short() ? 13 : 1) {
        f2l_error err = {0};
        f2l_buf part = {.data = text.data, .size = at};
        cr_assert_eq(parse(&file, &part, &c.fsa, &err), F2L_EFORMAT, "cut after %zu bytes", at);
        for (size_t k = 0; k < sizeof byte; k++) {
            const char kept = text.data[at];
            if (kept == byte[k]) continue;
            text.data[at] = byte[k];
            const f2l_status status = parse(&file, &text, &c.fsa, &err);
            cr_assert(status == F2L_OK || status == F2L_EFORMAT, "byte %zu: %s", at, err.text);
            if (status == F2L_OK) {
                cr_assert(experiment_same(&text, &file.config));
                others++;
            } else {
                refusals++;
            }
            f2l_experiment_file_clear(&file);
            text.data[at] = kept;
        }
    }
    cr_log_info("%zu other experiments, %zu refusals", others, refusals);
    cr_assert(others > (experiment_short() ? 0 : 20) && refusals > others);
    f2l_buf_text(&text, "\n");
    cr_assert_eq(parse(&file, &text, &c.fsa, NULL), F2L_EFORMAT);
    f2l_buf_clear(&text);
    experiment_close(&c);
}

/* JSON errors are reported with their position. */
Test(experiment_damage, says_where_json_is_damaged)
{
    static const char text[] = "{\"schema\":1,\n\"data\":}";
    f2l_experiment_file file;
    f2l_error err = {0};
    f2l_experiment_file_init(&file);
    cr_assert_eq(f2l_experiment_file_parse(&file, text, sizeof text - 1, NULL, 0, &err),
                 F2L_EFORMAT);
    cr_assert(err.line == 2 && err.column > 0 && strstr(err.text, "config.json"), "%zu:%zu %s",
              err.line, err.column, err.text);
}

Test(experiment_damage, another_schema)
{
    static const char text[] = "{\"schema\":2}";
    f2l_experiment_file file;
    f2l_error err = {0};
    f2l_experiment_file_init(&file);
    cr_assert_eq(f2l_experiment_file_parse(&file, text, sizeof text - 1, NULL, 0, &err),
                 F2L_EFORMAT);
    cr_assert(strstr(err.text, "schema 2"), "%s", err.text);
}

#ifdef F2L_MEM_FAILURES
Test(experiment_damage, memory_failures)
{
    experiment_case c;
    f2l_buf text, automaton, again;
    f2l_experiment_file file;
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    experiment_open(&c, 4);
    c.experiment.data.weight = other_weight;
    experiment_text(&text, &c.experiment);
    f2l_buf_init(&automaton);
    cr_assert_eq(f2l_fsa_write(&automaton, &c.fsa, NULL), F2L_OK);
    f2l_experiment_file_init(&file);
    while (status != F2L_OK) {
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_experiment_file_parse(&file, text.data, text.size, automaton.data,
                                           automaton.size, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !file.length && !file.config.data));
    }
    cr_assert_gt(n, 20);
    for (n = 0, status = F2L_ENOMEM; status != F2L_OK;) {
        f2l_buf_init(&again);
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_experiment_write(&again, &file.experiment, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        if (status == F2L_OK) cr_assert(experiment_same(&text, &again));
        f2l_buf_clear(&again);
    }
    f2l_experiment_file_clear(&file);
    f2l_buf_clear(&automaton);
    f2l_buf_clear(&text);
    experiment_close(&c);
}
#endif
