/* The hash of a recipe is computed again from the configuration of the row, and a made-up one is
 * refused. */
#include "tests/support/reports/outcome_support.h"
#include <float.h>
#include <jansson.h>

static f2l_status parse(const char *text, f2l_error *err)
{
    f2l_outcomes list;
    f2l_outcomes_init(&list);
    *err = (f2l_error){0};
    const f2l_status status = f2l_outcomes_parse(&list, text, strlen(text), err);
    cr_assert((list.rows > 0) == (status == F2L_OK));
    f2l_outcomes_clear(&list);
    return status;
}

/* Checks that the row is refused for its recipe, or read if `why` is NULL; written on one line and
 * on many. */
static void check_row(const json_t *row, const char *why)
{
    for (size_t flags = 0; flags < 2; flags++) {
        f2l_error err;
        char *text = json_dumps(row, flags ? JSON_INDENT(1) : JSON_COMPACT);
        const f2l_status status = parse(text, &err);
        cr_assert_eq(status, why ? F2L_EFORMAT : F2L_OK, "%s\n%s", err.text, text);
        cr_assert(!why || strstr(err.text, why), "%s", err.text);
        free(text);
    }
}

/* Returns the sample with the recipe of its setting, as JSON. */
static json_t *row_make(void)
{
    f2l_outcome w;
    f2l_buf text;
    sample(&w);
    take_recipe(&w, 0);
    outcome_text_of(&text, &w);
    json_t *row = json_loadb(text.data, text.size, 0, NULL);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
    return row;
}

/* Every recipe that this program has is read with the hash of its config.json. */
Test(outcome_recipe, recipes_of_this_program)
{
    size_t seen = 0;
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            const f2l_preset_model *m;
            if (f2l_preset_check(p, setting, NULL) != F2L_OK || p->kind == F2L_DATA_WORDS) continue;
            for (size_t i = 0; (m = f2l_preset_model_at(p, setting, i)) != NULL; i++, seen++) {
                f2l_outcome w;
                f2l_outcomes list;
                f2l_outcomes_init(&list);
                outcome_make(&w, p->name, m->name, setting);
                add(&w, 1, F2L_TRAIN_COMPLETED, 10, 9, 8);
                take_recipe(&w, i);
                append(&list, &w);
                cr_assert_str_eq(list.row[0].recipe, w.recipe);
                f2l_outcomes_clear(&list);
                f2l_outcome_clear(&w);
            }
        }
    cr_assert(seen > 300, "%zu", seen);
}

/* A hash that is changed in one digit, or cut, or missing. */
Test(outcome_recipe, changed_hash)
{
    json_t *row = row_make();
    char hash[65];
    snprintf(hash, sizeof hash, "%s", json_string_value(json_object_get(row, "recipe")));
    check_row(row, NULL);
    for (size_t i = 0; i < 64; i += 9) {
        const char digit = hash[i];
        hash[i] = digit == '0' ? '1' : '0';
        json_object_set_new(row, "recipe", json_string(hash));
        check_row(row, "\"recipe\" is not the hash of its \"config\"");
        hash[i] = digit;
    }
    hash[63] = '\0';
    json_object_set_new(row, "recipe", json_string(hash));
    check_row(row, "\"recipe\" is not the hash of its \"config\"");
    json_object_del(row, "recipe");
    check_row(row, "\"recipe\" is missing, but there is a \"config\"");
    json_object_del(row, "config");
    check_row(row, NULL);
    json_decref(row);
}

static json_t *changed_value(const json_t *value)
{
    if (json_is_integer(value)) return json_integer(json_integer_value(value) + 1);
    if (json_is_real(value)) return json_real(json_real_value(value) * (1 + DBL_EPSILON));
    if (json_is_boolean(value)) return json_boolean(!json_is_true(value));
    return json_is_string(value) ? json_string("other") : json_integer(7);
}

/* Changes each member below `object`, which `row` holds, and takes it away; returns how many there
 * are. */
static size_t change_each(const json_t *row, json_t *object)
{
    const char *name;
    json_t *value, *copy = json_copy(object);
    size_t count = 0;
    json_object_foreach(copy, name, value)
    {
        if (json_is_object(value)) count += change_each(row, json_object_get(object, name));
        json_object_set_new(object, name, changed_value(value));
        check_row(row, "\"recipe\" is not the hash of its \"config\"");
        json_object_del(object, name);
        check_row(row, "\"recipe\" is not the hash of its \"config\"");
        json_object_clear(object);
        json_object_update(object, copy);
        count++;
    }
    json_decref(copy);
    check_row(row, NULL);
    return count;
}

Test(outcome_recipe, changed_configuration)
{
    json_t *row = row_make(), *config = json_object_get(row, "config");
    cr_assert(change_each(row, config) > 40);
    json_object_set_new(config, "more", json_null());
    check_row(row, "\"recipe\" is not the hash of its \"config\"");
    json_decref(row);
}

/* Without a configuration nothing but what earlier versions are known to have written is read. */
Test(outcome_recipe, without_configuration)
{
    json_t *row = row_make();
    json_object_del(row, "config");
    check_row(row, "no version is known to have written");
    json_object_set_new(row, "recipe", json_string("r"));
    check_row(row, "no version is known to have written");
    json_object_set_new(
        row, "recipe",
        json_string("d83e6647832a7fb9b50dd813a079633152bd410e3e66eb9761c9936f5d05e2bc"));
    check_row(row, NULL);
    json_decref(row);
}

/* The place of the hash is told, also behind a row with the same hash whose configuration it is. */
Test(outcome_recipe, place)
{
    f2l_error err;
    json_t *row = row_make(), *other = json_deep_copy(row);
    json_object_set_new(json_object_get(other, "config"), "batch", json_integer(1));
    char *one = json_dumps(row, JSON_COMPACT), *two = json_dumps(other, JSON_COMPACT);
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "[%s,\n\n%s]", one, two);
    cr_assert_eq(parse(text.data, &err), F2L_EFORMAT);
    const char *hash = json_string_value(json_object_get(row, "recipe"));
    cr_assert_eq(err.line, 3);
    cr_assert_eq(err.column, (size_t)(strstr(two, hash) - two) + 1);
    f2l_buf_clear(&text);
    free(one);
    free(two);
    json_decref(row);
    json_decref(other);
}
