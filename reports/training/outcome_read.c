/* Rows of outcomes from JSON. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void f2l_outcomes_init(f2l_outcomes *list)
{
    *list = (f2l_outcomes){NULL, 0, 0};
}

void f2l_outcomes_cut(f2l_outcomes *list, size_t rows)
{
    while (list->rows > rows) f2l_outcome_clear(&list->row[--list->rows]);
}

void f2l_outcomes_clear(f2l_outcomes *list)
{
    f2l_outcomes_cut(list, 0);
    f2l_free(list->row);
    f2l_outcomes_init(list);
}

/* --- members --- */

/* An object that is being read: the number of members that were asked for shows whether there are
 * others. */
typedef struct reader {
    json_t *object;
    size_t used;
    f2l_error *err;
    f2l_status status; /* of the first failure */
} reader;

static void wrong(reader *r, const char *name, const char *why)
{
    if (r->status == F2L_OK)
        r->status = f2l_fail(r->err, F2L_EFORMAT, "an outcome's member \"%s\" %s", name, why);
}

static json_t *member(reader *r, const char *name)
{
    json_t *value = json_object_get(r->object, name);
    if (value == NULL)
        wrong(r, name, "is missing");
    else
        r->used++;
    return value;
}

static uint64_t count(reader *r, const char *name, uint64_t least, uint64_t most)
{
    json_t *value = member(r, name);
    const json_int_t number = json_integer_value(value);
    if (value == NULL) return 0;
    if (!json_is_integer(value) || number < 0 || (uint64_t)number < least ||
        (uint64_t)number > most)
        wrong(r, name, "is no number in its range");
    return (uint64_t)number;
}

static double real(reader *r, const char *name, double least, double most)
{
    json_t *value = member(r, name);
    if (value == NULL) return 0;
    const double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= least && number <= most))
        wrong(r, name, "is no number in its range");
    return number;
}

static bool has(const reader *r, const char *name)
{
    return json_object_get(r->object, name) != NULL;
}

/* Returns a text, "" after a failure. */
static const char *text(reader *r, const char *name)
{
    json_t *value = member(r, name);
    if (value != NULL && !json_is_string(value)) wrong(r, name, "is no text");
    return json_is_string(value) ? json_string_value(value) : "";
}

static void copy(char *to, size_t room, reader *r, const char *name)
{
    const char *value = text(r, name);
    if (strlen(value) >= room)
        wrong(r, name, "is too long");
    else
        memcpy(to, value, strlen(value) + 1);
}

/* Returns the member, with an error unless it is an array of at least `least` elements. */
static json_t *elements(reader *r, const char *name, size_t least)
{
    json_t *value = member(r, name);
    if (value != NULL && (!json_is_array(value) || json_array_size(value) < least))
        wrong(r, name, "is no list, or an empty one");
    return value;
}

static f2l_status finish(reader *r)
{
    const char *key;
    json_t *value;
    size_t seen = 0;
    if (r->status != F2L_OK) return r->status;
    json_object_foreach(r->object, key, value) seen++;
    return seen == r->used
               ? F2L_OK
               : f2l_fail(r->err, F2L_EFORMAT, "an outcome has a member that is not known");
}

/* Returns a reader of a member that is an object, to be used up to `leave`. */
static reader inner(reader *r, const char *name)
{
    json_t *value = member(r, name);
    if (value != NULL && !json_is_object(value)) wrong(r, name, "is no object");
    return (reader){value, 0, r->err, r->status};
}

static void leave(reader *r, reader *part)
{
    r->status = finish(part);
}

static f2l_status begin(reader *r, json_t *object, f2l_error *err)
{
    *r = (reader){object, 0, err, F2L_OK};
    return json_is_object(object) ? F2L_OK
                                  : f2l_fail(err, F2L_EFORMAT, "an outcome is no JSON object");
}

/* --- rows --- */

static f2l_status read_score(f2l_train_accuracies *s, json_t *object, f2l_error *err)
{
    reader r;
    const f2l_status status = begin(&r, object, err);
    if (status != F2L_OK) return status;
    s->length = (size_t)count(&r, "length", 1, UINT32_MAX);
    s->sequences = count(&r, "sequences", 1, INT64_MAX);
    s->sequence_accuracy = real(&r, "sequence_accuracy", 0, 1);
    s->accuracy = real(&r, "accuracy", 0, 1);
    s->scaled_accuracy = real(&r, "scaled_accuracy", -DBL_MAX, 1);
    s->constant_accuracy = s->scaled_constant = (double)NAN;
    if (has(&r, "constant_accuracy")) {
        s->constant_accuracy = real(&r, "constant_accuracy", 0, 1);
        s->scaled_constant = real(&r, "scaled_constant", -DBL_MAX, 1);
    }
    return finish(&r);
}

/* Reads the scores of a seed. `other`: a seed that was read before, with scores; NULL: there was
 * none. */
static f2l_status read_scores(f2l_outcome *w, f2l_outcome_seed *seed, json_t *list,
                              const f2l_outcome_seed *other, f2l_error *err)
{
    const size_t lengths = json_array_size(list);
    f2l_status status = F2L_OK;
    const bool none = seed->end == F2L_TRAIN_DIVERGED,
               some = none || seed->end == F2L_TRAIN_GOES_ON;
    if ((lengths == 0 && !some) || (lengths > 0 && none) ||
        (other != NULL && lengths > 0 && w->lengths != lengths))
        return f2l_fail(err, F2L_EFORMAT, "an outcome has too many or too few lengths");
    if (lengths == 0) return F2L_OK;
    w->lengths = lengths;
    seed->score = f2l_calloc(lengths, sizeof *seed->score);
    if (seed->score == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < lengths && status == F2L_OK; i++) {
        status = read_score(&seed->score[i], json_array_get(list, i), err);
        if (status != F2L_OK) break;
        const size_t length = seed->score[i].length;
        if ((i > 0 && length <= seed->score[i - 1].length) ||
            (other != NULL && length != other->score[i].length))
            status = f2l_fail(err, F2L_EFORMAT,
                              "the lengths of an outcome do not ascend, or differ by seed");
    }
    return status;
}

/* Returns the loss, which may be no number for a run that diverged. */
static double loss_of(reader *r)
{
    if (json_is_null(json_object_get(r->object, "loss"))) {
        r->used++;
        return NAN;
    }
    return real(r, "loss", -DBL_MAX, DBL_MAX);
}

/* Reads the hash of the weights, which may be null. */
static void read_weights(f2l_outcome_seed *seed, reader *r)
{
    if (json_is_null(json_object_get(r->object, "weights"))) {
        r->used++;
        return;
    }
    copy(seed->weights, sizeof seed->weights, r, "weights");
    if (strspn(seed->weights, "0123456789abcdef") != 64) wrong(r, "weights", "is no SHA-256");
}

/* Reads the columns of an optional member. */
static f2l_status read_list(void **array, size_t *rows, const f2l_columns *columns,
                            const json_t *object, const char *name, f2l_error *err)
{
    const json_t *list = json_object_get(object, name);
    return list == NULL ? F2L_OK : f2l_columns_read(array, rows, columns, list, name, err);
}

static f2l_status read_look(f2l_history *course, json_t *object, f2l_error *err)
{
    reader r;
    void *score = NULL;
    size_t scores = 0;
    f2l_status status = begin(&r, object, err);
    if (status != F2L_OK) return status;
    const uint64_t step = count(&r, "step", 0, (uint64_t)1 << 53);
    const json_t *lists = member(&r, "scores");
    status = finish(&r);
    if (status == F2L_OK)
        status = f2l_columns_read(&score, &scores, &f2l_look_columns, lists, "scores", err);
    if (status == F2L_OK) status = f2l_history_add_look(course, step, score, scores, err);
    f2l_free(score);
    return status;
}

/* Reads evaluations, curve and the accuracies at every length. */
static f2l_status read_course(f2l_outcome_seed *seed, const json_t *object, f2l_error *err)
{
    const json_t *looks = json_object_get(object, "evaluations");
    void *every = NULL, *point = NULL;
    f2l_status status =
        read_list(&every, &seed->everys, &f2l_every_columns, object, "every_length", err);
    seed->every = every;
    if (status == F2L_OK)
        status = read_list(&point, &seed->course.points, &f2l_curve_columns, object, "curve", err);
    seed->course.point = point;
    seed->course.point_capacity = seed->course.points;
    if (status == F2L_OK && looks != NULL && !json_is_array(looks))
        status = f2l_fail(err, F2L_EFORMAT, "an outcome's member \"evaluations\" is no list");
    for (size_t i = 0; i < json_array_size(looks) && status == F2L_OK; i++)
        status = read_look(&seed->course, json_array_get(looks, i), err);
    return status;
}

static f2l_status read_seed(f2l_outcome *w, json_t *object, f2l_error *err)
{
    static const char *const optional[] = {"every_length", "evaluations", "curve"};
    reader r;
    f2l_status status = begin(&r, object, err);
    if (status != F2L_OK) return status;
    const f2l_outcome_seed *other = f2l_outcome_scored(w);
    f2l_outcome_seed *seed = &w->seed[w->seeds++];
    seed->seed = (uint32_t)count(&r, "seed", 0, UINT32_MAX);
    if (!f2l_outcome_end_find(seed, text(&r, "end")))
        wrong(&r, "end", "is none of completed, reached, diverged, stopped, running");
    seed->steps = count(&r, "steps", 0, (uint64_t)1 << 53);
    seed->tokens = count(&r, "tokens", 0, INT64_MAX);
    seed->loss = loss_of(&r);
    if (has(&r, "weights")) read_weights(seed, &r);
    json_t *lengths = elements(&r, "lengths", 0);
    reader timing = inner(&r, "timing");
    seed->seconds = real(&timing, "seconds", 0, DBL_MAX);
    seed->share = has(&timing, "share") ? real(&timing, "share", DBL_MIN, 1) : 1;
    leave(&r, &timing);
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++) r.used += has(&r, optional[i]);
    status = finish(&r);
    if (status == F2L_OK) status = read_scores(w, seed, lengths, other, err);
    return status == F2L_OK ? read_course(seed, object, err) : status;
}

static void read_names(f2l_outcome *w, reader *r)
{
    const char *setting;
    w->preset = f2l_preset_find(text(r, "preset"));
    if (w->preset == NULL) wrong(r, "preset", "names no preset of this program");
    setting = text(r, "setting");
    size_t s = 0;
    while (f2l_preset_setting_name(s) != NULL && strcmp(f2l_preset_setting_name(s), setting) != 0)
        s++;
    w->setting = (f2l_preset_setting)s;
    if (s == F2L_PRESET_SETTINGS) wrong(r, "setting", "is none of paper, released, best");
    const char *model = text(r, "model");
    w->model = w->preset != NULL ? f2l_preset_model_find(w->preset, model) : NULL;
    if (w->model == NULL) wrong(r, "model", "names no model of that preset");
}

static void read_members(f2l_outcome *w, reader *r)
{
    const uint64_t schema = count(r, "schema", 0, INT64_MAX);
    if (schema != 1 && schema != 2) wrong(r, "schema", "is neither 1 nor 2");
    if (strcmp(text(r, "kind"), F2L_OUTCOME_KIND) != 0)
        wrong(r, "kind", "is not \"" F2L_OUTCOME_KIND "\": this is no outcome of reproduce");
    if (r->status != F2L_OK) return;
    read_names(w, r);
    w->scale = real(r, "scale", DBL_MIN, DBL_MAX);
    w->full_steps = count(r, "full_steps", 1, (uint64_t)1 << 53);
    w->steps = count(r, "steps", 1, (uint64_t)1 << 53);
    w->batch = (size_t)count(r, "batch", 1, UINT32_MAX);
    w->rate = real(r, "rate", DBL_MIN, DBL_MAX);
    copy(w->backend, sizeof w->backend, r, "backend");
    copy(w->device, sizeof w->device, r, "device");
    copy(w->version, sizeof w->version, r, "version");
    copy(w->commit, sizeof w->commit, r, "commit");
    if (has(r, "devices")) w->devices = (size_t)count(r, "devices", 1, UINT32_MAX);
    if (has(r, "recipe")) copy(w->recipe, sizeof w->recipe, r, "recipe");
    if (has(r, "trained")) copy(w->trained, sizeof w->trained, r, "trained");
    if (has(r, "note")) copy(w->note, sizeof w->note, r, "note");
    if (has(r, "config")) w->config = json_incref(member(r, "config"));
    if (w->config != NULL && !json_is_object(w->config)) wrong(r, "config", "is no object");
}

/* Checks that a sum, if it is given, is the sum over the seeds. */
static void check_sum(reader *timing, const char *name, double sum)
{
    if (!has(timing, name)) return;
    const double there = real(timing, name, 0, DBL_MAX);
    if (!(fabs(there - sum) <= 1e-9 * sum)) wrong(timing, name, "is not the sum over the seeds");
}

static void read_timing(f2l_outcome *w, reader *r)
{
    reader timing = inner(r, "timing");
    copy(w->date, sizeof w->date, &timing, "date");
    check_sum(&timing, "seconds", f2l_outcome_seconds(w));
    check_sum(&timing, "device_seconds", f2l_outcome_device_seconds(w));
    leave(r, &timing);
}

static f2l_status read_row(f2l_outcome *w, json_t *object, f2l_error *err)
{
    reader r;
    f2l_status status = begin(&r, object, err);
    if (status != F2L_OK) return status;
    read_members(w, &r);
    json_t *seeds = r.status == F2L_OK ? elements(&r, "seeds", 1) : NULL;
    if (r.status != F2L_OK) return r.status;
    w->seed = f2l_calloc(json_array_size(seeds), sizeof *w->seed);
    if (w->seed == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < json_array_size(seeds) && status == F2L_OK; i++)
        status = read_seed(w, json_array_get(seeds, i), err);
    if (status != F2L_OK) return status;
    read_timing(w, &r);
    return finish(&r);
}

static f2l_status append(f2l_outcomes *list, json_t *object, f2l_error *err)
{
    if (!f2l_grow((void **)&list->row, &list->capacity, list->rows, sizeof *list->row))
        return f2l_fail_memory(err);
    f2l_outcome_init(&list->row[list->rows]);
    return read_row(&list->row[list->rows++], object, err);
}

static f2l_status append_all(f2l_outcomes *list, json_t *root, f2l_error *err)
{
    json_t *rows = json_is_object(root) ? json_object_get(root, "rows") : root;
    if (rows == NULL) return append(list, root, err);
    if (!json_is_array(rows) || json_array_size(rows) == 0)
        return f2l_fail(err, F2L_EFORMAT, "there are no outcomes of reproduce in it");
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < json_array_size(rows) && status == F2L_OK; i++)
        status = append(list, json_array_get(rows, i), err);
    return status;
}

f2l_status f2l_outcomes_parse(f2l_outcomes *list, const char *bytes, size_t size, f2l_error *err)
{
    json_error_t why;
    const size_t rows = list->rows;
    json_t *root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    if (root == NULL)
        return f2l_fail_at(err, why.line > 0 ? (size_t)why.line : 1,
                           why.column > 0 ? (size_t)why.column : 1, "this is no JSON: %s",
                           why.text);
    const f2l_status status = append_all(list, root, err);
    json_decref(root);
    if (status != F2L_OK) f2l_outcomes_cut(list, rows);
    return status;
}
