/* Rows of outcomes as JSON. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA 2        /* of the file, which has its own version */
#define MOST_SHARE 4096 /* processors of a run */

static const char what[] = "an outcome";

/* --- the members --- */

/* A seed, with its lists in JSON; NULL where they are not given. */
typedef struct seed_members {
    f2l_outcome_seed s;
    unsigned end;
    json_t *lengths, *every_length, *word_sets, *failing_word, *evaluations, *curve;
} seed_members;

enum { STOPPED = F2L_TRAIN_DIVERGED + 1 };

static const char *name_end(size_t i)
{
    static const char *const name[] = {"running", "completed", "reached", "diverged", "stopped"};
    return i <= STOPPED ? name[i] : NULL;
}

#define ROW(member, ...) F2L_MEMBER(seed_members, member, __VA_ARGS__)
#define SEED(member, ...) F2L_MEMBER_AS(#member, seed_members, s.member, __VA_ARGS__)
static const f2l_member seed_timing_rows[] = {
    SEED(seconds, F2L_IN(0, DBL_MAX)),
    SEED(share, F2L_IN(DBL_MIN, MOST_SHARE), .how = F2L_MAY_MISS)};
static const f2l_members seed_timing = F2L_MEMBERS(seed_timing_rows);
static const f2l_member seed_rows[] = {
    SEED(seed, F2L_ANY),
    F2L_MEMBER_ONE_OF("end", seed_members, end, name_end, F2L_ANY),
    SEED(steps, F2L_IN(0, 0x1p53)),
    SEED(tokens, F2L_ANY),
    SEED(loss, .how = F2L_NULL),
    SEED(weights, .how = F2L_MAY_MISS | F2L_NULL, .least = 64),
    F2L_MEMBER_PART("timing", 0, &seed_timing, F2L_ANY),
    ROW(lengths, .how = F2L_IS_LIST),
    ROW(every_length, .how = F2L_MAY_MISS),
    ROW(word_sets, .how = F2L_MAY_MISS | F2L_IS_LIST),
    ROW(failing_word, .how = F2L_MAY_MISS | F2L_IS_OBJECT),
    ROW(evaluations, .how = F2L_MAY_MISS | F2L_IS_LIST),
    ROW(curve, .how = F2L_MAY_MISS)};
static const f2l_members all_of_seed = F2L_MEMBERS(seed_rows);

#undef ROW
#define ROW(member, ...) F2L_MEMBER(f2l_outcome_failing, member, __VA_ARGS__)
static const f2l_member failing_rows[] = {
    ROW(wrong_letters, F2L_IN(0, 0x1p53)),
    ROW(word, .how = F2L_NULL),
    ROW(all_words_up_to, F2L_IN(0, 0x1p53)),
    ROW(powers_tried, F2L_IN(0, 0x1p53)),
    ROW(followed_words, F2L_IN(0, 0x1p53)),
    ROW(letters_read, F2L_IN(0, 0x1p53)),
    ROW(letters_allowed, F2L_IN(0, 0x1p53), .how = F2L_MAY_MISS),
    ROW(no_search_reason, .how = F2L_NULL)};
static const f2l_members all_of_failing = F2L_MEMBERS(failing_rows);

#undef ROW
#define ROW(member, ...) F2L_MEMBER(f2l_outcome_set, member, __VA_ARGS__)
static const f2l_member set_rows[] = {ROW(name, .least = 1), ROW(words, F2L_IN(1, 0x1p53)),
                                      ROW(accuracy, F2L_IN(0, 1))};
static const f2l_members all_of_set = F2L_MEMBERS(set_rows);

typedef struct look_members {
    uint64_t step;
    json_t *scores;
} look_members;

static const f2l_member look_rows[] = {F2L_MEMBER(look_members, step, F2L_IN(0, 0x1p53)),
                                       F2L_MEMBER(look_members, scores, F2L_ANY)};
static const f2l_members all_of_look = F2L_MEMBERS(look_rows);

/* A row, with its sums over the seeds; NAN where they are not given. */
typedef struct row_members {
    f2l_outcome w;
    uint64_t schema;
    unsigned kind;
    char preset[64], model[64];
    double seconds, device_seconds;
    json_t *seeds;
} row_members;

static const char *name_kind(size_t i)
{
    return i == 0 ? "reproduce-outcome" : NULL;
}

#undef ROW
#define ROW(member, ...) F2L_MEMBER(row_members, member, __VA_ARGS__)
#define OUTCOME(member, ...) F2L_MEMBER_AS(#member, row_members, w.member, __VA_ARGS__)
#define SUM F2L_IN(0, DBL_MAX), .how = (F2L_MAY_MISS | F2L_SKIP_NAN)
#define SPARE .how = (F2L_MAY_MISS | F2L_SKIP_ZERO)
static const f2l_member timing_rows[] = {OUTCOME(date, F2L_ANY), ROW(seconds, SUM),
                                         ROW(device_seconds, SUM)};
static const f2l_members timing = F2L_MEMBERS(timing_rows);
static const f2l_member row_rows[] = {
    ROW(schema, F2L_IN(1, SCHEMA)),
    F2L_MEMBER_ONE_OF("kind", row_members, kind, name_kind, F2L_ANY),
    ROW(preset, F2L_ANY),
    F2L_MEMBER_ONE_OF("setting", row_members, w.setting, f2l_preset_setting_name, F2L_ANY),
    ROW(model, F2L_ANY),
    OUTCOME(scale, F2L_IN(DBL_MIN, DBL_MAX)),
    OUTCOME(full_steps, F2L_IN(1, 0x1p53)),
    OUTCOME(steps, F2L_IN(1, 0x1p53)),
    OUTCOME(batch, F2L_IN(1, UINT32_MAX)),
    OUTCOME(rate, F2L_IN(DBL_MIN, DBL_MAX)),
    OUTCOME(backend, F2L_ANY),
    OUTCOME(device, F2L_ANY),
    OUTCOME(devices, F2L_IN(1, UINT32_MAX), .how = F2L_MAY_MISS),
    OUTCOME(version, F2L_ANY),
    OUTCOME(commit, F2L_ANY),
    OUTCOME(recipe, SPARE),
    OUTCOME(trained, SPARE),
    F2L_MEMBER_PART("timing", 0, &timing, F2L_ANY),
    OUTCOME(note, SPARE),
    OUTCOME(constructed, SPARE),
    OUTCOME(config, .how = F2L_MAY_MISS | F2L_IS_OBJECT),
    ROW(seeds, .how = F2L_IS_LIST, .least = 1)};
static const f2l_members all_of_row = F2L_MEMBERS(row_rows);

/* --- writing --- */

static void say_scores(f2l_fact seed, const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    const f2l_fact lengths = f2l_say_list(seed, "lengths");
    for (size_t i = 0; s->score != NULL && i < outcome->lengths; i++)
        f2l_members_say(f2l_say_object(lengths, NULL), &f2l_train_accuracies_members, &s->score[i]);
    if (s->everys > 0)
        f2l_columns_say(seed, "every_length", &f2l_every_columns, s->every, s->everys);
}

static void say_failing(f2l_fact seed, const f2l_outcome_failing *failing)
{
    if (failing->searched)
        f2l_members_say(f2l_say_object(seed, "failing_word"), &all_of_failing, failing);
}

static void say_seed_sets(f2l_fact seed, const f2l_outcome_seed *s)
{
    if (s->sets == 0) return;
    const f2l_fact list = f2l_say_list(seed, "word_sets");
    for (size_t i = 0; i < s->sets; i++)
        f2l_members_say(f2l_say_object(list, NULL), &all_of_set, &s->set[i]);
}

static void say_course(f2l_fact seed, const f2l_history *course)
{
    if (course->looks > 0) {
        f2l_fact list = f2l_say_list(seed, "evaluations");
        for (size_t i = 0; i < course->looks; i++) {
            f2l_fact one = f2l_say_object(list, NULL);
            f2l_say_count(one, "step", course->look[i].step);
            f2l_columns_say(one, "scores", &f2l_look_columns, course->look[i].score,
                            course->look[i].scores);
        }
    }
    if (course->points > 0)
        f2l_columns_say(seed, "curve", &f2l_curve_columns, course->point, course->points);
}

static void say_seed(f2l_fact list, const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    const f2l_fact seed = f2l_say_object(list, NULL);
    const seed_members m = {.s = *s, .end = s->stopped ? (unsigned)STOPPED : (unsigned)s->end};
    f2l_members_say(seed, &all_of_seed, &m);
    say_scores(seed, outcome, s);
    say_seed_sets(seed, s);
    say_failing(seed, &s->failing);
    say_course(seed, &s->course);
}

void f2l_outcome_say(f2l_fact in, const f2l_outcome *w)
{
    row_members m = {.w = *w,
                     .schema = SCHEMA,
                     .seconds = f2l_outcome_seconds(w),
                     .device_seconds = f2l_outcome_device_seconds(w)};
    snprintf(m.preset, sizeof m.preset, "%s", w->preset->name);
    snprintf(m.model, sizeof m.model, "%s", w->model->name);
    f2l_members_say(in, &all_of_row, &m);
    const f2l_fact seeds = f2l_say_list(in, "seeds");
    for (size_t i = 0; i < w->seeds; i++) say_seed(seeds, w, &w->seed[i]);
}

f2l_status f2l_outcome_write(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_outcome_say(f2l_facts_root(&facts), outcome);
    const f2l_status status = f2l_facts_write(out, &facts, (f2l_facts_style){.digits = 17}, err);
    f2l_facts_clear(&facts);
    return status;
}

/* --- reading --- */

static f2l_status refuse(const char *member, const char *why, f2l_error *err)
{
    return f2l_fail(err, F2L_EFORMAT, "%s: the member \"%s\" %s", what, member, why);
}

static f2l_status read_score(f2l_train_accuracies *s, const json_t *object, f2l_error *err)
{
    const f2l_status status = f2l_train_accuracies_read(s, object, "a score of an outcome", err);
    return status != F2L_OK || s->sequences > 0
               ? status
               : refuse("lengths", "has a score of no sequences", err);
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
                              "the lengths of an outcome do not ascend, or "
                              "differ by seed");
    }
    return status;
}

static f2l_status read_look(f2l_history *course, const json_t *object, f2l_error *err)
{
    look_members m = {.step = 0};
    void *score = NULL;
    size_t scores = 0;
    f2l_status status =
        f2l_members_read(&m, &all_of_look, object, "an evaluation of an outcome", err);
    if (status == F2L_OK)
        status = f2l_columns_read(&score, &scores, &f2l_look_columns, m.scores, "scores", err);
    if (status == F2L_OK) status = f2l_history_add_look(course, m.step, score, scores, err);
    f2l_free(score);
    return status;
}

/* Reads evaluations, curve and the accuracies at every length, where they are given. */
static f2l_status read_course(f2l_outcome_seed *seed, const seed_members *m, f2l_error *err)
{
    void *every = NULL, *point = NULL;
    f2l_status status = F2L_OK;
    if (m->every_length != NULL)
        status = f2l_columns_read(&every, &seed->everys, &f2l_every_columns, m->every_length,
                                  "every_length", err);
    seed->every = every;
    if (status == F2L_OK && m->curve != NULL)
        status = f2l_columns_read(&point, &seed->course.points, &f2l_curve_columns, m->curve,
                                  "curve", err);
    seed->course.point = point;
    seed->course.point_capacity = seed->course.points;
    for (size_t i = 0; i < json_array_size(m->evaluations) && status == F2L_OK; i++)
        status = read_look(&seed->course, json_array_get(m->evaluations, i), err);
    return status;
}

static f2l_status read_seed_sets(f2l_outcome_seed *seed, json_t *list, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (json_array_size(list) > F2L_OUTCOME_SETS)
        return refuse("word_sets", "has too many sets", err);
    for (size_t i = 0; i < json_array_size(list) && status == F2L_OK; i++)
        status = f2l_members_read(&seed->set[seed->sets++], &all_of_set, json_array_get(list, i),
                                  "a set of words of an outcome", err);
    return status;
}

static f2l_status read_seed(f2l_outcome *w, const json_t *object, f2l_error *err)
{
    seed_members m = {.s.share = 1};
    f2l_status status = f2l_members_read(&m, &all_of_seed, object, what, err);
    if (status == F2L_OK && m.s.weights[0] != '\0' && strspn(m.s.weights, "0123456789abcdef") != 64)
        status = refuse("weights", "is no SHA-256", err);
    if (status != F2L_OK) return status;
    const f2l_outcome_seed *other = f2l_outcome_scored(w);
    f2l_outcome_seed *seed = &w->seed[w->seeds++];
    m.s.stopped = m.end == STOPPED;
    m.s.end = m.s.stopped ? F2L_TRAIN_GOES_ON : (f2l_train_end)m.end;
    *seed = m.s;
    status = read_scores(w, seed, m.lengths, other, err);
    seed->failing.searched = m.failing_word != NULL;
    if (status == F2L_OK) status = read_seed_sets(seed, m.word_sets, err);
    if (status == F2L_OK && m.failing_word != NULL)
        status = f2l_members_read(&seed->failing, &all_of_failing, m.failing_word,
                                  "the failing word of an outcome", err);
    return status == F2L_OK ? read_course(seed, &m, err) : status;
}

/* Finds the preset and the model. */
static f2l_status read_names(row_members *m, f2l_error *err)
{
    m->w.preset = f2l_preset_find(m->preset);
    if (m->w.preset == NULL) return refuse("preset", "names no preset of this program", err);
    m->w.model = f2l_preset_model_find(m->w.preset, m->model);
    return m->w.model != NULL ? F2L_OK : refuse("model", "names no model of that preset", err);
}

/* Returns whether the sum over the seeds is not given, or is this sum. */
static bool is_sum(double given, double sum)
{
    return isnan(given) || fabs(given - sum) <= 1e-9 * sum;
}

static f2l_status read_row(f2l_outcome *w, const json_t *object, f2l_error *err)
{
    row_members m = {.w = *w, .seconds = (double)NAN, .device_seconds = (double)NAN};
    f2l_status status = f2l_members_read(&m, &all_of_row, object, what, err);
    if (status == F2L_OK) status = read_names(&m, err);
    if (status != F2L_OK) return status;
    *w = m.w;
    w->config = json_incref(w->config);
    w->seed = f2l_calloc(json_array_size(m.seeds), sizeof *w->seed);
    if (w->seed == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < json_array_size(m.seeds) && status == F2L_OK; i++)
        status = read_seed(w, json_array_get(m.seeds, i), err);
    if (status != F2L_OK) return status;
    return is_sum(m.seconds, f2l_outcome_seconds(w)) &&
                   is_sum(m.device_seconds, f2l_outcome_device_seconds(w))
               ? F2L_OK
               : refuse("timing", "has another sum than the sum over the seeds", err);
}

/* --- lists --- */

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
    const size_t rows = list->rows;
    f2l_status status;
    json_t *root = f2l_json_load(&status, bytes, size, "this", err);
    if (root != NULL) status = append_all(list, root, err);
    json_decref(root);
    if (status == F2L_OK) status = f2l_outcomes_check_recipes(list, rows, bytes, size, err);
    if (status != F2L_OK) f2l_outcomes_cut(list, rows);
    return status;
}
