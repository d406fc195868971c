/* Outcomes as JSON, in files and in folders. */
#include "tests/support/automata/brute_force.h"
#include "tests/support/reports/outcome_support.h"
#include <jansson.h>
#include <string.h>
#include <unistd.h>

static f2l_status parse(f2l_outcomes *list, const char *text, f2l_error *err)
{
    return f2l_outcomes_parse(list, text, strlen(text), err);
}

/* An outcome that is written, read and written has the same bytes: alone, in a list, and as "rows"
 * of an object. */
Test(outcome_file, round_trip)
{
    static const char *const frame[][2] = {
        {"", ""}, {"[", "]"}, {"{\"what\":\"x\",\"rows\":[", "]}"}};
    f2l_outcome w;
    f2l_buf text, framed, again;
    f2l_error err = {0};
    sample(&w);
    strcpy(w.note, "a remark");
    strcpy(w.trained, "delta, 2 layers; words of 4 to 9 letters");
    outcome_text_of(&text, &w);
    f2l_outcomes list;
    f2l_outcomes_init(&list);
    for (size_t i = 0; i < 3; i++) {
        f2l_buf_init(&framed);
        f2l_buf_printf(&framed, "%s%s%s", frame[i][0], text.data, frame[i][1]);
        cr_assert_eq(f2l_outcomes_parse(&list, framed.data, framed.size, &err), F2L_OK, "%s",
                     err.text);
        cr_assert_eq(list.rows, i + 1);
        outcome_text_of(&again, &list.row[i]);
        cr_assert_str_eq(text.data, again.data);
        f2l_buf_clear(&again);
        f2l_buf_clear(&framed);
    }
    cr_assert_str_eq(list.row[2].trained, w.trained);
    cr_assert(list.row[0].seeds == 4 && list.row[0].seed[1].score == NULL &&
              isnan(list.row[0].seed[1].loss));
    cr_assert_str_eq(list.row[0].seed[1].weights, "");
    cr_assert_str_eq(list.row[0].seed[2].weights, w.seed[2].weights);
    cr_assert_eq(strlen(w.seed[2].weights), 64);
    f2l_outcomes_clear(&list);
    f2l_outcomes_clear(&list);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
}

/* A row keeps 100 of 250 points, with the first and the last, and both evaluations. */
Test(outcome_file, course)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_outcomes_init(&list);
    sample(&w);
    append(&list, &w);
    const f2l_history *course = &list.row[0].seed[0].course;
    cr_assert_eq(course->points, 100);
    cr_assert_eq(course->point[0].step, 1);
    cr_assert_eq(course->point[99].step, 250);
    for (size_t i = 1; i < 100; i++) {
        const uint64_t from = course->point[i - 1].step, to = course->point[i].step;
        cr_assert(to - from == 2 || to - from == 3, "%zu", i);
        cr_assert_float_eq(course->point[i].loss, 1.0 / (double)to, 1e-15);
        cr_assert_eq(course->point[i].length, 8 + to);
    }
    cr_assert(course->looks == 2 && course->look[0].step == 50 && course->look[0].scores == 3);
    cr_assert_float_eq(course->look[0].score[1].scaled_accuracy, 0.8, 1e-12);
    cr_assert_eq(list.row[0].seed[1].course.looks, 2); /* also of the run that diverged */
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

static void refused(json_t *row, const char *what)
{
    f2l_outcomes list;
    f2l_error err = {0};
    char *text = json_dumps(row, JSON_COMPACT);
    f2l_outcomes_init(&list);
    cr_assert_eq(parse(&list, text, &err), F2L_EFORMAT, "%s: %s\n%s", what, err.text, text);
    cr_assert(list.rows == 0 && err.text[0] != '\0');
    f2l_outcomes_clear(&list);
    free(text);
}

/* Returns whether the key is in the list; "a,b" has a and b. */
static bool is_one_of(const char *list, const char *key)
{
    const size_t size = strlen(key);
    for (const char *at = list; (at = strstr(at, key)) != NULL; at += size)
        if ((at == list || at[-1] == ',') && (at[size] == ',' || at[size] == '\0')) return true;
    return false;
}

/* Checks an object, which `root` holds: every member is needed and has one type, and other members
 * are refused. */
static void mutate(json_t *root, json_t *object, const char *optional)
{
    const char *key;
    json_t *value, *copy = json_copy(object);
    json_object_foreach(copy, key, value)
    {
        json_incref(value);
        json_object_del(object, key);
        if (!is_one_of(optional, key)) refused(root, key);
        json_object_set_new(object, key, json_true());
        refused(root, key);
        json_object_set(object, key, value);
        json_decref(value);
    }
    json_decref(copy);
    json_object_set_new(object, "extra", json_integer(1));
    refused(root, "extra");
    json_object_del(object, "extra");
}

static void with(json_t *root, json_t *object, const char *key, json_t *value)
{
    json_t *old = json_incref(json_object_get(object, key));
    json_object_set_new(object, key, value);
    refused(root, key);
    json_object_set_new(object, key, old);
}

Test(outcome_file, what_is_refused)
{
    f2l_outcome w;
    f2l_buf text;
    sample(&w);
    strcpy(w.note, "n");
    take_recipe(&w, 0);
    strcpy(w.trained, "a model");
    outcome_text_of(&text, &w);
    json_t *root = json_loads(text.data, 0, NULL), *seeds = json_object_get(root, "seeds");
    json_t *seed = json_array_get(seeds, 2), *lengths = json_object_get(seed, "lengths");
    mutate(root, root, "note,devices,trained");
    mutate(root, seed, "evaluations,curve,every_length,weights,failing_word,word_sets");
    mutate(root, json_object_get(seed, "failing_word"), "letters_allowed");
    mutate(root, json_object_get(root, "timing"), "seconds,device_seconds");
    mutate(root, json_object_get(seed, "timing"), "share");
    mutate(root, json_array_get(lengths, 1), "constant_accuracy");
    mutate(root, json_object_get(seed, "curve"), "");
    json_t *look = json_array_get(json_object_get(seed, "evaluations"), 0);
    mutate(root, look, "");
    mutate(root, json_object_get(look, "scores"), "");
    with(root, root, "schema", json_integer(3));
    with(root, root, "kind", json_string("reproduce-request"));
    with(root, root, "preset", json_string("s6"));
    with(root, root, "model", json_string("nh4"));
    with(root, root, "setting", json_string("worst"));
    with(root, root, "scale", json_real(0));
    with(root, root, "steps", json_integer(-1));
    with(root, root, "seeds", json_array());
    with(root, root, "devices", json_integer(0));
    with(root, json_object_get(root, "timing"), "seconds", json_real(14.001));
    with(root, json_object_get(root, "timing"), "device_seconds", json_real(14));
    with(root, json_object_get(seed, "timing"), "share", json_real(5000));
    with(root, json_object_get(seed, "timing"), "share", json_real(0));
    with(root, seed, "end", json_string("interrupted"));
    with(root, seed, "weights", json_string(""));
    with(root, seed, "weights", json_string("c0ffee"));
    static const char hash[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    with(root, seed, "weights", json_pack("s+", "Z", hash + 1));
    with(root, seed, "weights", json_pack("s+", hash, "0"));
    with(root, seed, "seed", json_integer((json_int_t)1 << 32));
    with(root, seed, "lengths", json_array());
    with(root, json_array_get(seeds, 1), "end", json_string("completed"));
    with(root, json_array_get(lengths, 1), "length", json_integer(41));
    with(root, json_array_get(lengths, 1), "length", json_integer(8));
    with(root, json_array_get(lengths, 1), "sequence_accuracy", json_real(1.5));
    char device[600];
    memset(device, 'x', sizeof device);
    device[sizeof device - 1] = '\0';
    with(root, root, "device", json_string(device));
    for (size_t i = 0; i < json_array_size(seeds); i++) {
        json_t *of_seed = json_object_get(json_array_get(seeds, i), "lengths");
        json_t *first = json_object_get(json_array_get(of_seed, 0), "length");
        json_object_set(json_array_get(of_seed, 1), "length", first);
    }
    refused(root, "two equal lengths of all seeds");
    json_decref(root);
    /* every proper beginning, or one of seven in short */
    for (size_t n = 0; n + 2 < text.size; n += brute_force_is_short() ? 7 : 1) {
        f2l_outcomes list;
        f2l_outcomes_init(&list);
        cr_assert_eq(f2l_outcomes_parse(&list, text.data, n, NULL), F2L_EFORMAT, "%zu bytes", n);
        f2l_outcomes_clear(&list);
    }
    static const char *const other[] = {
        "[]", "{}",   "{\"rows\":[]}", "{\"rows\":3}",
        "17", "[17]", "null",          "{\"schema\":1,\"what\":\"psd-parity\"}"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        f2l_outcomes list;
        f2l_outcomes_init(&list);
        cr_assert_eq(parse(&list, other[i], NULL), F2L_EFORMAT, "%s", other[i]);
        f2l_outcomes_clear(&list);
    }
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(f2l_write_file(path, text, strlen(text), NULL), F2L_OK);
}

static void drop(const char *folder, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    cr_assert_eq(unlink(path), 0);
}

Test(outcome_file, files_and_folders)
{
    char folder[] = "/tmp/f2l-outcome-XXXXXX", path[160];
    f2l_outcome w;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes list;
    f2l_outcomes_init(&list);
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert_eq(f2l_outcomes_read(&list, folder, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, folder) != NULL, "%s", err.text);
    sample(&w);
    outcome_text_of(&text, &w);
    put(folder, "outcome-b.json", text.data);
    f2l_buf_clear(&text);
    w.seed[0].seed = 99;
    outcome_text_of(&text, &w);
    put(folder, "outcome-a.json", text.data);
    put(folder, "reproduce.json", "{}");
    cr_assert_eq(f2l_outcomes_read(&list, folder, &err), F2L_OK, "%s", err.text);
    cr_assert(list.rows == 2 && list.row[0].seed[0].seed == 99 && list.row[1].seed[0].seed == 4);
    put(folder, "outcome-c.json", "{\"schema\":1}");
    cr_assert_eq(f2l_outcomes_read(&list, folder, &err), F2L_EFORMAT);
    cr_assert(strstr(err.text, "outcome-c.json") != NULL && list.rows == 2, "%s", err.text);
    snprintf(path, sizeof path, "%s/nothing", folder);
    cr_assert_eq(f2l_outcomes_read(&list, path, &err), F2L_EIO);
    drop(folder, "outcome-a.json");
    drop(folder, "outcome-b.json");
    drop(folder, "outcome-c.json");
    drop(folder, "reproduce.json");
    cr_assert_eq(rmdir(folder), 0);
    f2l_outcomes_clear(&list);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
}
