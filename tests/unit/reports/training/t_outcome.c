#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "reports/training/published.h"
#include "reports/training/reproduce_report.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/reports/outcome_support.h"
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f2l_status parse(f2l_outcomes *list, const char *text, f2l_error *err)
{
    return f2l_outcomes_parse(list, text, strlen(text), err);
}

/* An outcome that is written, read and written has the same bytes: alone, in a list, and as "rows"
 * of an object. */
Test(outcome, round_trip)
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

/* With sequence accuracy a/10, accuracy a/10 and chance 1/2, the scaled accuracy is 2 a/10 - 1. */
Test(outcome, measures)
{
    f2l_outcome w;
    f2l_train_spread s;
    sample(&w);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 1, NULL), F2L_OK);
    /* .8, 0 for the seed that diverged, .4, .6 */
    cr_assert(s.count == 4 && fabs(s.median - 0.5) < 1e-12 && s.least == 0 &&
              fabs(s.greatest - 0.8) < 1e-12);
    /* over 40 and 256, not 8: (.8 + .6) / 2, 0, (.4 + 0) / 2, (.6 + .8) / 2 */
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert(fabs(s.median - 0.45) < 1e-12 && s.least == 0 && fabs(s.greatest - 0.7) < 1e-12);
    cr_assert_float_eq(f2l_outcome_constant(&w, 3), 0.2, 1e-12);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 4, NULL), F2L_EDOMAIN);
    w.preset = f2l_preset_find("s3");
    cr_assert_eq(f2l_outcome_measure(&s, &w, 1, NULL), F2L_OK);
    cr_assert(fabs(s.median - 0.75) < 1e-12); /* .9, 0, .7, .8 */
    cr_assert(isnan(f2l_outcome_constant(&w, 1)));
    f2l_outcome_clear(&w);
    outcome_make(&w, "s3", "nh2", F2L_PRESET_BEST);
    add(&w, 1, F2L_TRAIN_DIVERGED, 0, 0, 0);
    cr_assert(f2l_outcome_scored(&w) == NULL);
    cr_assert_eq(f2l_outcome_measure(&s, &w, 0, NULL), F2L_EDOMAIN);
    f2l_outcome_clear(&w);
}

/* The lengths 40, 94 and 256 stand for the lengths around them: the middle one has half the weight
 * of all, the first a quarter of 108. */
Test(outcome, the_mean_is_by_the_trapezoid_rule)
{
    f2l_outcome w;
    f2l_train_spread s;
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_PAPER);
    add(&w, 1, F2L_TRAIN_COMPLETED, 10, 10, 10);
    w.seed[0].score[0] = (f2l_train_accuracies){.length = 40, .scaled_accuracy = 1};
    w.seed[0].score[1] = (f2l_train_accuracies){.length = 94, .scaled_accuracy = 0.5};
    w.seed[0].score[2] = (f2l_train_accuracies){.length = 256, .scaled_accuracy = 0};
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert_float_eq(s.median, (54 * 0.75 + 162 * 0.25) / 216, 1e-12);
    w.seed[0].score[2].length = 300; /* outside */
    w.seed[0].score[1].length = 295;
    cr_assert_eq(f2l_outcome_measure(&s, &w, 3, NULL), F2L_OK);
    cr_assert_float_eq(s.median, 1, 1e-12);
    f2l_outcome_clear(&w);
}

Test(outcome, seeds_that_do_not_fit)
{
    f2l_outcome w;
    f2l_history h;
    sample(&w);
    history_make(&h, F2L_TRAIN_COMPLETED, 1, 2, 3);
    h.look[1].score[2].length = 255;
    cr_assert_eq(f2l_outcome_add(&w, 9, &h, 1, false, NULL), F2L_EDOMAIN);
    h.look[1].scores = 2;
    cr_assert_eq(f2l_outcome_add(&w, 9, &h, 1, false, NULL), F2L_EDOMAIN);
    cr_assert_eq(w.seeds, 4);
    f2l_history_clear(&h);
    f2l_outcome_clear(&w);
}

/* Runs without an end: a run that goes on or was killed, one that was stopped, and one that was
 * killed before its first evaluation; the table counts all of them. */
Test(outcome, runs_without_an_end)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_history h;
    f2l_train_spread s;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    sample(&w);
    cr_assert(f2l_outcome_ended(&w));
    history_make(&h, F2L_TRAIN_GOES_ON, 10, 5, 5);
    cr_assert_eq(f2l_outcome_add(&w, 10, &h, 1, false, NULL), F2L_OK);
    h.step = 50;
    cr_assert_eq(f2l_outcome_add(&w, 11, &h, 1, true, NULL), F2L_OK);
    f2l_free(h.look[0].score);
    f2l_free(h.look[1].score);
    h.looks = 0;
    cr_assert_eq(f2l_outcome_add(&w, 12, &h, 1, true, NULL), F2L_OK);
    f2l_history_clear(&h);
    cr_assert(!f2l_outcome_ended(&w));
    append(&list, &w);
    f2l_outcome_clear(&w);
    const f2l_outcome *there = &list.row[0];
    cr_assert(there->seed[4].end == F2L_TRAIN_GOES_ON && !there->seed[4].stopped);
    cr_assert(there->seed[5].end == F2L_TRAIN_GOES_ON && there->seed[5].stopped);
    cr_assert(there->seed[6].score == NULL && there->seed[6].stopped);
    /* .8 0 .4 .6, and 0 three times */
    cr_assert_eq(f2l_outcome_measure(&s, there, 1, NULL), F2L_OK);
    cr_assert(s.count == 7 && s.median == 0);
    const f2l_reproduce_report report = {.outcomes = &list};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK, "%s",
                 err.text);
    contains(&text, "7 seeds (4, 5, 6, 7, 10, 11, 12)", true);
    contains(&text, "1 diverged (counted as 0)", true);
    contains(&text,
             "3 not at their end (seed 10 running at step 100, seed 11 stopped at step 50, seed 12 "
             "stopped at step 50 without an evaluation: 0; the last evaluation counts)",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* A row keeps 100 of 250 points, with the first and the last, and both evaluations. */
Test(outcome, course)
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

/* The failing word of a seed is the shorter one of the search's and of the shortest test words with
 * a wrong answer; a seed without a search says so. */
Test(outcome, failing_words)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_buf text;
    f2l_outcomes_init(&list);
    outcome_make(&w, "parity", "delta-signed", F2L_PRESET_BEST);
    for (uint32_t i = 0; i < 4; i++) add(&w, i + 1, F2L_TRAIN_COMPLETED, 10, i < 2 ? 10 : 7, 6);
    w.seed[0].failing = (f2l_outcome_failing){.searched = true, .letters_read = 500};
    w.seed[1].failing = (f2l_outcome_failing){
        .searched = true, .wrong_letters = 17, .word = "1 0", .letters_read = 700};
    /* a search of random words only */
    w.seed[3].failing = (f2l_outcome_failing){.searched = true,
                                              .wrong_letters = 41,
                                              .letters_read = 60,
                                              .no_search_reason = "its mixer is attention"};
    append(&list, &w);
    const f2l_reproduce_report report = {.outcomes = &list};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, NULL), F2L_OK);
    contains(&text, "in letters, of each seed: 256, 17, 40, 40; among", true);
    contains(&text, "and a search of 700 letters in 3 of 4 seeds", true);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_reproduce_report_kind, &report, NULL), F2L_OK);
    contains(&text, "{\"seed\":2,\"wrong_letters\":17,\"by_search\":true,\"letters_read\":700,",
             true);
    contains(&text, "{\"seed\":3,\"wrong_letters\":40,\"by_search\":false,\"letters_read\":null,",
             true);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

/* With an evaluation at every length the table shows the lengths of the preset, and JSON has all.
 */
Test(outcome, every_length)
{
    f2l_outcome w;
    f2l_outcomes list;
    f2l_history h;
    f2l_buf text;
    f2l_error err = {0};
    f2l_train_accuracies score[513];
    for (size_t i = 0; i < 513; i++)
        score[i] = (f2l_train_accuracies){.length = i < 512 ? i + 1 : 1024,
                                          .sequences = 512,
                                          .sequence_accuracy = i < 300 ? 1 : 0.25};
    f2l_outcomes_init(&list);
    f2l_history_init(&h);
    h.end = F2L_TRAIN_COMPLETED;
    cr_assert_eq(f2l_history_add_look(&h, 9, score, 513, NULL), F2L_OK);
    outcome_make(&w, "s3", "nh2", F2L_PRESET_PAPER);
    cr_assert_eq(f2l_outcome_add(&w, 1, &h, 1, false, NULL), F2L_OK);
    append(&list, &w);
    cr_assert(list.row[0].lengths == 10 && list.row[0].seed[0].everys == 513);
    const f2l_reproduce_report report = {.outcomes = &list};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK, "%s",
                 err.text);
    contains(&text, "256: 1.000, 330: 0.250, 500: 0.250, 512: 0.250, 1024: 0.250", true);
    contains(&text, "301: ", false);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "{\"length\":301,\"measured\":{\"median\":0.25,", true);
    f2l_buf_clear(&text);
    f2l_history_clear(&h);
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

Test(outcome, what_is_refused)
{
    f2l_outcome w;
    f2l_buf text;
    sample(&w);
    strcpy(w.note, "n");
    strcpy(w.recipe, "abc");
    strcpy(w.trained, "a model");
    w.config = json_pack("{s:i}", "batch", 64);
    outcome_text_of(&text, &w);
    json_t *root = json_loads(text.data, 0, NULL), *seeds = json_object_get(root, "seeds");
    json_t *seed = json_array_get(seeds, 2), *lengths = json_object_get(seed, "lengths");
    mutate(root, root, "note,devices,recipe,trained,config");
    mutate(root, seed, "evaluations,curve,every_length,weights,failing_word,word_sets");
    mutate(root, json_object_get(seed, "failing_word"), "");
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
    char device[200];
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

Test(outcome, files_and_folders)
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

/* Names in the published table are names of presets, or of networks that are in no preset. */
Test(outcome, published)
{
    for (const f2l_published *p = f2l_published_numbers; p->preset != NULL; p++) {
        const f2l_preset *preset = f2l_preset_find(p->preset);
        cr_assert(preset != NULL && p->source[0] && p->model[0], "%s", p->preset);
        const bool other = strpbrk(p->model, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL;
        cr_assert_eq(f2l_preset_model_find(preset, p->model) == NULL, other, "%s %s", p->preset,
                     p->model);
        cr_assert(isnan(p->value) ? p->what[0] != '\0' : p->value >= 0 && p->value <= 1);
    }
}

/* The published average of every network is the mean of its four published accuracies. */
Test(outcome, published_averages)
{
    size_t networks = 0;
    for (const f2l_published_average *a = f2l_published_averages; a->model != NULL; a++) {
        double sum = 0;
        size_t tasks = 0;
        for (const f2l_published *p = f2l_published_numbers; p->preset != NULL; p++)
            if (strcmp(p->model, a->model) == 0 && strcmp(p->source, a->source) == 0) {
                sum += p->value;
                tasks++;
            }
        cr_assert(tasks == 4 && fabs(sum / 4 - a->value) < 0.000501, "%s: %zu, %.4f", a->model,
                  tasks, sum / 4);
        networks++;
    }
    cr_assert_eq(networks, 17);
}

/* The average is of accuracies, not scaled; it takes the longest run of a task, and a run that
 * diverged counts as guessing. */
Test(outcome, averages)
{
    f2l_outcomes list;
    f2l_error err = {0};
    f2l_buf text;
    f2l_outcomes_init(&list);
    for (size_t i = 0; i < F2L_PUBLISHED_SUITE; i++) {
        f2l_outcome w;
        outcome_make(&w, f2l_published_suite[i], "nh2", F2L_PRESET_BEST);
        /* accuracy 9/10 over both lengths in 40..256, with chance 1/2 in the sample's scores */
        add(&w, 1, F2L_TRAIN_COMPLETED, 1, 9, 9);
        append(&list, &w);
        f2l_outcome_clear(&w);
        if (i != 3) continue;
        /* parity: a longer run of two seeds, one of which diverged: (1 + 1/2) / 2 */
        outcome_make(&w, "parity", "nh2", F2L_PRESET_BEST);
        w.steps = w.full_steps;
        add(&w, 1, F2L_TRAIN_COMPLETED, 1, 10, 10);
        add(&w, 2, F2L_TRAIN_DIVERGED, 0, 0, 0);
        append(&list, &w);
        f2l_outcome_clear(&w);
    }
    const f2l_reproduce_report report = {.outcomes = &list};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK, "%s",
                 err.text);
    json_t *root = json_loadb(text.data, text.size, 0, NULL),
           *averages = json_object_get(root, "averages");
    cr_assert_eq(json_array_size(averages), 1);
    json_t *one = json_array_get(averages, 0), *tasks = json_object_get(one, "tasks");
    cr_assert_str_eq(json_string_value(json_object_get(one, "model")), "nh2");
    /* scaled 0.8 everywhere: 1/5 + 4/5 0.8 of 5 labels, 1/2 + 1/2 0.8 of 2 */
    static const double expected[] = {0.84, 0.9, 0.84, 0.75};
    for (size_t i = 0; i < 4; i++)
        cr_assert_float_eq(json_real_value(json_object_get(json_array_get(tasks, i), "accuracy")),
                           expected[i], 1e-12);
    cr_assert_float_eq(json_real_value(json_object_get(one, "accuracy")),
                       (0.84 + 0.9 + 0.84 + 0.75) / 4, 1e-12);
    json_decref(root);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "nh2, best setting: 0.833 (cycle-navigation 0.840, 1 run, 100 steps", true);
    contains(&text, "parity 0.750, 2 runs, 1000 steps)", true);
    contains(&text, "PD-SSM 0.988", true);
    f2l_buf_clear(&text);
    /* without one of the four tasks there is no average */
    list.row[0].setting = F2L_PRESET_PAPER;
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "PD-SSM 0.988", false);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* Sets the recipe of the row to the one that its model has in its setting. */
static void take_present_recipe(f2l_outcome *w)
{
    const f2l_preset_choice choice = {
        .setting = w->setting, .model = w->model, .scale = 1, .seed = 7};
    f2l_preset_run run;
    f2l_preset_run_init(&run);
    cr_assert_eq(f2l_preset_build(&run, w->preset, &choice, NULL), F2L_OK);
    cr_assert_eq(f2l_preset_recipe_hash(w->recipe, &run, NULL), F2L_OK);
    f2l_preset_run_clear(&run);
}

/* Every model in every setting has an outcome of its recipe, or a command. */
Test(outcome, not_run)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_error err = {0};
    f2l_buf text;
    f2l_outcomes_init(&list);
    sample(&w);
    take_present_recipe(&w);
    append(&list, &w);
    w.setting = F2L_PRESET_RELEASED;
    append(&list, &w);
    w.recipe[0] = '\0';
    append(&list, &w);
    f2l_outcome_clear(&w);
    f2l_reproduce_report report = {.outcomes = &list, .not_run = true};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK, "%s",
                 err.text);
    size_t wanted = 0;
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++)
        for (int s = 0; s < F2L_PRESET_SETTINGS; s++) {
            const f2l_preset_setting setting = (f2l_preset_setting)s;
            const f2l_preset_model *m;
            if (f2l_preset_check(p, setting, NULL) != F2L_OK || p->kind == F2L_DATA_WORDS) continue;
            for (size_t i = 0; (m = f2l_preset_model_at(p, setting, i)) != NULL; i++, wanted++) {
                char line[160];
                snprintf(line, sizeof line,
                         "not run: fsa2lrnn reproduce %s --setting %s --model %s --backend cuda",
                         p->name, f2l_preset_setting_name((size_t)s), m->name);
                contains(&text, line,
                         strcmp(p->name, "parity") != 0 || setting != F2L_PRESET_PAPER ||
                             strcmp(m->name, "delta-signed") != 0);
            }
        }
    char line[80];
    snprintf(line, sizeof line, "%zu of %zu models in their settings have no outcome", wanted - 1,
             wanted);
    contains(&text, line, true);
    f2l_buf_clear(&text);
    report.only = f2l_preset_find("parity");
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "not run: fsa2lrnn reproduce parity --setting released", true);
    contains(&text, "a seed; 2 outcomes of another recipe", true);
    contains(&text, "not run: fsa2lrnn reproduce s3", false);
    f2l_buf_clear(&text);
    report.not_run = false;
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "not run", false);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

/* The accuracies on test sets, and the network beside them, are kept and shown. */
Test(outcome, sets_of_words)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_buf text, again;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    sample(&w);
    strcpy(w.constructed, "T4, 2 layers");
    for (size_t i = 0; i < w.seeds; i++) {
        if (w.seed[i].end == F2L_TRAIN_DIVERGED) continue;
        w.seed[i].sets = 1;
        w.seed[i].set[0] = (f2l_outcome_set){"long-random", 1000, 0.5 + 0.1 * (double)i};
    }
    outcome_text_of(&text, &w);
    cr_assert_eq(f2l_outcomes_parse(&list, text.data, text.size, &err), F2L_OK, "%s", err.text);
    outcome_text_of(&again, &list.row[0]);
    cr_assert_str_eq(text.data, again.data);
    f2l_buf_clear(&text);
    const f2l_reproduce_report report = {.outcomes = &list};
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &report, &err), F2L_OK);
    contains(&text, "constructed T4, 2 layers", true);
    contains(&text, "test words right, long-random: 0.600 (0.500, 0.000", true);
    f2l_buf_clear(&text);
    f2l_buf_clear(&again);
    f2l_outcomes_clear(&list);
    f2l_outcome_clear(&w);
}

Test(outcome, table)
{
    f2l_outcomes list;
    f2l_outcome w;
    f2l_buf text;
    f2l_error err = {0};
    f2l_outcomes_init(&list);
    sample(&w);
    take_present_recipe(&w);
    outcome_text_of(&text, &w);
    cr_assert_eq(f2l_outcomes_parse(&list, text.data, text.size, &err), F2L_OK, "%s", err.text);
    f2l_buf_clear(&text);
    f2l_outcome_clear(&w);
    const f2l_reproduce_report some = {.outcomes = &list},
                               all = {.all = true, .outcomes = &list, .not_run = true};
    f2l_buf_init(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &some, &err), F2L_OK, "%s",
                 err.text);
    contains(&text, "parity: ", true);
    contains(&text, "s3: ", false);
    contains(&text, "1.000 best of 3, 0.999 +- 0.006 median of 3", true);
    contains(&text,
             "0.450 (0.700, 0.000, 0.200, 0.700); 8: 1.000 (1.000, 0.000, 1.000, 1.000), 40: 0.500",
             true);
    contains(&text, "the best constant answer: 0.200; 8: 0.200, 40: 0.200, 256: 0.200", true);
    contains(&text, "paper setting, shortened to 0.1: 100 of 1000 steps", true);
    contains(&text, "1 diverged", true);
    contains(&text, "lengths 1 to 40", true);
    contains(&text, "diagonal-signed", false);
    contains(&text, "sLSTM", true);
    for (const char *line = text.data; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t size = strcspn(line, "\n");
        cr_assert(size == 0 || line[size - 1] != ' ');
        cr_assert(strncmp(line, "    ", 4) != 0 || size <= 100, "%.*s", (int)size, line);
    }
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_text(&text, &f2l_reproduce_report_kind, &all, &err), F2L_OK);
    for (const f2l_preset *p = f2l_presets; p->name != NULL; p++) contains(&text, p->text, true);
    f2l_buf_clear(&text);
    cr_assert_eq(f2l_report_as_json(&text, &f2l_reproduce_report_kind, &all, &err), F2L_OK);
    json_t *root = json_loadb(text.data, text.size, 0, NULL),
           *presets = json_object_get(root, "presets");
    size_t known = 0;
    while (f2l_presets[known].name != NULL) known++;
    cr_assert_eq(json_array_size(presets), known);
    json_t *model = json_array_get(json_object_get(json_array_get(presets, 0), "models"), 0);
    json_t *outcome = json_array_get(json_object_get(model, "outcomes"), 0);
    cr_assert(fabs(json_real_value(json_object_get(json_object_get(outcome, "mean"), "median")) -
                   0.45) < 1e-12);
    cr_assert_eq(json_array_size(json_object_get(outcome, "by_length")), 3);
    cr_assert_eq(json_array_size(json_object_get(model, "published")), 3);
    /* of all models in their settings one has an outcome */
    cr_assert_eq(json_integer_value(json_object_get(root, "wanted_runs")),
                 1 + (json_int_t)json_array_size(json_object_get(root, "not_run")));
    cr_assert_eq(json_array_size(json_object_get(root, "averages")), 0);
    json_decref(root);
    f2l_buf_clear(&text);
    f2l_outcomes_clear(&list);
}

#ifdef F2L_MEM_FAILURES
/* One preset, since the test's time grows with the square of the table. */
Test(outcome, out_of_memory)
{
    f2l_outcome w;
    f2l_buf text, more;
    bool complete = false;
    sample(&w);
    outcome_text_of(&text, &w);
    for (size_t i = 0; i < w.seeds; i++) w.seed[i].seed += 100;
    outcome_text_of(&more, &w);
    for (size_t n = 1; !complete; n++) {
        f2l_outcomes list;
        f2l_buf table;
        f2l_outcomes_init(&list);
        f2l_buf_init(&table);
        const f2l_reproduce_report report = {
            .only = w.preset, .all = true, .outcomes = &list, .not_run = true};
        f2l_mem_fail_after(n, false);
        f2l_status status = f2l_outcomes_parse(&list, text.data, text.size, NULL);
        if (status == F2L_OK) status = f2l_outcomes_parse(&list, more.data, more.size, NULL);
        if (status == F2L_OK) status = f2l_outcomes_merge(&list, NULL);
        if (status == F2L_OK)
            status = f2l_report_as_text(&table, &f2l_reproduce_report_kind, &report, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || status == F2L_ENOMEM, "allocation %zu: %d", n, status);
        complete = status == F2L_OK;
        f2l_buf_clear(&table);
        f2l_outcomes_clear(&list);
    }
    f2l_buf_clear(&text);
    f2l_buf_clear(&more);
    f2l_outcome_clear(&w);
}
#endif
